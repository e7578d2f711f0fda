"""Owns what every command shares: the flags, the open project, and printing for a person or a program.

It does not load click itself: `hansard context` shares all of this and runs before every turn.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from hansard import settings as settings_module
from hansard.domain.actors import Actor, clean_name
from hansard.domain.errors import BadSetting, Invalid, UnknownValue, quoted
from hansard.domain.limits import PAGE_ITEMS_DEFAULT
from hansard.domain.text import counted as counted  # noqa: PLC0414 - the commands have it from here
from hansard.domain.text import visible
from hansard.domain.vocabulary import ALL, Role, Word, parse_unless_all
from hansard.interfaces.cli import TEXT_MARK
from hansard.settings import Settings

if TYPE_CHECKING:
    import click

STDIN_BYTES_MAX = 64 * 1024 * 1024

Command = TypeVar("Command", bound=Callable[..., Any])
Completer: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[Any]]"


class Column(NamedTuple):
    """One column of a table.

    A text column takes what is left of the line and is cut there, at its front if what matters is its end; one that
    wraps goes on below instead. A column with a rank is left out when texts would get too narrow, the highest rank
    first. No other column is ever cut.
    """

    name: str
    text: bool = False
    cut_front: bool = False
    rank: int = 0
    wrap: bool = False


class Call:
    """One invocation: its flags, and how it answers."""

    def __init__(self, flags: dict[str, str | None], *, as_json: bool, go_on: bool = False) -> None:
        self.flags = flags
        self.as_json = as_json
        self.go_on = go_on
        """Whether a project's settings that are wrong are done without: a turn is not to end by them."""
        self._opened: Any = None
        self.store: Any = None
        """The open Hansard, while a project of it is open."""
        self._actor: Actor | None = None
        self._told = (0, 0)
        """How many redactions, and how much of what is held back, were told already."""

    def check_flags(self) -> None:
        """Raises for a flag that makes no sense, whatever state the settings and the store are in."""
        agent = self.flags.get("agent")
        if agent is not None:
            clean_name(agent)
        for name, value in self.flags.items():
            if value is not None:
                settings_module.converted(settings_module.BY_NAME[name], value, f"flag --{name}")

    def settings(self) -> Settings:
        from hansard.workspace import roots

        self.check_flags()
        here = roots.standing()
        root = None if here is None else roots.root_of(here)
        loaded = settings_module.load(flags=self.flags, project_root=root, go_on=self.go_on)
        if not self.go_on:
            return loaded
        # A turn waits no longer to reach its store than for an answer of it.
        longest = loaded.context_wait_seconds
        return loaded._replace(store_busy_seconds=min(loaded.store_busy_seconds, longest), answer_seconds=longest)

    def actor(self, settings: Settings) -> Actor:
        if settings.agent is not None:
            return Actor(settings.agent, settings.role or Role.AGENT)
        return Actor(settings.user or settings_module.login_name(), settings.role or Role.HUMAN)

    @contextmanager
    def hansard(self, *, create: bool = False) -> Iterator[Any]:
        """The open store. Only what sets a project up makes a database; a mistyped path elsewhere is an error."""
        from hansard.app import Hansard

        with Hansard.open(settings=self.settings(), must_exist=not create) as opened:
            yield opened

    @contextmanager
    def project(self) -> Iterator[Any]:
        """The project the flags or the working directory name, acted in as the flags say."""
        with self.hansard() as opened:
            self._actor = self.actor(opened.settings)
            self.store = opened
            named = opened.project(opened.settings.project, actor=self._actor)
            self._opened = named if opened.settings.project is None else self._guarded(opened, named)
            yield self._opened

    def tell_of(self, project: Any, actor: Actor) -> Any:
        """The project, of which the answer says what its guard did, however it was opened."""
        self._opened, self._actor = project, actor
        return project

    def _guarded(self, opened: Any, named: Any) -> Any:
        """The project under its own policy too: whoever names it stands in another folder, or may."""
        before = opened.settings
        for folder in opened.roots(named.record):
            try:
                opened.settings = settings_module.guarded(opened.settings, Path(folder))
            except BadSetting:
                if not self.go_on:
                    raise
        if opened.settings is before:
            return named
        return opened.project(before.project, actor=self.actor(before))

    def answer(self, document: Any, shown: Callable[[], None], *, waits_told: bool = False) -> None:
        """Prints one JSON document, or what a person would like to read.

        Either way it says which secrets were taken out of what was written, and how much of it waits for review. A
        command that tells the latter itself says so.
        """
        redactions, held = self._to_tell()
        if redactions and self.as_json and isinstance(document, dict):
            document = document | {"redacted": [{"field": one.field, "kind": one.kind} for one in redactions]}
        if redactions:
            note(_redacted(redactions, self._actor))
        if held and self.as_json and isinstance(document, dict):
            document = document | {"held": held}
        if held and not waits_told:
            note(_waiting(held, self._actor))
        if self.as_json:
            indent = 2 if sys.stdout.isatty() else None
            unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
            print(json.dumps(document, ensure_ascii=not unicode, indent=indent))
        else:
            shown()

    def _to_tell(self) -> tuple[Sequence[Any], int]:
        """What the guard did since the last answer: what it took out, and how much it holds back."""
        if self._opened is None:
            return (), 0
        redactions, held = self._opened.redactions, self._opened.held_back
        before, self._told = self._told, (len(redactions), held)
        return redactions[before[0] :], held - before[1]


