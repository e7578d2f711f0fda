"""Owns what a client is told when something cannot be done: a code, what went wrong, and what to do."""

from __future__ import annotations

from typing import NamedTuple

from hansard.domain import errors
from hansard.domain.errors import BadSetting, HansardError, Invalid

UNEXPECTED = "hansard.unexpected"
UNKNOWN_TOOL = "tool.unknown"


class NamelessAgent(BadSetting):
    """The host was started without saying which agent it is."""

    code = "agent.unnamed"


class BadStart(BadSetting):
    """The host started the server with something that cannot be used, such as a role that there is not."""

    code = "host.bad_start"


class ManyProjects(Invalid):
    """The token is not for one project alone, and the address names none."""

    code = "project.unnamed"


OWN_CODES: tuple[tuple[str, str], ...] = (
    (UNKNOWN_TOOL, "There is no tool of this name. The answer names those that there are."),
    (NamelessAgent.code, f"{NamelessAgent.__doc__} Start it as `hansard mcp --agent NAME`."),
    (BadStart.code, f"{BadStart.__doc__} Correct its settings."),
    (ManyProjects.code, f"{ManyProjects.__doc__} Connect to `/mcp/<project>`."),
    (UNEXPECTED, "A fault of Hansard itself. The log says where; look whether it was done before you try again."),
)
"""The codes that only tools have, each with what it means."""

HINTS: tuple[tuple[type[HansardError], str], ...] = (
    (errors.GuardRefused, "Take the secret out and try again. Never save secrets."),
    (errors.UnknownProject, "Ask the user which project is meant; `hansard init` makes a folder one."),
    (errors.UnknownStore, "Ask the user to run `hansard init`, or to check HANSARD_DB."),
    (NamelessAgent, "Ask the user to name the agent in the settings of this host; docs/mcp.md has what to write."),
    (
        BadStart,
        "No argument helps. Ask the user to correct how this host starts `hansard mcp`; docs/mcp.md has what to write.",
    ),
    (errors.BadSetting, "Ask the user to correct the setting; `hansard config list` shows all of them."),
    (errors.TooLarge, "Shorten it and try again."),
    (ManyProjects, "No argument helps. Ask the user to put the project into this server's address."),
    (errors.NoFolder, "No argument helps. Ask the user to run that; the record is whole without its files, so go on."),
    (
        errors.FolderGone,
        "No argument helps. Ask the user where it is; the record is whole without its files, so go on.",
    ),
    (
        errors.FolderLinked,
        "No argument helps. Ask the user to register it anew; the record is whole without its files, so go on.",
    ),
    (errors.Invalid, "Correct the arguments by the tool's schema and try again."),
    (errors.NoOpenSession, "Start one with start_session, or leave it."),
    (errors.UnknownSession, "Leave out session_id: the open session is meant then. start_session opens a new one."),
    (
        errors.UnknownRun,
        "Leave out run_id, or give the one that you were told. `hansard run list` shows them to the user.",
    ),
    (
        errors.UnknownAgent,
        "Name an agent that has acted here. `hansard agents` shows them to the user; ask, do not guess.",
    ),
    (errors.NotFound, "Check the id. list_inbox, list_decisions and memory_search show what there is."),
    (errors.AlreadyReviewed, "It stays as it was reviewed. Submit something new under another slug."),
    (errors.StaleVersion, "Read it again, then decide again."),
    (errors.VersionNeeded, "Read the entry, then name the version that you accept, such as P-7@2."),
    (errors.Quarantined, "A person reviews it. Go on without it."),
    (errors.QuotaReached, "Record less; a person reviews what waits or raises the limit."),
    (errors.TooManyWrites, "Wait, then go on with fewer writes."),
    (errors.Conflict, "Read the record again; do something else if it is settled already."),
    (errors.Impersonation, "Act under your own name: leave out the name, or give yours."),
    (
        errors.Denied,
        "Do not try another way. Leave it to somebody who may; say to the user what waits and why.",
    ),
    (errors.EmbedderDown, "Try again later; searching by words goes on."),
    (errors.StoreUnwritable, "Do not try again. Tell the user what the message says; what only reads may go on."),
    (errors.Unavailable, "Try again in a moment. If it stays, tell the user to run `hansard doctor`."),
)
"""By kinds of errors, the narrowest first."""


class Refusal(NamedTuple):
    """What went wrong and what to do."""

    code: str
    message: str
    hint: str

    @property
    def text(self) -> str:
        return f"{self.message} [{self.code}]\nWhat to do: {self.hint}\n"

    @property
    def document(self) -> dict[str, dict[str, str]]:
        return {"error": self._asdict()}


def refusal_of(error: Exception, *, abroad: bool = False) -> Refusal:
    """What is said about an error. Of one that nobody expected only its kind: it may quote anything.

    A client that comes from elsewhere hears nothing of where the store is; the log has it.
    """
    if isinstance(error, HansardError):
        hint = next((hint for kind, hint in HINTS if isinstance(error, kind)), "Tell the user what the message says.")
        if abroad and isinstance(error, errors.Unavailable):
            tell(error)
        return Refusal(error.code, error.told_abroad if abroad else error.message, hint)
    note(error)
    return Refusal(
        UNEXPECTED,
        f"Hansard failed by a fault of its own ({type(error).__name__}). Nothing is known to be written.",
        "Look whether it was done before you try again. If it stays, tell the user to look at the server's log.",
    )


def unknown_tool(name: str, known: list[str]) -> Refusal:
    # Imported here: it is hardly ever needed, and a host waits for the first answers.
    from hansard.services.admission import safe

    said = errors.quoted(safe(name), 60)
    return Refusal(UNKNOWN_TOOL, f"There is no tool {said}.", f"Use one of {', '.join(known)}.")


def tell(error: errors.Unavailable) -> None:
    """Logs what the client is not told."""
    import logging

    if error.args:
        logging.getLogger("hansard.mcp").warning("%s: %s", error.code, error.message)


def note(error: Exception) -> None:
    """Logs where an error came from and not what it says: it may quote what somebody wrote."""
    import logging
    import traceback

    places = "".join(traceback.format_tb(error.__traceback__))
    logging.getLogger("hansard.mcp").error("A call failed with %s:\n%s", type(error).__name__, places)
