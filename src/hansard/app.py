"""Owns the composition: the only module that names a back end, and where a Hansard is opened and closed."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from hansard import settings as settings_module
from hansard.clock import Clock, SystemClock
from hansard.domain import text
from hansard.domain.actors import Actor
from hansard.domain.errors import (
    BackupBroken,
    BadSetting,
    Invalid,
    ProjectExists,
    StoreCorrupt,
    UnknownProject,
    UnknownStore,
    clean_messages_with,
)
from hansard.domain.limits import PATH_BYTES_MAX
from hansard.domain.projects import Project as ProjectRecord
from hansard.domain.projects import Root
from hansard.domain.vocabulary import Role
from hansard.index.shelf import Shelf
from hansard.project import Project
from hansard.services import found
from hansard.services.dispatch import Dispatcher, is_on
from hansard.services.seat import Seat, refuse_secret_name
from hansard.settings import Settings
from hansard.workspace import roots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hansard.domain.findings import Finding
    from hansard.domain.tokens import Grant
    from hansard.services.backup import BackedUp, Kept
    from hansard.services.backup import Progress as Bar
    from hansard.services.configure import Policies
    from hansard.services.transfer import Failed, Progress, Proven
    from hansard.store.ports import Store


def _without_secrets(message: str) -> str:
    from hansard.services.admission import safe

    return safe(message)


clean_messages_with(_without_secrets)
MEMORY = ":memory:"
"""The place of a store that no other process can open."""


class Hansard:
    """An open store. Use it as a context manager, or call `close`."""

    def __init__(self, store: Store, settings: Settings, place: str = MEMORY) -> None:
        self.store = store
        self.place = place
        """Where it is: the path of the file, or the address of the server."""
        self.settings = settings
        self.shelf = Shelf(store, settings)
        self.dispatcher = Dispatcher(store, place, settings)
        self._policies: Policies | None = None

    @classmethod
    def open(
        cls,
        target: str | Path | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        must_exist: bool = False,
        as_is: bool = False,
        token: str | None = None,
    ) -> Self:
        """Opens the database at a path, `:memory:`, one on a server at `postgresql://…`, or the configured one.

        One that is missing is made, unless it must exist: a mistyped path then leaves nothing behind. With `as_is` it
        must exist, and is not brought up to date: of an older one `doctor` examines what it can. At `http://…` or
        `https://…` a Hansard serves, and the result is its client; `token` or HANSARD_TOKEN says who acts.
        """
        if isinstance(target, str) and target.partition("://")[0].lower() in {"http", "https"}:
            from hansard.client import Client

            return cast("Self", Client.open(target, settings=settings, clock=clock, token=token))
        if token is not None:
            raise Invalid("A token is for a server at http://… or https://…; a database takes none.")
        chosen, place = _chosen(target, settings)
        store = _open_store(place, chosen, clock or SystemClock(), must_exist=must_exist or as_is, as_is=as_is)
        # The working directory may be another one when somebody else has to find the file.
        return cls(store, chosen, place if "://" in place or place == MEMORY else os.path.abspath(place))  # noqa: PTH100

    def project(
        self,
        key: str | None = None,
        *,
        create: bool = False,
        root: str | Path | None = None,
        name: str | None = None,
        actor: Actor | None = None,
        cwd: str | Path | None = None,
    ) -> Project:
        """The project with this key, or the one of the working directory.

        With `create`, a missing project is made; `root` is the folder that belongs to it. With `actor`, everything
        done through the result is done by that actor and judged by the policy.
        """
        for name_, value in (("root", root), ("cwd", cwd)):
            if value is not None and not isinstance(value, str | Path):
                raise Invalid(f"{name_} must be a path, not {type(value).__name__}.")
        if actor is not None and not isinstance(actor, Actor):
            raise Invalid("actor must be an Actor, such as Actor('tank', role='agent').")
        if actor is not None:
            refuse_secret_name(actor.name)
        place = None if root is None else self._root(roots.root_of(Path(root)))
        if key is None:
            start = Path(cwd) if cwd is not None else roots.working_directory()
            record = self._of_directory(start, create=create, name=name, actor=actor)
        else:
            record = self._of_key(key, create=create, place=place, name=name, actor=actor)
        settings = self.settings if self._policies is None else self._policies.of(record)
        return Project(self.store, record, settings, self.shelf, actor, self.dispatcher.note)

    def follow_policies(self) -> None:
        """From now on each project is opened under what its own files say of the guard at that time."""
        from hansard.services.configure import Policies
        from hansard.settings import unguarded

        self._policies = Policies(unguarded(self.settings), self.roots)

    def begin(
        self, start: Path, *, key: str | None, name: str | None, join: bool, actor: Actor | None = None
    ) -> ProjectRecord:
        """Makes the folder a new project, named after itself unless a key is given, or adds it to an existing one.

        Without a key, a folder with records of a project of this store is refused: it is a clone that is to join.
        """
        from hansard.services.find_shared import refuse_second, refuse_stray

        if not start.is_dir():
            raise Invalid(f"{start} is not a folder.")
        place = roots.root_of(start)
        chosen = key if key is not None else place.name or "project"
        founder = actor or self._founder()
        if join:
            refuse_stray(self.store, founder, chosen, place)
            return found.join(self.store, founder, key=chosen, root=self._root(place))
        if key is None:
            refuse_second(self.store, founder, place)
        return found.found(self.store, founder, key=chosen, name=name, root=self._root(place))

    def projects(self) -> tuple[ProjectRecord, ...]:
        return found.list_projects(self.store)

    def roots(self, project: ProjectRecord) -> tuple[str, ...]:
        """The project's folders on this machine."""
        machine = self._machine()
        return tuple(root.path for root in found.roots_of(self.store, project) if root.machine == machine)

    def create_token(
        self,
        *,
        agent: str,
        role: str = Role.AGENT,
        projects: Sequence[str] | None = None,
        expires: str | None = None,
        actor: Actor | None = None,
    ) -> tuple[Grant, str]:
        """Makes a token for the server, and returns what it opens and its text, which is kept nowhere.

        It acts as this agent in this role, in these projects or in all; `expires` is such as `90d`.
        """
        from hansard.services import grant

        by = actor or self._founder()
        return grant.grant(self.store, by, agent=agent, role=role, projects=projects, expires=expires)

    def tokens(self, *, actor: Actor | None = None) -> tuple[Grant, ...]:
        from hansard.services import grant

        return grant.list_grants(self.store, actor or self._founder())

    def revoke_token(self, token_id: str, *, actor: Actor | None = None) -> Grant:
        from hansard.services import grant

        return grant.revoke(self.store, actor or self._founder(), token_id)

    def copy_to(
        self, other: Hansard, *, keys: Iterable[str] = (), progress: Progress | None = None
    ) -> Iterator[Proven | Failed]:
        """Copies projects into another store, all of them or those with these keys, and proves each copy.

        Every project is verified, then copied whole, in one transaction; what was copied before is only proven again.
        One that cannot be copied, or is not the same there, is told as Failed and does not stop the others.
        """
        from hansard.services import transfer

        if _are_one(self.store, other.store):
            raise Invalid("Source and target are the same database.")
        for record in [found.find(self.store, key) for key in keys] or found.list_projects(self.store):
            ours, theirs = (_seats(one, [record])[0] for one in (self, other))
            yield transfer.move(ours, theirs, progress=progress)

    def backup(self, path: str | Path, *, replace: bool = False, progress: Bar | None = None) -> BackedUp:
        """Writes everything that the store holds now to one file, while others write, and verifies the file.

        The file restores into either engine. One that cannot be verified is not kept.
        """
        from hansard.services import backup

        file = _path(path, "backup").absolute()
        self.shelf.flush_all()
        with backup.in_place(file, replace=replace) as temporary:
            rows = self.store.save_to(str(temporary), backup.counting(progress, "copying"))
            with Hansard.open(temporary, settings=self.settings) as copy:
                if rows is None:
                    rows = backup.copy_projects(self.store, copy.store, progress)
                backup.refuse_faulty(copy.store, what="The database", advice=backup.SEE_DOCTOR)
                kept = backup.prove(_seats(copy), rows, progress, advice=backup.SEE_DOCTOR)
            _sealed(temporary, self.settings)
        return backup.BackedUp(str(file), file.stat().st_size, kept, self.settings.portable())

    @classmethod
    def restore(
        cls,
        path: str | Path,
        target: str | Path | None = None,
        *,
        settings: Settings | None = None,
        progress: Bar | None = None,
    ) -> BackedUp:
        """Brings everything that a backup holds into an empty place: a new file, or a store without a project.

        A new file is there whole or not at all. A store gets project after project, each whole; interrupted, it goes
        on when called again. The backup itself is only read.
        """
        from hansard.services import backup

        archive = _path(path, "backup")
        backup.refuse_unreadable(archive)
        chosen, place = _chosen(target, settings)
        if not _is_address(place) and backup.is_missing(Path(place)):
            with backup.in_place(Path(place).absolute()) as temporary:
                kept = cls._unpacked(archive, temporary, chosen, progress)
            return backup.BackedUp(place, Path(place).stat().st_size, kept, _archived(archive))
        shown = str(settings_module.printable(settings_module.BY_NAME["db"], place))
        with backup.scratch("hansard-restore-") as folder:
            unpacked = folder / "archive.db"
            cls._unpacked(archive, unpacked, chosen, progress)
            with cls.open(unpacked, settings=chosen) as ours, cls.open(place, settings=chosen) as theirs:
                backup.refuse_faulty(theirs.store, what="The database", advice=backup.SEE_DOCTOR)
                backup.move_in(ours.store, theirs.store, shown, progress)
                kept = backup.prove(_seats(theirs), {}, progress, advice=backup.SEE_DOCTOR)
        return backup.BackedUp(shown, None, kept, _archived(archive))

    @classmethod
    def _unpacked(cls, archive: Path, to: Path, settings: Settings, progress: Bar | None) -> tuple[Kept, ...]:
        """Copies the backup to a new file, brings it up to date and verifies it."""
        from hansard.services import backup
        from hansard.store.sqlite.store import load_archive

        try:
            rows = load_archive(str(archive), str(to), backup.counting(progress, "copying"))
            with cls.open(to, settings=settings) as copy:
                backup.refuse_faulty(copy.store, what=f"The backup {archive}", advice=backup.USE_ANOTHER)
                return backup.prove(_seats(copy), rows, progress, advice=backup.USE_ANOTHER)
        except StoreCorrupt as error:
            raise BackupBroken(f"{archive} is damaged, or no backup of Hansard. {backup.USE_ANOTHER}") from error

    def doctor(
        self, keys: Iterable[str] | None = None, *, full: bool = False, progress: Bar | None = None
    ) -> tuple[Finding, ...]:
        """Examines the store and its projects, all of them or those with these keys."""
        from hansard.services import doctor

        def seats() -> list[Seat]:
            return _seats(self, None if keys is None else [found.find(self.store, key) for key in keys])

        return doctor.examine(self.store, self.settings, seats, full=full, progress=progress)

    def close(self) -> None:
        """Ends everything that this process does with the store. The mirror follows in a process of its own."""
        self.dispatcher.close()
        self.shelf.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _of_key(
        self, key: str, *, create: bool, place: Root | None, name: str | None, actor: Actor | None
    ) -> ProjectRecord:
        founder = actor or self._founder()
        try:
            record = found.find(self.store, key)
        except UnknownProject:
            if not create:
                raise
            try:
                return found.found(self.store, founder, key=key, name=name, root=place)
            except ProjectExists as taken:
                # Another process may have been first; then its project is the one meant.
                try:
                    record = found.find(self.store, key)
                except UnknownProject:
                    raise taken from None
        if create and place is not None and found.find_by_root(self.store, place) != record:
            found.join(self.store, founder, key=record.key, root=place)
        return record

    def _of_directory(self, start: Path, *, create: bool, name: str | None, actor: Actor | None) -> ProjectRecord:
        record = self._registered(start)
        if record is not None:
            return record
        place = roots.root_of(start)
        if create:
            try:
                return self.begin(start, key=None, name=name, join=False, actor=actor)
            except ProjectExists:
                # The folder's name may be taken by another project, or another process registered the folder.
                record = self._registered(start)
                if record is None:
                    raise
                return record
        raise UnknownProject(
            f"No project is known for {place}. Run `hansard init` there, or `hansard init --project KEY --join` if"
            " `hansard projects` lists it already; or name one with --project."
        )

    def _registered(self, start: Path) -> ProjectRecord | None:
        known = (found.find_by_root(self.store, self._root(folder)) for folder in roots.candidates(start))
        return next((record for record in known if record is not None), None)

    def _founder(self) -> Actor:
        return _person(self.settings)

    def _root(self, folder: Path) -> Root:
        return Root(self._machine(), str(folder))

    def _machine(self) -> str:
        return roots.machine_id(settings_module.data_folder())