def command() -> Callable[[Command], Command]:
    """Adds the shared flags to a command and hands it a Call. `--agent` says who acts, everywhere."""
    import click

    def decorated(function: Command) -> Command:
        @wraps(function)
        def invoked(**arguments: Any) -> Any:
            context = click.get_current_context()
            flags = dict(context.find_root().obj or {})
            told = {name: _unmarked(value) for name, value in arguments.items()}
            for name in ("db", "project", "role", "agent"):
                given = told.pop(name)
                flags[name] = given if given is not None else flags.get(name)
            return function(Call(flags, as_json=told.pop("json_")), **told)

        for option in (
            click.option("--json", "json_", is_flag=True, help="Print one JSON document and nothing else."),
            role_option("Act in this role: human, coordinator, agent, service."),
            click.option("--agent", metavar="NAME", help="Act as this agent (HANSARD_AGENT)."),
            click.option("--project", metavar="KEY", help="Project to use (HANSARD_PROJECT)."),
            click.option("--db", metavar="PATH", type=click.Path(), help="Database: a file, or postgresql://…"),
        ):
            invoked = option(invoked)
        return invoked  # type: ignore[return-value]

    return decorated


def author_option(about: str = "Only what this agent wrote.") -> Callable[[Command], Command]:
    """Adds `--author` to a list: whose records it shows, whoever asks."""
    import click

    return click.option("--author", metavar="NAME", help=about)


