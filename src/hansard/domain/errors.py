"""Owns the error tree. Every failure a user can meet is one of these, with a stable code and a way out."""

from collections.abc import Callable
from typing import ClassVar

_cleaner: list[Callable[[str], str]] = [str]


def clean_messages_with(clean: Callable[[str], str]) -> None:
    """Has every message of an error go through this. Messages repeat what was given, and that may be a secret."""
    _cleaner[:] = [clean]


def quoted(text: str, characters_max: int = 80) -> str:
    """A text as an error message may repeat it. What is cut is cleaned first: half a secret is not known for one."""
    return repr(text if len(text) <= characters_max else _cleaner[0](text)[:characters_max])


def shown(value: object) -> str:
    """A value as an error message may repeat it: short, whatever was given."""
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
    text = _cleaner[0](text) if len(text) > 60 else text
    return text if len(text) <= 60 else text[:57] + "…" + text[-1]


class HansardError(Exception):
    """Something Hansard refused or could not do."""

    code: ClassVar[str] = "hansard.error"
    names_places: ClassVar[bool] = False  # Whether its message names a path or an address of this machine.
    abroad: str = ""  # The same message without that, where there is more to say than the kind of error does.

    @property
    def message(self) -> str:
        # Cleaned when somebody reads it: many errors are caught and never shown.
        return _cleaner[0](str(self.args[0])) if self.args else (self.__doc__ or self.code)

    def __str__(self) -> str:
        return self.message if self.args else ""

    def __repr__(self) -> str:
        # An answer that holds an error is shown by this, and its arguments are as they were given.
        return f"{type(self).__name__}({str(self)!r})"

    @property
    def told_abroad(self) -> str:
        """What somebody on another machine hears: no path or address. Those in a message are given after it."""
        from hansard.domain.whereabouts import without_places  # Few errors ever leave the machine.

        said = (self.abroad or " ".join((self.__doc__ or self.code).split())) if self.names_places else self.message
        return without_places(said, map(str, self.args[1:])) if self.args[1:] else said


def of_number(error: HansardError, place: int, count: int) -> HansardError:
    """The error, told with the number of the one of several that it is about."""
    return error if count == 1 else type(error)(f"number {place + 1}: {error.message}")


class Invalid(HansardError):
    """The input breaks a rule: empty, too long, of an unknown kind, or not text."""

    code = "input.invalid"


class UnknownValue(Invalid):
    """A word that is not in the closed vocabulary of its field."""

    code = "input.unknown_value"


class Unsupported(Invalid):
    """This call, or one of its arguments, is about the machine of the server and cannot be made over the network."""

    code = "client.unsupported"


class FolderGone(Invalid):
    """The project's folder is gone from the machine. If it was moved, run `hansard init --join` where it is now."""

    code = "project.folder_gone"
    names_places = True


class FolderLinked(Invalid):
    """A link is on the way to the project's folder. Nothing is read or written there; register what it leads to."""

    code = "project.folder_linked"
    names_places = True


class NoFolder(Invalid):
    """The project has no folder on the machine. In the one it is to have, run `hansard init --project KEY --join`."""

    code = "project.no_folder"
    names_places = True


class TooLarge(Invalid):
    """A field is over its limit. Shorten it; the limits are listed in docs/reference/limits.md."""

    code = "input.too_large"


class GuardRefused(Invalid):
    """The text holds what looks like a secret; nothing was written. Take it out; what is none, a person may allow."""

    code = "guard.refused"


class KeyReused(Invalid):
    """The Idempotency-Key was used for another request. A new request needs a new key."""

    code = "idempotency.reused"


class BadSlug(Invalid):
    """Nothing of the slug is left after normalisation, or it is too long."""

    code = "inbox.bad_slug"


class BadSetting(Invalid):
    """A setting is unknown or its value is not usable."""

    code = "config.bad_setting"


class NotFound(HansardError):
    """There is nothing with this id in this project, or it is not yours to see."""

    code = "not_found"