def _chosen(target: str | Path | None, settings: Settings | None) -> tuple[Settings, str]:
    """The settings in force, and where the store is by them or by the caller's own word."""
    if settings is not None and not isinstance(settings, Settings):
        raise Invalid("settings must be Settings, such as settings.load() gives.")
    if target is not None and not isinstance(target, str | Path):
        raise Invalid(f"db must be a path, not {type(target).__name__}.")
    chosen = settings or settings_module.load()
    place = str(target) if target is not None else chosen.db or settings_module.default_database()
    place = text.line(place, field="db", bytes_max=PATH_BYTES_MAX)
    _refuse_hidden(place)
    return chosen, place


def _refuse_hidden(place: str) -> None:
    """Refuses what would be a path only because it is no address that can be read: it may hold a password.

    It would become the name of a file, and be shown in every message about it.
    """
    if not any(mark in place for mark in ("=", "@", "//")) or _is_server(place) or os.path.exists(place):  # noqa: PTH110
        return
    from hansard.domain.places import is_parameter_list, lacks_colon, printable

    if is_parameter_list(place) or lacks_colon(place) or ("://" not in place and printable(place) != place):
        raise Invalid("db is no path and no address. Give a server's as postgresql://user@host:5432/database.")


def _person(settings: Settings) -> Actor:
    return Actor(settings.user or settings_module.login_name(), Role.HUMAN)


