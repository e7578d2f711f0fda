"""Answers for one command about several records: each is told, and one that fails does not stop the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hansard.interfaces.cli.calling import Call, say
from hansard.interfaces.cli.edge import exit_code_of
from hansard.services import review


def answer_many(
    call: Call, done: list[Any], *, shape: Callable[[Any], Any], told: Callable[[Any], str], waits_told: bool = False
) -> int:
    """Each result in order; the exit code is that of the first failure."""
    failures = [one for one in done if isinstance(one, review.Failure)]
    results = [
        {"reference": one.reference, "error": {"code": one.error.code, "message": one.error.message}}
        if isinstance(one, review.Failure)
        else shape(one)
        for one in done
    ]

    def shown() -> None:
        for one in done:
            say(f"{one.reference}: {one.error.message}" if isinstance(one, review.Failure) else told(one))

    call.answer({"results": results, "failed": len(failures)}, shown, waits_told=waits_told)
    return exit_code_of(failures[0].error) if failures else 0
