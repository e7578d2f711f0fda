"""What was done for a request with an Idempotency-Key is not done again on a copy of its project."""

from collections.abc import Iterator
from contextlib import contextmanager

from contract.test_transfer import SETTINGS, other
from hansard import Hansard
from hansard.services.transfer import Proven
from support.clock import FakeClock
from support.raw import raw
from support.rest import Client, Server

__all__ = ["other"]

NOTE = {"content": "The API needs a Bearer prefix."}


@contextmanager
def moved(hansard: Hansard, other: str, clock: FakeClock, token: str) -> Iterator[Client]:
    """A caller of the copy, with the same token."""
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        assert all(isinstance(one, Proven) for one in hansard.copy_to(there, keys=["shop"]))
        yield Server(there).stranger(token)


def statuses(place: str) -> list[tuple[object, ...]]:
    with raw(place) as connection:
        rows = connection.execute("SELECT status, body IS NULL FROM idempotency_keys ORDER BY started_at")
        return [(status, bool(gone)) for status, gone in rows]


def test_a_request_that_is_repeated_on_the_copy_is_answered_as_before(
    server: Server, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    token = server.token("tank", "agent", ["shop"])
    first = server.stranger(token).post("/memories", NOTE, Idempotency_Key="k-1")

    with moved(hansard, other, clock, token) as there:
        again = there.post("/memories", NOTE, Idempotency_Key="k-1")
        reused = there.post("/memories", {"content": "Something else."}, Idempotency_Key="k-1")

        assert (again.status, again.body, again.headers["idempotent-replayed"]) == (201, first.body, "true")
        assert (reused.status, reused.json["code"]) == (422, "idempotency.reused")
        assert len(there.get("/memories").json["items"]) == 1


def test_requests_that_were_done_since_come_with_the_later_changes(
    server: Server, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    token = server.token("tank", "agent", ["shop"])
    here = server.stranger(token)
    with moved(hansard, other, clock, token):
        pass
    here.post("/memories", NOTE, Idempotency_Key="k-1")
    with moved(hansard, other, clock, token) as there:
        assert there.post("/memories", NOTE, Idempotency_Key="k-1").headers["idempotent-replayed"] == "true"
    # Refused, so that nothing but the key is new.
    refused = here.post("/memories/nothing/share", {}, Idempotency_Key="k-2")
    with moved(hansard, other, clock, token) as there:
        again = there.post("/memories/nothing/share", {}, Idempotency_Key="k-2")
        assert (again.status, again.body) == (refused.status, refused.body) == (404, refused.body)
        assert again.headers["idempotent-replayed"] == "true"


def test_a_request_that_is_being_worked_on_is_left_out(
    server: Server, hansard: Hansard, target: str, other: str, clock: FakeClock
) -> None:
    token = server.token("tank", "agent", ["shop"])
    server.stranger(token).post("/memories", NOTE, Idempotency_Key="k-1")
    with raw(target) as connection:
        connection.execute("UPDATE idempotency_keys SET status = NULL, headers = NULL, body = NULL")

    with moved(hansard, other, clock, token):
        assert statuses(other) == []


def test_answers_go_from_the_copy_when_something_is_forgotten_in_the_source(
    server: Server, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    token = server.token("tank", "agent", ["shop"])
    here = server.stranger(token)
    made = here.post("/memories", NOTE, Idempotency_Key="k-1").json
    with moved(hansard, other, clock, token):
        assert statuses(other) == [(201, False)]
    here.delete(f"/memories/{made['id']}")

    with moved(hansard, other, clock, token) as there:
        assert statuses(other) == [(201, True)]
        gone = there.post("/memories", NOTE, Idempotency_Key="k-1")
        assert (gone.status, gone.json["code"]) == (409, "idempotency.answer_gone")


def test_keys_of_the_copy_itself_stay(server: Server, hansard: Hansard, other: str, clock: FakeClock) -> None:
    token = server.token("tank", "agent", ["shop"])
    with moved(hansard, other, clock, token) as there:
        first = there.post("/memories/nothing/share", {}, Idempotency_Key="k-1")
    server.stranger(token).post("/inbox/nothing/reject", {"reason": "no"}, Idempotency_Key="k-1")

    with moved(hansard, other, clock, token) as there:
        again = there.post("/memories/nothing/share", {}, Idempotency_Key="k-1")
        assert (again.status, again.body) == (404, first.body)
        assert again.headers["idempotent-replayed"] == "true"