def _seats(opened: Hansard, records: Iterable[ProjectRecord] | None = None) -> list[Seat]:
    """The local user's seats at these projects, or at all of them."""
    chosen = found.list_projects(opened.store) if records is None else records
    person = _person(opened.settings)
    return [Seat(opened.store, one, person, opened.settings, opened.shelf, opened.dispatcher.note) for one in chosen]


def follows_files(settings: Settings) -> bool:
    """Whether changes of the configured store go to files by themselves; a server sees to that in its own threads."""
    _, place = _chosen(None, settings)
    return is_on(place, settings)


def same_database(one: str, other: str) -> bool:
    """Whether two places are one file, however they are spelt, or one address.

    Two addresses may lead to one server and one to two; only servers can tell, once both are open.
    """
    if _is_server(one) or _is_server(other):
        return one == other
    try:
        return one == other or Path(one).samefile(other)
    except OSError:
        return Path(one).absolute() == Path(other).absolute()


def _are_one(one: Store, other: Store) -> bool:
    """Whether two open stores are one database of a server."""
    try:
        from hansard.store.postgres.store import PostgresStore
    except ModuleNotFoundError:
        return False
    return isinstance(one, PostgresStore) and isinstance(other, PostgresStore) and one.is_same(other)


def _is_server(place: str) -> bool:
    return place.partition(":")[0].lower() in {"postgresql", "postgres"}