def words(*vocabularies: Iterable[str]) -> Completer:
    """Completes the words of closed vocabularies."""

    def completed(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        known = [str(word) for vocabulary in vocabularies for word in vocabulary]
        return [word for word in known if word.startswith(incomplete.lower())]

    return completed


def role_option(about: str) -> Callable[[Command], Command]:
    import click

    return click.option("--role", metavar="ROLE", shell_complete=words(Role), help=about)


def file_option(about: str) -> Callable[[Command], Command]:
    import click

    return click.option("--file", metavar="PATH", type=click.Path(allow_dash=True), help=about)


def check_status(vocabulary: type[Word], value: str) -> None:
    """Refuses a status to filter by that is neither a word of the vocabulary nor `all`."""
    try:
        parse_unless_all(vocabulary, value, field="status")
    except UnknownValue:
        known = ", ".join(vocabulary)
        raise UnknownValue(f"status must be one of {known} or {ALL}; {quoted(value, 60)} is not.") from None


def paged(function: Command) -> Command:
    """Adds `--limit` and `--cursor` to a list."""
    import click

    function = click.option("--cursor", help="Go on where the last page ended.")(function)
    return click.option("--limit", type=int, default=PAGE_ITEMS_DEFAULT, show_default=True, help="Items per page.")(
        function
    )


def content_of(text: str | None, file: str | None, *, field: str = "content", exact: bool = True) -> str:
    """Text from an option, a file, or standard input when either is `-`. If not `exact`, bytes may be no UTF-8."""
    if text is not None and file is not None:
        raise _misused(f"Give the {field} as text or as a file, not both.")
    if text == "-" or file == "-":
        if sys.stdin is None:
            raise OSError("Standard input is closed")
        return _decoded(sys.stdin.buffer.read(STDIN_BYTES_MAX + 1) or b"", "standard input", exact=exact)
    if file is not None:
        try:
            with Path(file).open("rb") as handle:
                return _decoded(handle.read(STDIN_BYTES_MAX + 1), file, exact=exact)
        except FileNotFoundError:
            from hansard.interfaces.cli.edge import MissingFile

            raise MissingFile(f"There is no file {file!r}.") from None
        except IsADirectoryError:
            raise Invalid(f"{file!r} is a folder; the {field} is read from a file.") from None
    if text is None:
        raise _misused(f"Give the {field}: as text, with --file, or '-' for standard input.")
    return text


def say(text: str) -> None:
    """One line for a person, with nothing in it that a terminal would obey."""
    print(encodable(visible(text)))


def note(text: str) -> None:
    """One line for a person beside the answer, which stays as it is."""
    encoding = sys.stderr.encoding or "utf-8"
    print(visible(text).encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


def emit(text: str) -> None:
    """Text meant for a prompt, as it is."""
    print(encodable(text), end="")


def table(
    columns: Sequence[Column | str], rows: Sequence[Sequence[str]], *, empty: str, more: str | None = None
) -> None:
    """Rows for a person to read, or one sentence when there are none."""
    if not rows:
        say(empty)
        return
    from hansard.interfaces.cli.tables import draw

    draw([Column(one) if isinstance(one, str) else one for one in columns], rows)
    if more:
        say(f"More: repeat with --cursor {more}")


def details(pairs: Sequence[tuple[str, Any]]) -> None:
    """One record for a person: what is set, each on its line, long text below its name."""
    told = [(name, value) for name, value in pairs if value not in (None, "", (), [])]
    width = max((len(name) for name, _ in told), default=0)
    for name, value in told:
        text = ", ".join(value) if isinstance(value, tuple | list) else str(value)
        if "\n" in text:
            indent = " " * (len(name) - len(name.lstrip()) + 2)
            say(f"{name}:")
            say("\n".join(f"{indent}{line}" for line in text.split("\n")))
        else:
            say(f"{name + ':':<{width + 1}} {text}")


def when(microseconds: int | None) -> str:
    """The minute, for a column whose head says that it is in UTC."""
    if microseconds is None:
        return ""
    from hansard.clock import iso

    return iso(microseconds)[:16].replace("T", " ")


def moment(microseconds: int | None) -> str:
    """The minute with its zone, for a line of its own."""
    return "" if microseconds is None else f"{when(microseconds)} UTC"


def shortened(text: str, length: int = 72) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


def encodable(text: str) -> str:
    """The text with what standard output cannot encode spelled out."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _redacted(redactions: Sequence[Any], actor: Actor | None) -> str:
    from hansard.domain.policy import Act, may
    from hansard.services.admission import is_dump

    kinds = ", ".join(sorted({f"{one.kind} in {one.field}" for one in redactions}))
    # An agent that runs the command is refused, and tries again.
    able = actor is not None and may(actor, Act.ALLOW_SECRET)
    fix = "`hansard guard allow` lets it through" if able else "ask a person to allow it"
    told = f"Redacted before it was stored: {kinds}."
    if any(map(is_dump, redactions)):
        told += " A flood is the rest of a text that looks like a dump: record it in parts."
    return told if all(map(is_dump, redactions)) else f"{told} If it is no secret, {fix}."


def _waiting(held: int, actor: Actor | None) -> str:
    from hansard.domain.policy import Act, may

    able = actor is not None and may(actor, Act.REVIEW_GUARD)
    fix = "`hansard guard list` shows what and why" if able else "a person reviews it"
    return f"{held:,} of what was written {'waits' if held == 1 else 'wait'} for review; {fix}."


def _unmarked(value: Any) -> Any:
    if isinstance(value, str):
        return value.removeprefix(TEXT_MARK)
    return tuple(map(_unmarked, value)) if isinstance(value, tuple) else value


def _misused(message: str) -> click.UsageError:
    import click

    return click.UsageError(message)


def _decoded(data: bytes, origin: str, *, exact: bool) -> str:
    if len(data) > STDIN_BYTES_MAX:
        raise Invalid(f"{origin} is longer than {STDIN_BYTES_MAX:,} bytes.")
    try:
        return data.decode("utf-8-sig", "strict" if exact else "replace")
    except UnicodeDecodeError as error:
        raise Invalid(f"{origin} is not UTF-8 text: byte {error.start} is wrong.") from None
