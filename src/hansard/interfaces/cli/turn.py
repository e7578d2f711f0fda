"""Owns what `hansard context` does, without click, which costs more to load than a block takes to compile."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hansard.interfaces.cli import COMPLETE_VARIABLE
from hansard.interfaces.cli.calling import Call, content_of, emit, note

if TYPE_CHECKING:
    from hansard.domain.receipts import Block, Receipt
    from hansard.services.replay import Replayed

COMMAND = "context"
_SHARED = ("db", "project", "agent", "role")
_VALUES = frozenset({*_SHARED, "task", "prompt", "mode", "charter", "cwd", "run", "replay", "as-of"})
_SWITCHES = frozenset({"keep", "explain", "json"})
NOTHING = "Nothing is known yet: no boundaries, no memory, no session."


class Wanted(NamedTuple):
    """What the caller asked for."""

    task: str | None = None
    prompt: str | None = None
    mode: str | None = None
    charter: str | None = None
    cwd: str | None = None
    run: str | None = None
    replay: str | None = None
    as_of: str | None = None
    keep: bool = False
    explain: bool = False


def understood(arguments: Sequence[str]) -> tuple[Call, Wanted] | None:
    """The call, if its words are plain; None if click should look at them, and say what is wrong with them."""
    if COMMAND not in arguments or os.environ.get(COMPLETE_VARIABLE):
        return None
    place = arguments.index(COMMAND)
    before, after = _options(arguments[:place]), _options(arguments[place + 1 :])
    if before is None or after is None or set(before) - set(_SHARED):
        return None
    told = {**before, **after}
    flags = {name: told.pop(name, None) for name in _SHARED}
    as_json = told.pop("json", None) is not None
    fields: dict[str, Any] = {name.replace("-", "_"): value for name, value in told.items()}
    for name in ("keep", "explain"):
        fields[name] = name in told
    return Call(flags, as_json=as_json), Wanted(**fields)


def _options(arguments: Sequence[str]) -> dict[str, str] | None:
    """Options by name, as far as each is written out in full and has its value; None at anything else."""
    found: dict[str, str] = {}
    rest = iter(arguments)
    for one in rest:
        name, equals, value = one.removeprefix("--").partition("=")
        if not one.startswith("--") or name not in _VALUES | _SWITCHES:
            return None
        if name in _SWITCHES:
            if equals:
                return None
            found[name] = ""
            continue
        given = value if equals else next(rest, None)
        # Whether a value may begin with a dash is for click to say.
        if given is None or (not equals and given.startswith("-") and given != "-"):
            return None
        found[name] = given
    return found


def tell(call: Call, wanted: Wanted) -> None:
    """Prints the block and nothing else; what there is to say about it goes to standard error."""
    from hansard.interfaces import shapes

    if wanted.replay is not None:
        _tell_replay(call, wanted, wanted.replay)
        return
    with call.project() as project:
        block: Block | None = project.compile(**_asked(wanted))

    def shown() -> None:
        if block is None or not block.text:
            note(NOTHING if block is None else "There is no block.")
        else:
            emit(block.text)
        if block is not None:
            _tell_of(block.receipt, explain=wanted.explain)

    call.answer(shapes.block(block), shown)


def _asked(wanted: Wanted) -> dict[str, Any]:
    asked = {
        "task": wanted.task,
        "prompt": None if wanted.prompt is None else content_of(None, wanted.prompt, field="prompt"),
        "mode": wanted.mode,
        "charter": None if wanted.charter is None else content_of(None, wanted.charter, field="charter"),
        "cwd": wanted.cwd,
        "run": wanted.run,
        "keep": wanted.keep or None,
        "as_of": wanted.as_of,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _tell_replay(call: Call, wanted: Wanted, receipt_id: str) -> None:
    from hansard.interfaces import shapes

    others = {
        "task": wanted.task, "prompt": wanted.prompt, "mode": wanted.mode, "cwd": wanted.cwd, "run": wanted.run,
        "as-of": wanted.as_of, "keep": wanted.keep or None,
    }  # fmt: skip
    clash = next((name for name, value in others.items() if value is not None), None)
    if clash is not None:
        from hansard.domain.errors import Invalid

        raise Invalid(f"--replay shows what was compiled then; --{clash} cannot change it.")
    with call.project() as project:
        replayed: Replayed = project.replay(receipt_id)

    def shown() -> None:
        emit(replayed.text)
        for line in replayed.differences:
            note(f"Differs: {line}")
        _tell_of(replayed.receipt, explain=wanted.explain)

    call.answer(shapes.replayed(replayed), shown)


def _tell_of(receipt: Receipt, *, explain: bool) -> None:
    for one in receipt.notes:
        note(one)
    if receipt.id is not None:
        note(f"Receipt {receipt.id}")
    if explain:
        from hansard.interfaces.cli.explaining import explain as explained

        explained(receipt)
