"""The mark that ties a test to an invariant of docs/invariants.md."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])


def invariant(number: str) -> Callable[[Test], Test]:
    def marked(test: Test) -> Test:
        result: Test = pytest.mark.invariant(number)(test)
        return result

    return marked