class UnknownProject(NotFound):
    """No such project. Create it with `hansard init`."""

    code = "project.unknown"


class UnknownStore(NotFound):
    """There is no database at this path. `hansard init` makes one."""

    code = "store.missing"


class UnknownEntry(NotFound):
    """No such inbox entry in this project."""

    code = "inbox.unknown"


class UnknownDecision(NotFound):
    """No such decision in this project."""

    code = "decision.unknown"


class UnknownMemory(NotFound):
    """No such memory in this project, or it belongs to another agent."""

    code = "memory.unknown"


class HiddenMemory(UnknownMemory):
    """To the reader the memory does not exist; the ledger keeps that it was asked for."""


class UnknownSession(NotFound):
    """No such session in this project."""

    code = "session.unknown"


class NoOpenSession(NotFound):
    """The project has no open session. Start one first."""

    code = "session.none_open"


class UnknownRun(NotFound):
    """No such run in this project."""

    code = "run.unknown"


class UnknownAgent(NotFound):
    """Nobody of this name has acted in the project."""

    code = "agent.unknown"


class UnknownEvent(NotFound):
    """The project's history has no event with this number."""

    code = "history.unknown"


class UnknownReceipt(NotFound):
    """No such receipt is kept in this project, or it belongs to another agent."""

    code = "receipt.unknown"


class UnknownAllowance(NotFound):
    """No value was allowed under this id. `hansard guard allowed` lists them."""

    code = "guard.unknown_allowance"


class UnknownToken(NotFound):
    """No token was made under this id. `hansard token list` shows them."""

    code = "token.unknown"


class Conflict(HansardError):
    """The state of the record forbids this change."""

    code = "conflict"


class EventAhead(Conflict):
    """The history ends before this event. It may have gone back to a backup, so begin again with what it has now."""

    code = "history.ahead"


class ProjectExists(Conflict):
    """The key or the folder belongs to a project already."""

    code = "project.exists"


class AlreadyReviewed(Conflict):
    """The entry was merged or rejected. Submit a new slug, or supersede the decision."""

    code = "inbox.already_reviewed"


class NotAProposal(Conflict):
    """The entry shows two versions of one record. Change the record if the other one was right; reject the entry."""

    code = "inbox.not_a_proposal"


class VersionNeeded(Conflict):
    """The entry became a binding one after it was proposed. Read it, then name the version that you accept."""

    code = "inbox.version_needed"


class StaleVersion(Conflict):
    """Somebody changed the record since it was read. Read it again, then repeat the change."""

    code = "version.stale"


class DecisionNotActive(Conflict):
    """The decision is superseded or archived; only an active one can be changed this way."""

    code = "decision.not_active"


class BadSupersession(Conflict):
    """A decision cannot be replaced by itself, by one that is not active, or in a circle."""

    code = "decision.bad_supersession"


class SessionExists(Conflict):
    """A session with this id exists in the project, open or ended. Ids are never reused."""

    code = "session.exists"


class SessionEnded(Conflict):
    """The session has ended and cannot change. Start a new one."""

    code = "session.ended"


class RunEnded(Conflict):
    """The run has finished and cannot change."""

    code = "run.ended"


class RunOpen(Conflict):
    """The run has not ended. Finish it first."""

    code = "run.open"


class KeyInFlight(Conflict):
    """A request with this Idempotency-Key is being answered just now. Repeat it in a moment."""

    code = "idempotency.in_flight"


class AnswerGone(Conflict):
    """The request with this Idempotency-Key was done, and its answer is gone: the server stopped before it was kept, or
    something was forgotten or is held since. Look at the record."""

    code = "idempotency.answer_gone"


class LeaseLost(Conflict):
    """Somebody else was given the job meanwhile. Nothing was written; leave the rest to them."""

    code = "job.lease_lost"


class AlreadyRated(Conflict):
    """The caller has rated this memory in this run already."""

    code = "memory.already_rated"


class MemoryKnown(Conflict):
    """Another memory of the same agent and scope says the same. Forget one of them, or say something else."""

    code = "memory.known"


