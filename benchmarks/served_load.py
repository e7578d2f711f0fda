"""The part of the load that goes through `hansard serve`: requests sent several times, to servers that are killed."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from hansard import Hansard
from hansard.domain.runs import Run
from hansard.project import Project

SERVERS = 2
TRIES = 20
ANSWERS = 2
"""How often one worker wants a request answered; others may send the same one at the same time."""
PAUSE_SECONDS = 0.05
ASK_SECONDS_MAX = 30
STOP_SECONDS_MAX = 60
TASK = "served "
TOKEN = "token"
CREATED = 201
AGAIN = {409, 429, 503}
"""Somebody works on it, or cannot just now."""


class Servers:
    """`hansard serve`, several times on one database. Each says in a file where it is, for the workers to read."""

    def __init__(self, target: str, folder: Path) -> None:
        self._target = target
        self._folder = folder
        self._killed: list[subprocess.Popen[str]] = []
        self._running = [self._start(number) for number in range(SERVERS)]
        try:
            for number in range(SERVERS):
                self.announce(number)
        except BaseException:
            self.stop()
            raise

    def kill_one(self) -> None:
        """Kills the first and starts another one in its place. It is to be announced, for its address is another."""
        self._running[0].send_signal(signal.SIGKILL)
        self._killed.append(self._running[0])
        self._running[0] = self._start(0)

    def announce(self, number: int = 0) -> None:
        """Waits until the server is there and says where it is."""
        told = self._running[number].stdout
        assert told is not None, "it is started with a pipe"
        fresh = self._folder / f"{number}.fresh"
        fresh.write_text(json.loads(told.readline())["address"], encoding="utf-8")
        # In one step: a worker may be reading it.
        fresh.rename(self._folder / f"{number}.address")

    def stop(self) -> list[str]:
        """What is to be said of how they ended."""
        for process in self._running:
            process.send_signal(signal.SIGTERM)
        for process in (*self._running, *self._killed):
            process.communicate(timeout=STOP_SECONDS_MAX)
        codes = [process.returncode for process in self._running]
        return [f"server {number} ended with {code}" for number, code in enumerate(codes) if code]

    def _start(self, number: int) -> subprocess.Popen[str]:
        command = [
            sys.executable, "-m", "hansard", "--db", self._target, "serve", "--port", "0", "--json",
            "--rate", "1000000", "--connections-per-address", "0",
        ]  # fmt: skip
        with (self._folder / f"{number}.errors").open("a", encoding="utf-8") as errors:
            return subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env=os.environ | {"HANSARD_USER": "ana"}
            )


def grant(hansard: Hansard, folder: Path, projects: tuple[str, ...]) -> None:
    """Leaves a token for the workers, all of them the same: an Idempotency-Key belongs to its token."""
    (folder / TOKEN).write_text(hansard.create_token(agent="tank", projects=projects)[1], encoding="utf-8")


def answers(folder: Path, project: str, key: str, chance: random.Random) -> list[str]:
    """The ids that a request was answered with. It asks for a new run, of which there would be two if done twice."""
    token = (folder / TOKEN).read_text(encoding="utf-8")
    ids: list[str] = []
    for _ in range(TRIES):
        address = (folder / f"{chance.randrange(SERVERS)}.address").read_text(encoding="utf-8")
        try:
            status, said = _sent(address, token, project, key)
        except (OSError, HTTPException, ValueError):
            # That server was killed before the answer was whole, so nobody knows whether it is done.
            status, said = 503, {}
        if status == CREATED:
            ids.append(said["id"])
            if len(ids) == ANSWERS:
                break
        elif status in AGAIN:
            threading.Event().wait(PAUSE_SECONDS)
        else:
            raise AssertionError(f"a server answered {status}: {said}")
    return ids


def done_twice(project: Project, answered: list[tuple[str, str]]) -> int:
    """How many keys have more than one run in the record, or were answered with more than one."""
    made = Counter(one.task for one in _runs(project) if one.task and one.task.startswith(TASK))
    told = Counter(TASK + key for key, _ in set(answered))
    return sum(max(made[task], told[task]) > 1 for task in made.keys() | told.keys())


def _runs(project: Project) -> Iterator[Run]:
    cursor: str | None = None
    while True:
        page = project.list_runs(limit=1000, cursor=cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _sent(address: str, token: str, project: str, key: str) -> tuple[int, dict[str, str]]:
    connection = HTTPConnection(address.removeprefix("http://"), timeout=ASK_SECONDS_MAX)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": key}
    try:
        connection.request("POST", f"/api/v1/projects/{project}/runs", json.dumps({"task": TASK + key}), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()
