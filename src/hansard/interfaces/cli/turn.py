"""Owns what `hansard context` does, without click, which costs more to load than a block takes to compile."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hansard.interfaces.cli import COMPLETE_VARIABLE
from hansard.interfaces.cli.calling import Call, content_of, emit, note

if TYPE_CHECKING:
    from hansard.domain.receipts import Block, Receipt
    from hansard.project import Project
    from hansard.services.replay import Replayed

COMMAND = "context"
_SHARED = ("db", "project", "agent", "role")
_VALUES = frozenset({*_SHARED, "task", "prompt", "mode", "charter", "cwd", "run", "replay", "as-of"})
_SWITCHES = frozenset({"keep", "explain", "json"})
FAILED = "The memory could not be used"


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
    block, names = _compiled(call, wanted)

    def shown() -> None:
        if block is not None and block.text:
            emit(block.text)
        else:
            full = block is None and wanted.mode in {None, "full"}
            note(shapes.nothing_told(full=full, task=wanted.task))
        if block is not None:
            _tell_of(block.receipt, names, explain=wanted.explain)

    call.answer(shapes.block(block), shown)


def _compiled(call: Call, wanted: Wanted) -> tuple[Block | None, Mapping[str, str]]:
    """The block, and what its candidates are called. A store or settings that are broken leave the charter.

    A question about the past is no turn: it is told what is wrong, like every other command.
    """
    asked = _asked(wanted)
    call.check_flags()
    call.go_on = wanted.as_of is None
    try:
        with call.project() as project:
            block: Block | None = project.compile(**_placed(asked, project))
            return block, _names(project, None if block is None else block.receipt, wanted)
    except Exception as error:
        if wanted.as_of is not None or not _is_broken(error, call, wanted):
            raise
        return _without_store(call, asked, error), {}


def _placed(asked: dict[str, Any], project: Project) -> dict[str, Any]:
    """What is asked, with the folder that the caller stands in, if that is one of the project."""
    from hansard.workspace import roots

    here = None if "cwd" in asked else roots.standing()
    if here is None:
        return asked
    seat = project.seat()
    if seat.settings.project is not None:
        # A project that was named may be worked on from anywhere.
        from hansard.services.look_up import is_place_of

        if not is_place_of(seat, here):
            return asked
    return {**asked, "cwd": here}


def _is_broken(error: Exception, call: Call, wanted: Wanted) -> bool:
    """Whether something is broken that is not the caller's word: a store, a setting, a folder, or Hansard itself."""
    from hansard.domain.errors import BadSetting, HansardError, Invalid, Unavailable, UnknownProject, UnknownStore
    from hansard.workspace import roots

    if isinstance(error, Unavailable | UnknownStore | BadSetting) or not isinstance(error, HansardError):
        return True
    if isinstance(error, UnknownProject):
        # A person who forgot `hansard init` is told; whoever brought a charter needs it more than the reason.
        return wanted.charter is not None and call.flags.get("project") is None
    named = any(call.flags.get(name) for name in ("db", "project", "role"))
    return isinstance(error, Invalid) and (not named or roots.standing() is None)


def _without_store(call: Call, asked: dict[str, Any], error: Exception) -> Block:
    from hansard.domain.errors import HansardError
    from hansard.services.compile import turn_of, without_store
    from hansard.settings import BY_NAME, login_name

    agent = call.flags.get("agent") or os.environ.get(BY_NAME["agent"].env) or login_name()
    turn = {"run_id" if name == "run" else name: value for name, value in asked.items() if name != "keep"}
    if isinstance(error, HansardError):
        reason = error.message
    else:
        import logging

        logging.getLogger("hansard").debug("%s.", FAILED, exc_info=error)
        reason = f"{type(error).__name__}: {error}"
    return without_store(turn_of(agent=agent, **turn), f"{FAILED}: {reason}")


def _names(project: Project, receipt: Receipt | None, wanted: Wanted) -> Mapping[str, str]:
    if receipt is None or not wanted.explain:
        return {}
    from hansard.domain.errors import Unavailable
    from hansard.services.name_candidates import name_candidates

    try:
        return name_candidates(project.seat(), receipt)
    except Unavailable:
        # The block is whole without them.
        return {}


def _asked(wanted: Wanted) -> dict[str, Any]:
    if wanted.prompt == wanted.charter == "-":
        from hansard.domain.errors import Invalid

        raise Invalid("--prompt and --charter cannot both be standard input; give one of them as a file.")
    asked = {
        "task": wanted.task,
        "prompt": None if wanted.prompt is None else content_of(None, wanted.prompt, field="prompt", exact=False),
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
        "task": wanted.task, "prompt": wanted.prompt, "mode": wanted.mode, "charter": wanted.charter,
        "cwd": wanted.cwd, "run": wanted.run, "as-of": wanted.as_of, "keep": wanted.keep or None,
    }  # fmt: skip
    clash = next((name for name, value in others.items() if value is not None), None)
    if clash is not None:
        from hansard.domain.errors import Invalid

        raise Invalid(f"--replay shows what was compiled then; --{clash} cannot change it.")
    with call.project() as project:
        replayed: Replayed = project.replay(receipt_id)
        names = _names(project, replayed.receipt, wanted)

    def shown() -> None:
        emit(replayed.text)
        for line in replayed.differences:
            note(f"Differs: {line}")
        _tell_of(replayed.receipt, names, explain=wanted.explain)

    call.answer(shapes.replayed(replayed), shown)


def _tell_of(receipt: Receipt, names: Mapping[str, str], *, explain: bool) -> None:
    for one in receipt.notes:
        note(one)
    if receipt.id is not None:
        note(f"Receipt {receipt.id}")
    if explain:
        from hansard.interfaces.cli.explaining import explain as explained

        explained(receipt, names)