class Quarantined(Conflict):
    """It waits for review because of what it says or where it comes from. A person releases or confirms it. So do the
    words of a session, a run or a note that the same agent has waiting elsewhere; nothing of these was written."""

    code = "guard.quarantined"


class NotQuarantined(Conflict):
    """It does not wait for review, or was reviewed already."""

    code = "guard.not_quarantined"


class Forgotten(Conflict):
    """The record was forgotten; its content is gone and cannot be changed or restored."""

    code = "memory.forgotten"


class BackupExists(Conflict):
    """There is a file of this name. Choose another name, or ask for it to be replaced."""

    code = "backup.exists"


class StoreNotEmpty(Conflict):
    """A backup is restored into an empty place only, and this one holds something. Choose another place."""

    code = "store.not_empty"


class Denied(HansardError):
    """The caller's role does not allow this."""

    code = "policy.denied"
    act: str = ""


class Impersonation(Denied):
    """An agent tried to act under another name."""

    code = "policy.impersonation"


class Unauthenticated(Denied):
    """The request has no token, or one that is unknown, revoked or expired. Send one that is good."""

    code = "auth.needed"


class QuotaReached(Conflict):
    """An agent has as much in the project as the settings let it have. A person reviews or raises the limit."""

    code = "guard.quota"


class TooManyWrites(Conflict):
    """An agent writes more often than the settings let it. The message says when to try again."""

    code = "guard.rate"


class Unavailable(HansardError):
    """The store cannot serve right now, through no fault of the request."""

    code = "store.unavailable"
    names_places = True


class StoreBusy(Unavailable):
    """Another process held the database longer than the configured wait. Try again."""

    code = "store.busy"


class StoreFull(Unavailable):
    """The disk is full. Nothing was changed; free some space and try again."""

    code = "store.full"


class StoreUnwritable(Unavailable):
    """The database or its folder cannot be opened or written. Check the path and its permissions."""

    code = "store.unwritable"


class StoreReplaced(Unavailable):
    """The file of the database was moved, deleted or replaced while it was open. Nothing was changed; start again."""

    code = "store.replaced"


class StoreUnreachable(Unavailable):
    """The database server does not answer. Hansard reaches it again by itself; try again."""

    code = "store.unreachable"


class StoreStarting(StoreUnreachable):
    """The database server is starting, recovering or stopping. Hansard waits for it; try again."""

    code = "store.starting"


class ServerUnreachable(Unavailable):
    """The Hansard server does not answer, or not in time. Check the address, and that `hansard serve` runs."""

    code = "server.unreachable"


class StoreCorrupt(Unavailable):
    """The file is damaged or is not a Hansard database. Restore a backup or choose another path."""

    code = "store.corrupt"


class UnreadableRow(StoreCorrupt):
    """A record was changed outside Hansard so that it cannot be read any more. Restore a backup."""

    code = "store.unreadable"


class StoreNewer(Unavailable):
    """The database was written by a newer Hansard. Upgrade this one."""

    code = "store.newer"


class MirrorBusy(Unavailable):
    """Another process writes the files of this folder just now. Try again."""

    code = "mirror.busy"


class ClockDoubtful(Conflict):
    """This machine's clock seems to be far ahead, so that what others still need would be purged. Set it right."""

    code = "purge.clock"


class EmbedderDown(Unavailable):
    """The embedding provider did not answer. Search goes on with keywords; missing vectors are filled in later."""

    code = "embedding.down"


class TextRefused(EmbedderDown):
    """The embedding provider refused the request itself, most likely for one of its texts."""

    code = "embedding.refused"


class GitFailed(HansardError):
    """git could not do what it was asked to. The message has its own words."""

    code = "git.failed"


class CopyDiffers(HansardError):
    """A copy of a project is not the same as the project. Nothing was lost: the source is as it was."""

    code = "copy.differs"


class BackupBroken(HansardError):
    """A backup does not hold what it should, and was not kept or not restored. The message says what is wrong."""

    code = "backup.broken"
