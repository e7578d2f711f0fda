"""Thirty-two clients that read and write at once: no error, and nothing lost. The benchmark does it for longer."""

from benchmarks.clients import KEY, hammered

from hansard import Hansard
from hansard.interfaces.server.options import Options
from hansard.settings import Settings
from support.serving import running

CLIENTS = 32
SECONDS = 3.0
SETTINGS = Settings(user="ana", guard_writes_per_minute=0)


def test_many_clients_at_once_see_no_error_and_lose_no_write(target: str) -> None:
    with Hansard.open(target, settings=SETTINGS) as hansard:
        project = hansard.project(KEY, create=True)
        token = hansard.create_token(agent="tank", projects=[KEY])[1]
        with running(hansard, Options(requests_per_second=1_000_000)) as server:
            tally = hammered(server.address, token, clients=CLIENTS, seconds=SECONDS)
        found = set()
        cursor = None
        while True:
            page = project.list_memories(agent="tank", limit=200, cursor=cursor)
            found |= {one.id for one in page.items}
            cursor = page.next_cursor
            if cursor is None:
                break

        assert tally.errors == []
        assert tally.recorded
        assert set(tally.recorded) == found
        assert len(tally.recorded) == len(found)
        assert project.verify().ok
