"""A real server on loopback, in a thread of the test, and clients of it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import httpx

from hansard import Hansard
from hansard.interfaces.server.options import Options
from hansard.interfaces.server.serving import Server, bind, server_of

START_SECONDS_MAX = 60


class Running(NamedTuple):
    """A server that answers."""

    address: str
    server: Server
    hansard: Hansard

    def token(self, agent: str = "tank", role: str = "agent", projects: tuple[str, ...] | None = ("shop",)) -> str:
        return self.hansard.create_token(agent=agent, role=role, projects=projects)[1]

    def client(
        self, agent: str = "tank", role: str = "agent", projects: tuple[str, ...] | None = ("shop",)
    ) -> httpx.Client:
        shown = {"Authorization": f"Bearer {self.token(agent, role, projects)}"}
        return httpx.Client(base_url=self.address, headers=shown, timeout=60)

    def nobody(self) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=60)


@contextmanager
def running(hansard: Hansard, options: Options | None = None) -> Iterator[Running]:
    wanted = (options or Options())._replace(port=0)
    up = threading.Event()
    with bind(wanted) as listening:
        server = server_of(hansard, wanted, up.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        assert up.wait(START_SECONDS_MAX), "the server did not start"
        try:
            yield Running(wanted.address(listening.getsockname()[1]), server, hansard)
        finally:
            server.stop()
            thread.join(START_SECONDS_MAX)
            assert not thread.is_alive(), "the server did not stop"
