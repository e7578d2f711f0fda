"""Mixed load from several processes, two of which are killed and started again: nothing acknowledged may be lost."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.bar import Bar
from benchmarks.served_load import SERVERS, Servers, answers, done_twice, grant
from benchmarks.servers import running
from hansard import Hansard
from hansard.domain.decisions import Decision
from hansard.domain.errors import Conflict, MirrorBusy, NotFound, TooManyWrites
from hansard.domain.jobs import JobKind
from hansard.domain.mirror import LEDGER
from hansard.domain.vocabulary import Subject
from hansard.project import Project
from hansard.services.limit import MICROSECONDS_PER_MINUTE
from hansard.settings import Settings

PROCESSES = 4
THREADS = 8
KILLED = 2
SECONDS = 60.0
PROJECTS = ("shop", "bank")
WORKS = 3
KINDS = {"memory", "entry", "decision", "session", "run", "job", "served", "hasty", "refused"}
HASTY = "hasty"
"""The agent that all processes write as, more often than the limit lets one agent."""
HASTY_WRITES = 5
WRITES_PER_MINUTE = 12
KEYS_PER_SECOND = 4
"""Whoever asks a server in the same part of a second sends the same request, from whichever process."""
STOP = "stop"
SERVED = "served"
LOOK_SECONDS = 0.05
LEASES_US = (1_000, 500_000)
SETTINGS = Settings(user="ana", store_busy_seconds=30)
LIMITED = SETTINGS._replace(guard_writes_per_minute=WRITES_PER_MINUTE)


class Outcome(NamedTuple):
    """What the processes were promised, and what is missing or twice afterwards."""

    acknowledged: int
    kinds: dict[str, int]
    lost: int
    twice: int
    jobs_twice: int
    unexpected: list[str]
    broken: list[str]
    killed: int
    requests_twice: int
    over_limit: int


def measure(folder: Path) -> Iterator[Bar]:
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    with running(folder) as url:
        yield from bars("PostgreSQL", run(url, folder / "server", SECONDS))
    yield from bars("SQLite", run(str(folder / "load.db"), folder / "file", SECONDS))


def bars(engine: str, outcome: Outcome) -> Iterator[Bar]:
    what = f"{engine}, {PROCESSES} processes × {THREADS} threads × {SECONDS:g} s"
    told = ", ".join(f"{count:,} {kind}" for kind, count in sorted(outcome.kinds.items()))
    yield Bar(f"{what}: acknowledged writes lost", f"{outcome.lost} of {outcome.acknowledged:,}", told, None,
              outcome.lost, "exactly", 0, "writes")  # fmt: skip
    yield Bar(f"{what}: entries promoted twice", str(outcome.twice), f"{outcome.killed} processes killed", None,
              outcome.twice, "exactly", 0, "entries")  # fmt: skip
    yield Bar(f"{what}: jobs done twice", str(outcome.jobs_twice), f"{outcome.kinds.get('job', 0):,} done", None,
              outcome.jobs_twice, "exactly", 0, "jobs")  # fmt: skip
    yield Bar(f"{what}: requests with a key done twice", str(outcome.requests_twice),
              f"{outcome.kinds.get('served', 0):,} answers of {SERVERS} servers, one killed", None,
              outcome.requests_twice, "exactly", 0, "requests")  # fmt: skip
    yield Bar(f"{what}: minutes with more writes of an agent than the limit", str(outcome.over_limit),
              f"{outcome.kinds.get('refused', 0):,} refused", None, outcome.over_limit, "exactly", 0,
              "minutes")  # fmt: skip
    yield Bar(f"{what}: chains that break", "; ".join(outcome.broken) or "none", "", None, len(outcome.broken),
              "exactly", 0, "chains")  # fmt: skip
    yield Bar(f"{what}: unexpected errors", "; ".join(outcome.unexpected[:2]) or "none", "", None,
              len(outcome.unexpected), "exactly", 0, "errors")  # fmt: skip


def run(target: str, folder: Path, seconds: float, *, enough: int | None = None) -> Outcome:
    """Starts the processes, kills some of them a third into the time, starts others, and looks at what is left.

    With `enough`, it does not go by the clock: it kills as soon as every process has acknowledged something, and all
    of them that many writes, and ends after as many more, of every kind and by those that came later too.
    """
    folder.mkdir(parents=True)
    with Hansard.open(target, settings=SETTINGS) as hansard:
        for key in PROJECTS:
            hansard.project(key, create=True)
            (folder / key).mkdir()
        (folder / SERVED).mkdir()
        grant(hansard, folder / SERVED, PROJECTS)
    servers = Servers(target, folder / SERVED)
    try:
        ended, killed = under_load(target, folder, seconds, enough, servers)
    finally:
        stopped = servers.stop()
    return judged(target, folder, ended + stopped, killed)


def under_load(
    target: str, folder: Path, seconds: float, enough: int | None, servers: Servers
) -> tuple[list[str], int]:
    """How the processes ended that should have ended well, and how many were killed."""
    until = time.monotonic() + seconds
    started = [start(target, folder, number, seconds) for number in range(PROCESSES)]
    if enough is None:
        wait(until - seconds * 2 / 3)
    else:
        wait_for(started, lambda: len(told(folder)) >= enough and len(logs(folder)) == PROCESSES)
    for process in started[:KILLED]:
        process.send_signal(signal.SIGKILL)
    servers.kill_one()
    left = max(0.5, until - time.monotonic())
    started += [start(target, folder, PROCESSES + number, left) for number in range(KILLED)]
    servers.announce()
    if enough is not None:
        later = PROCESSES + KILLED
        wait_for(
            started[KILLED:],
            lambda: len(told(folder)) >= 2 * enough and kinds(folder) >= KINDS and len(logs(folder)) == later,
        )
        (folder / STOP).touch()
    codes = [process.wait() for process in started]
    killed = sum(code == -signal.SIGKILL for code in codes)
    ended = [f"process {number} ended with {code}" for number, code in enumerate(codes) if code not in (0, -9)]
    return ended, killed


def wait_for(processes: list[subprocess.Popen[bytes]], is_so: Callable[[], bool]) -> None:
    """Looks until it is so, or until no process is left that could bring it about."""
    while not is_so() and any(process.poll() is None for process in processes):
        wait(time.monotonic() + LOOK_SECONDS)


def logs(folder: Path) -> list[Path]:
    """The logs in which something is acknowledged."""
    return [file for file in sorted(folder.glob("*.log")) if file.stat().st_size]


def told(folder: Path) -> list[str]:
    return [line for file in logs(folder) for line in whole_lines(file)]


def kinds(folder: Path) -> set[str]:
    return {json.loads(line).get("kind", "") for line in told(folder)}


def start(target: str, folder: Path, number: int, seconds: float) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.load",
        target,
        str(folder / f"{number}.log"),
        str(seconds),
        str(number),
    ]
    return subprocess.Popen(command, cwd=Path(__file__).resolve().parent.parent)


def wait(until: float) -> None:
    threading.Event().wait(max(0.0, until - time.monotonic()))


def judged(target: str, folder: Path, ended: list[str], killed: int) -> Outcome:
    lines = [json.loads(line) for file in sorted(folder.glob("*.log")) for line in whole_lines(file)]
    promised = [line for line in lines if "error" not in line]
    unexpected = ended + [line["error"] for line in lines if "error" in line]
    work = Counter((one["project"], one["id"]) for one in promised if one["kind"] == "job")
    records = [one for one in promised if one["kind"] not in ("job", "refused")]
    lost, twice, requests_twice, over_limit, broken = 0, 0, 0, 0, []
    with Hansard.open(target, settings=SETTINGS) as hansard:
        for key in PROJECTS:
            project = hansard.project(key)
            lost += sum(not is_there(project, one) for one in records if one["project"] == key)
            lost += unnoted(hansard, project, work)
            origins = Counter(one.entry_id for one in every_decision(project) if one.entry_id)
            twice += sum(count > 1 for count in origins.values())
            served = [one for one in records if (one["project"], one["kind"]) == (key, "served")]
            requests_twice += done_twice(project, [(one["key"], one["id"]) for one in served])
            over_limit += minutes_over_limit(project)
            unexpected += unmirrored(project, folder / key)
            checked = project.verify()
            if checked.broken:
                broken.append(f"{key} at event {checked.broken.seq}: {checked.broken.problem}")
    kinds = dict(Counter(one["kind"] for one in promised))
    jobs_twice = sum(count > 1 for count in work.values())
    acknowledged = len(promised) - kinds.get("refused", 0)
    return Outcome(acknowledged, kinds, lost, twice, jobs_twice, unexpected, broken, killed, requests_twice, over_limit)


def minutes_over_limit(project: Project) -> int:
    """In how many minutes more was written as the hasty agent than the limit of one agent lets through."""
    minutes: Counter[int] = Counter()
    cursor: str | None = None
    while True:
        page = project.list_memories(agent=HASTY, limit=1000, cursor=cursor)
        minutes.update(one.created_at // MICROSECONDS_PER_MINUTE for one in page.items)
        cursor = page.next_cursor
        if cursor is None:
            return sum(count > WRITES_PER_MINUTE for count in minutes.values())


def unmirrored(project: Project, root: Path) -> list[str]:
    """What is wrong with the files of the project, which processes wrote that were killed meanwhile."""
    report = project.export(root)
    wrong = [f"{project.key}: {one}" for one in (*report.failed, *report.set_aside)]
    lines = (root / LEDGER[Subject.DECISION]).read_text(encoding="utf-8").splitlines()
    known = {one.id for one in every_decision(project)}
    if {json.loads(line)["id"] for line in lines} != known:
        wrong.append(f"{project.key}: the files show other decisions than the record")
    return wrong


def unnoted(hansard: Hansard, project: Project, work: Counter[tuple[str, str]]) -> int:
    """How many pieces of work somebody was told are done, and the store does not know of."""
    with hansard.store.read(project.id) as tx:
        done = {one.subject: one.done_position for one in hansard.store.jobs(tx).all()}
    pieces = [piece.rpartition("/") for key, piece in work if key == project.key]
    return sum(done.get(subject, 0) < int(position) for subject, _, position in pieces)


def whole_lines(file: Path) -> list[str]:
    """The last line of a process that was killed may be half written; it was acknowledged to nobody."""
    return file.read_text(encoding="utf-8").split("\n")[:-1]


def is_there(project: Project, line: dict[str, str]) -> bool:
    get: dict[str, Callable[[str], object]] = {
        "memory": project.get_memory, "entry": project.get_entry, "decision": project.get_decision,
        "session": project.get_session, "run": project.get_run, "served": project.get_run,
        "hasty": project.get_memory,
    }  # fmt: skip
    try:
        get[line["kind"]](line["id"])
    except NotFound:
        return False
    return True


def every_decision(project: Project) -> Iterator[Decision]:
    cursor: str | None = None
    while True:
        page = project.list_decisions(status="all", limit=1000, cursor=cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


class Worker:
    """One process: several threads that write, review and search, and note what was acknowledged."""

    def __init__(self, target: str, log: Path, seconds: float, seed: int) -> None:
        self._target = target
        self._log = log.open("a", encoding="utf-8")
        self._stop = log.parent / STOP
        self._guard = threading.Lock()
        self._seconds = seconds
        self._seed = seed

    def work(self) -> None:
        with (
            Hansard.open(self._target, settings=SETTINGS) as hansard,
            Hansard.open(self._target, settings=LIMITED) as limited,
        ):
            threads = [
                threading.Thread(target=self._thread, args=(hansard, limited, number)) for number in range(THREADS)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self._log.close()

    def _thread(self, hansard: Hansard, limited: Hansard, number: int) -> None:
        chance = random.Random(self._seed * 100 + number)
        projects = [hansard.project(key) for key in PROJECTS]
        until = time.monotonic() + self._seconds
        count = 0
        while time.monotonic() < until and not self._stop.exists():
            count += 1
            project = chance.choice(projects)
            try:
                if chance.random() < 0.03:
                    self._hurry(limited.project(project.key), f"agent-{self._seed}-{number} {count}")
                self._step(project, chance, f"agent-{self._seed}-{number}", count)
            except (Conflict, NotFound, MirrorBusy):
                continue  # Somebody else was first, which is what this is about.
            except Exception as error:  # noqa: BLE001 - whatever it is, the judge is to hear of it
                self._note({"error": f"{type(error).__name__}: {error}"[:300]})

    def _step(self, project: Project, chance: random.Random, agent: str, count: int) -> None:
        step = chance.random()
        if step < 0.35:
            memory = project.remember(f"{agent} saw {count} tractors near gate {chance.randrange(99)}", agent=agent)
            self._done(project, "memory", memory.id)
        elif step < 0.55:
            slug = f"topic-{chance.randrange(40)}"
            entry = project.propose(agent=agent, slug=slug, type="learning", content=f"{agent} says {count}.")
            self._done(project, "entry", entry.id)
        elif step < 0.75:
            waiting = project.list_inbox(limit=20).items
            if waiting:
                self._done(project, "decision", project.merge(chance.choice(waiting).id, by="ana").id)
        elif step < 0.80:
            self._done(project, "session", project.start_session(focus=f"{agent} {count}").id)
        elif step < 0.85:
            started = project.start_run(agent=agent, task="look around")
            self._done(project, "run", started.id)
            project.finish_run(started.id, outcome="completed")
        elif step < 0.90:
            self._job(project, chance, f"{agent} {count}")
        elif step < 0.91:
            report = project.export(self._stop.parent / project.key)
            if report.failed or report.set_aside:
                self._note({"error": f"export: {report.failed + report.set_aside}"[:300]})
        elif step < 0.93:
            self._ask_servers(project, chance)
        elif step < 0.96:
            project.recall(f"tractors near gate {chance.randrange(99)}", agent=agent)
        else:
            project.compile(agent=agent)

    def _ask_servers(self, project: Project, chance: random.Random) -> None:
        key = f"key-{int(time.time() * KEYS_PER_SECOND)}"
        told = answers(self._stop.parent / SERVED, project.key, key, chance)
        for id in told:
            self._note({"project": project.key, "kind": "served", "id": id, "key": key})
        if told:
            project.finish_run(told[0], outcome="completed")

    def _hurry(self, project: Project, where: str) -> None:
        """Several writes at once as an agent that other processes write as too."""
        for number in range(HASTY_WRITES):
            try:
                memory = project.remember(f"{where} hurried past gate {number}", agent=HASTY)
            except TooManyWrites:
                self._done(project, "refused", "")
            else:
                self._done(project, "hasty", memory.id)

    def _job(self, project: Project, chance: random.Random, holder: str) -> None:
        """The next piece of some work. Who takes longer than the lease lasts finds that somebody else has it."""
        store, subject = project.seat().store, f"work-{chance.randrange(WORKS)}"
        with store.write(project.id) as tx:
            lease = store.jobs(tx).take(JobKind.EXPORT, subject, holder, lease_us=chance.choice(LEASES_US))
            job = store.jobs(tx).get(JobKind.EXPORT, subject)
        if lease is None or job is None:
            return
        project.compile(agent=holder.partition(" ")[0])
        with store.write(project.id) as tx:
            store.jobs(tx).finish(lease, job.done_position + 1, lease_us=0)
            store.jobs(tx).release(lease)
        self._done(project, "job", f"{subject}/{job.done_position + 1}")

    def _done(self, project: Project, kind: str, record_id: str) -> None:
        self._note({"project": project.key, "kind": kind, "id": record_id})

    def _note(self, line: dict[str, str]) -> None:
        with self._guard:
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()


if __name__ == "__main__":
    Worker(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])).work()
