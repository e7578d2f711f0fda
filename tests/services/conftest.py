"""Fixtures that several tests of services share."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from hansard import Hansard
from hansard.settings import Settings
from support.clock import FakeClock


@pytest.fixture
def open_with(target: str) -> Iterator[Callable[..., Hansard]]:
    """Opens the store under other settings."""
    with ExitStack() as opened:

        def open(**chosen: object) -> Hansard:
            settings = Settings(user="ana", **chosen)  # type: ignore[arg-type]
            return opened.enter_context(Hansard.open(target, settings=settings, clock=FakeClock()))

        yield open
