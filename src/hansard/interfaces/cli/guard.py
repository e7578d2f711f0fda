"""Owns `hansard guard`: the review of what waits in quarantine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    command,
    content_of,
    details,
    moment,
    paged,
    say,
    shortened,
    table,
    when,
)
from hansard.interfaces.cli.marking import acts_told, quoted, reasons, whose

if TYPE_CHECKING:
    from hansard.domain.guard import Allowance
    from hansard.domain.paging import Listing
    from hansard.services.quarantine import Held

TABLE_WIDTH_MIN = 140
"""An id, a name, an origin and a minute take two thirds of that. With less there is no room for reasons and words."""
Command = Callable[..., Any]


@click.group()
def guard() -> None:
    """Review what waits in quarantine: words from outside that a person looks at first.

    \b
    Example:
      hansard guard list
      hansard guard show P-7
      hansard guard release P-7 --reason "a quotation, and harmless"

    `allow` and its kin are about secrets: what looks like one and is none. Which
    secrets are stored already, `hansard scan` finds.
    """


def _reason(function: Command) -> Command:
    return click.option("--reason", required=True, help="Why; it stays in the history.")(function)


@guard.command("list")
@paged
@command()
def list_(call: Call, limit: int, cursor: str | None) -> None:
    """List what waits for review, the longest waiting first.

    People only. Words are shown in short.

    \b
    Example:
      hansard guard list
      hansard guard list --json
    """
    with call.project() as project:
        found = project.list_quarantined(limit=limit, cursor=cursor)
    call.answer(shapes.page(found, shapes.reviewed), lambda: _listed(found))


@guard.command()
@click.argument("reference")
@command()
def show(call: Call, reference: str) -> None:
    """Show one of them: what was judged and what was found.

    Its words are quoted, and what cannot be seen is spelled out.

    \b
    Example:
      hansard guard show P-7
    """
    with call.project() as project:
        found = project.get_quarantined(reference)
        acts = [] if call.as_json else acts_told(project, found)
    call.answer(shapes.reviewed(found), lambda: _told(found, acts))


@guard.command()
@click.argument("references", nargs=-1, required=True)
@_reason
@command()
def release(call: Call, references: tuple[str, ...], reason: str) -> int:
    """Let it out as what it is.

    It is found again, and quoted as before if it came from outside.
    P-7@2 is version 2 of P-7, if that is the one you read.

    \b
    Example:
      hansard guard release P-7 --reason "it quotes the attack that we found"
      hansard guard release P-7 P-9 --reason "checked both"
    """
    return _review(call, references, reason, "release", "is released.")


@guard.command()
@click.argument("references", nargs=-1, required=True)
@_reason
@command()
def confirm(call: Call, references: tuple[str, ...], reason: str) -> int:
    """Vouch for it.

    From now on it is as good as what a person says. P-7@2 is version 2 of P-7; what
    was changed since it was recorded is let out by the version that you read.

    \b
    Example:
      hansard guard confirm P-7@2 --reason "checked against the manual"
      hansard guard confirm P-7 P-9 --reason "checked both"
    """
    return _review(call, references, reason, "confirm", "is confirmed.")


@guard.command()
@click.argument("references", nargs=-1, required=True)
@_reason
@command()
def hold(call: Call, references: tuple[str, ...], reason: str) -> int:
    """Put something into quarantine, or back into it.

    A memory, or a pending proposal.

    \b
    Example:
      hansard guard hold P-7 --reason "released by mistake"
    """
    return _review(call, references, reason, "hold", "waits for review.")


@guard.command()
@click.argument("references", nargs=-1, required=True)
@_reason
@command()
def redact(call: Call, references: tuple[str, ...], reason: str) -> int:
    """Take its words out of every version, for good.

    A proposal is rejected by it. Only what waits for review is redacted: hold
    anything else first, with `hansard guard hold`.

    \b
    Example:
      hansard guard redact P-7 --reason "an attack"
      hansard guard redact P-7 P-9 --reason "the same attack"
    """
    return _review(call, references, reason, "redact", "is redacted; only that it was there is known.")


@guard.command()
@click.argument("value")
@_reason
@command()
def allow(call: Call, value: str, reason: str) -> None:
    """Let through what looks like a secret and is none.

    The value '-' reads it from standard input. Give it with the words that stand
    before it, by which the scanner knows it. Only a digest is kept. A value that is
    allowed already keeps its first reason.

    \b
    Example:
      hansard guard allow - --reason "the key of the public demo" < line.txt
    """
    with call.project() as project:
        known = {one.id for one in project.list_allowed_secrets()}
        made = project.allow_secret(content_of(value, None, field="value"), reason=reason)

    def shown() -> None:
        if made.id not in known:
            say(f"Allowed as {made.id} ({made.kind}).")
            return
        say(f"It is allowed already as {made.id} ({made.kind}), by {made.allowed_by} since {moment(made.at)}, because:")
        say(f"  {made.reason}")
        say(f"Nothing was changed. For another reason take it back first: hansard guard disallow {made.id}")

    call.answer(shapes.allowance(made), shown)


@guard.command()
@command()
def allowed(call: Call) -> None:
    """List what was allowed, by whom and why; never the values.

    \b
    Example:
      hansard guard allowed
    """
    with call.project() as project:
        found = project.list_allowed_secrets()

    call.answer({"items": [shapes.allowance(one) for one in found]}, lambda: _allowances(found))


@guard.command()
@click.argument("allowance")
@_reason
@command()
def disallow(call: Call, allowance: str, reason: str) -> None:
    """Take back that a value is let through.

    \b
    Example:
      hansard guard disallow 01a2b3c4-d5e6-7f80-9a1b-2c3d4e5f6a7b \\
        --reason "it became a real key"
    """
    with call.project() as project:
        gone = project.disallow_secret(allowance, reason=reason)
    told = f"{gone.id} ({gone.kind}) is no longer allowed. What holds it stays: `hansard scan` says where it is stored."
    call.answer(shapes.allowance(gone), lambda: say(told))


def _review(call: Call, references: tuple[str, ...], reason: str, act: str, became: str) -> int:
    """Does the same to each, and says so of each."""
    told_itself = act == "hold"
    with call.project() as project:
        review = getattr(project, act)
        if len(references) == 1:
            one = review(references[0], reason=reason)
            call.answer(shapes.reviewed(one), lambda: say(f"{_spoken(one)} {became}"), waits_told=told_itself)
            return 0
        from hansard.interfaces.cli.several import answer_many
        from hansard.services.review import each

        done = each(references, lambda reference: review(reference, reason=reason))
    return answer_many(
        call, done, shape=shapes.reviewed, told=lambda one: f"{_spoken(one)} {became}", waits_told=told_itself
    )


def _listed(found: Listing[Held]) -> None:
    from hansard.interfaces.cli.tables import terminal_width

    if found and terminal_width() < TABLE_WIDTH_MIN:
        for one in found:
            _in_lines(one)
        if found.next_cursor:
            say(f"More: repeat with --cursor {found.next_cursor}")
        return
    rows = [
        (
            _spoken(one), _kind(one), whose(one), one.origin.value if one.origin else "", when(one.quarantined_at),
            reasons(one.signs), f"> {shortened(_excerpt(one))}",
        )
        for one in found
    ]  # fmt: skip
    columns: list[Column | str] = [
        "id", "kind", Column("from", text=True, wrap=True), "origin", "since (UTC)",
        Column("why", text=True, wrap=True), Column("words", text=True),
    ]  # fmt: skip
    table(columns, rows, empty="Nothing waits for review.", more=found.next_cursor)


def _allowances(found: Sequence[Allowance]) -> None:
    from hansard.interfaces.cli.tables import terminal_width

    if terminal_width() >= TABLE_WIDTH_MIN or not found:
        rows = [(one.id, one.kind, one.allowed_by, when(one.at), one.reason) for one in found]
        columns: list[Column | str] = ["id", "kind", "by", "since (UTC)", Column("why", text=True, wrap=True)]
        table(columns, rows, empty="No value is allowed.")
        return
    for one in found:
        say(one.id)
        details([
            ("  kind", one.kind), ("  by", one.allowed_by), ("  since", moment(one.at)),
            ("  why", _in_width(one.reason)),
        ])  # fmt: skip


def _in_width(reason: str) -> str:
    from hansard.interfaces.cli.tables import terminal_width

    # What goes on in another line is set in by four.
    return "\n".join(wrap(reason, terminal_width() - len("  words  ")))


def _in_lines(one: Held) -> None:
    """One of the list where there is no room for a table: nothing is left out."""
    say(_spoken(one))
    details([
        ("  kind", _kind(one)), ("  from", whose(one)), ("  origin", one.origin.value if one.origin else None),
        ("  since", moment(one.quarantined_at)), ("  why", _in_width(reasons(one.signs))),
        ("  words", f"> {shortened(_excerpt(one))}"),
    ])  # fmt: skip


def _told(one: Held, acts: list[tuple[str, str]]) -> None:
    from hansard.domain.trust import tier_of
    from hansard.services.admission import fields_of, found_in

    details([
        (_kind(one), _spoken(one)),
        ("from", whose(one)), ("origin", one.origin.value if one.origin else None), ("trust", tier_of(one).value),
        ("type", one.type), ("status", getattr(one, "status", None)), ("importance", one.importance),
        ("scope", getattr(one, "scope", None)), ("version", one.version),
        ("waits since", moment(one.quarantined_at) or "it does not wait for review"),
        ("cleared", one.cleared.value if one.cleared else None),
        ("why", reasons(one.signs)), *acts,
    ])  # fmt: skip
    for found in found_in(one):
        say(f"found in {found.field}: {found.sign}: “{found.words}”")
    say("\nEvery word that was judged, quoted.")
    for field, text in fields_of(one):
        say(f"\n{field}:\n{quoted(text)}")


def _excerpt(one: Held) -> str:
    """What tells most in a line: the words that were found, or else the first ones."""
    from hansard.domain.rendering import inline
    from hansard.services.admission import found_in

    return next((found.words for found in found_in(one)), inline(one.content))


def _kind(one: Held) -> str:
    return "proposal" if hasattr(one, "slug") else "memory"


def _spoken(one: Held) -> str:
    return getattr(one, "ref", one.id)