def _path(path: str | Path, field: str) -> Path:
    if not isinstance(path, str | Path):
        raise Invalid(f"{field} must be a path, not {type(path).__name__}.")
    return Path(text.line(str(path), field=field, bytes_max=PATH_BYTES_MAX))


def _is_address(place: str) -> bool:
    """Whether a backup would be restored into something that is no file."""
    if place == MEMORY:
        raise Invalid("A backup is restored into a file or a server; :memory: would be gone at once.")
    return "://" in place or place.startswith("file:")


def _sealed(path: Path, settings: Settings) -> None:
    from hansard.store.sqlite.store import seal_archive

    seal_archive(str(path), settings.portable())


def _archived(archive: Path) -> dict[str, str]:
    """The settings in a backup, as far as this Hansard has them and takes them."""
    from hansard.store.sqlite.store import archived_settings

    found: dict[str, str] = {}
    for name, value in archived_settings(str(archive)).items():
        with suppress(BadSetting):
            setting = settings_module.known(name, "the backup")
            if name not in settings_module.OWN and not setting.secret:
                found[name] = str(settings_module.converted(setting, value, "the backup"))
    return found


def _open_store(place: str, settings: Settings, clock: Clock, *, must_exist: bool, as_is: bool) -> Store:
    scheme = place.strip().partition(":")[0].lower()
    if _is_server(place):
        return _open_server(place, settings, clock, must_exist=must_exist, as_is=as_is)
    if "://" in place or scheme == "file":
        named = f"{scheme}://" if scheme.replace("+", "").isalpha() else "such an address"
        raise Invalid(f"A database at {named} is not supported; give the path of a file, or postgresql://….")
    if must_exist and not Path(place).exists():
        raise UnknownStore(f"There is no database at {place}. Run `hansard init` first.")
    if must_exist and Path(place).is_file() and not Path(place).stat().st_size:
        raise UnknownStore(f"{place} is empty and no database. `hansard init` makes it one.")
    from hansard.store.sqlite.store import SqliteStore

    return SqliteStore(place, clock=clock, busy_seconds=settings.store_busy_seconds, as_is=as_is)


def _open_server(url: str, settings: Settings, clock: Clock, *, must_exist: bool, as_is: bool) -> Store:
    try:
        from hansard.store.postgres.store import PostgresStore
    except ModuleNotFoundError as missing:
        raise Invalid(
            f"PostgreSQL needs the package {missing.name}; install Hansard with its extra: `pip install '.[postgres]'`."
        ) from missing
    return PostgresStore(
        url,
        clock=clock,
        busy_seconds=settings.store_busy_seconds,
        connections_max=settings.store_connections_max,
        answer_seconds=settings.answer_seconds,
        must_exist=must_exist,
        as_is=as_is,
    )


def keyword_search(texts: Sequence[str]) -> Callable[[Sequence[str], int], list[int]]:
    """Plain keyword search of texts, as an engine has it: what recall is measured against."""
    from hansard.store.sqlite import keywords

    return keywords.keyword_search(texts)
