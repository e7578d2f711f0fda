"""Idempotency-Key: what is sent twice is done once, on both engines and over processes."""

import threading
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import AnswerGone, KeyInFlight, KeyReused
from hansard.domain.idempotency import KEPT_SECONDS, WORKED_SECONDS_MAX, KeptAnswer
from hansard.project import Project
from hansard.services import repeat
from hansard.settings import Settings
from support.clock import FakeClock
from support.fakes import fake_secret
from support.marks import invariant
from support.raw import raw
from support.rest import Client, Server

NOTE = {"content": "The API needs a Bearer prefix."}


def test_a_repeated_request_is_answered_with_the_same_bytes_and_done_once(tank: Client) -> None:
    first = tank.post("/memories", NOTE, Idempotency_Key="k-1")
    again = tank.post("/memories", NOTE, Idempotency_Key="k-1")

    assert (again.status, again.body) == (first.status, first.body) == (201, first.body)
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["etag"] == first.headers["etag"]
    assert len(tank.get("/memories").json["items"]) == 1


def test_a_key_with_another_body_is_refused(tank: Client) -> None:
    tank.post("/memories", NOTE, Idempotency_Key="k-1")

    refused = tank.post("/memories", {"content": "Something else."}, Idempotency_Key="k-1")

    assert (refused.status, refused.json["code"]) == (422, "idempotency.reused")


def test_a_key_at_another_address_is_refused(tank: Client) -> None:
    tank.post("/memories", NOTE, Idempotency_Key="k-1")

    assert tank.post("/memories/search", {"query": "Bearer"}, Idempotency_Key="k-1").status == 422


def test_each_caller_has_keys_of_its_own(tank: Client, neo: Client) -> None:
    tank.post("/memories", NOTE, Idempotency_Key="k-1")
    other = neo.post("/memories", {"content": "Something else."}, Idempotency_Key="k-1")

    assert (other.status, other.json["agent"]) == (201, "neo")


def test_a_refusal_is_repeated_in_the_same_words(tank: Client, ana: Client) -> None:
    tank.post("/inbox", {"slug": "scope", "type": "scope", "content": "No billing."})
    first = tank.post("/inbox/P-1/merge", {}, Idempotency_Key="k-1")
    again = tank.post("/inbox/P-1/merge", {}, Idempotency_Key="k-1")

    assert (first.status, again.status, again.body) == (403, 403, first.body)
    assert again.headers["content-type"] == "application/problem+json"


def test_a_malformed_request_is_refused_alike_each_time(tank: Client) -> None:
    assert [tank.post("/memories", {}, Idempotency_Key="k-1").status for _ in range(2)] == [422, 422]


def test_a_project_is_made_once(ana: Client) -> None:
    made = [ana.post("/api/v1/projects", {"key": "mill"}, Idempotency_Key="k-1") for _ in range(2)]

    assert [one.status for one in made] == [201, 201]
    assert made[0].body == made[1].body


def test_a_key_that_is_no_text_line_is_refused(tank: Client) -> None:
    assert tank.post("/memories", NOTE, Idempotency_Key="k" * 256).status == 422


@pytest.mark.parametrize("path", ["/memories", "/memories/search", "/context"])
def test_an_empty_key_is_refused_and_nothing_is_done(tank: Client, path: str) -> None:
    body = {"/memories": NOTE, "/memories/search": {"query": "Bearer"}, "/context": {"task": "Bearer"}}[path]
    refused = tank.post(path, body, Idempotency_Key="")

    assert (refused.status, refused.json["code"]) == (422, "input.invalid")
    assert refused.json["errors"][0]["field"] == "header.Idempotency-Key"
    assert tank.get("/memories").json["items"] == []


def test_a_key_without_a_good_token_is_refused_like_any_request(server: Server) -> None:
    assert server.stranger().post("/memories", NOTE, Idempotency_Key="k-1").status == 401


def test_forgetting_takes_the_words_of_kept_answers_along(tank: Client, hansard: Hansard, project: Project) -> None:
    made = tank.post("/memories", NOTE, Idempotency_Key="k-1")
    tank.delete(f"/memories/{made.json['id']}")

    with hansard.store.read(project.id) as tx:
        (token,) = [one.id for one in hansard.store.tokens(tx).all() if one.agent == "tank"]
        kept = hansard.store.answers(tx).get(token, repeat.kept_key("k-1"))
        assert kept is not None
        assert (kept.digest, kept.headers, kept.body) == (b"", {}, None)


def test_somebody_elses_forgetting_does_not_have_a_request_done_twice(tank: Client, neo: Client) -> None:
    made = tank.post("/memories", NOTE, Idempotency_Key="k-1")
    other = neo.post("/memories", {"content": "Downloads fail above 5 MB."})
    neo.delete(f"/memories/{other.json['id']}")

    again = tank.post("/memories", NOTE, Idempotency_Key="k-1")

    assert (made.status, again.status) == (201, 409)
    assert again.json["code"] == "idempotency.answer_gone"
    assert [one["id"] for one in tank.get("/memories").json["items"]] == [made.json["id"]]


def test_a_request_whose_work_was_done_is_never_done_again(
    hansard: Hansard, project: Project, clock: FakeClock
) -> None:
    """The worker dies after its work and before its answer is kept."""
    dead = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    assert isinstance(dead, repeat.Claim)
    with repeat.working_on(dead):
        project.remember("Uploads fail above 5 MB.", agent="tank")

    with pytest.raises(KeyInFlight):
        repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    clock.advance(seconds=WORKED_SECONDS_MAX)
    with pytest.raises(AnswerGone):
        repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")


def test_what_was_done_is_not_let_go(hansard: Hansard, project: Project, clock: FakeClock) -> None:
    mine = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    assert isinstance(mine, repeat.Claim)
    with repeat.working_on(mine):
        project.remember("Uploads fail above 5 MB.", agent="tank")
    repeat.let_go(hansard.store, mine)
    clock.advance(seconds=WORKED_SECONDS_MAX)

    with pytest.raises(AnswerGone):
        repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")


def test_work_of_another_project_or_of_none_says_nothing_of_the_request(hansard: Hansard, project: Project) -> None:
    mine = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    assert isinstance(mine, repeat.Claim)
    with repeat.working_on(mine):
        hansard.project("other", create=True).remember("Elsewhere.", agent="tank")
        project.list_memories()
    project.remember("Uploads fail above 5 MB.", agent="tank")
    repeat.let_go(hansard.store, mine)

    assert isinstance(repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d"), repeat.Claim)


def test_whoever_has_to_wait_is_told_how_long(tank: Client, hansard: Hansard, project: Project) -> None:
    with hansard.store.read(project.id) as tx:
        (token,) = [one.id for one in hansard.store.tokens(tx).all() if one.agent == "tank"]
    repeat.claim(hansard.store, project.id, caller=token, key="k-1", digest=b"")

    answer = tank.post("/memories", NOTE, Idempotency_Key="k-1")

    assert (answer.status, answer.json["code"]) == (409, "idempotency.in_flight")
    assert answer.headers["retry-after"] == "1"


def test_while_one_is_at_work_the_others_are_told_to_wait(hansard: Hansard, project: Project) -> None:
    mine = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")

    assert isinstance(mine, repeat.Claim)
    with pytest.raises(KeyInFlight):
        repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    with pytest.raises(KeyReused):
        repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"e")


def test_a_request_that_was_let_go_is_a_first_attempt_again(hansard: Hansard, project: Project) -> None:
    mine = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    assert isinstance(mine, repeat.Claim)
    repeat.let_go(hansard.store, mine)

    assert isinstance(repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"e"), repeat.Claim)


def test_a_request_whose_worker_died_is_taken_over_and_the_dead_one_settles_nothing(
    hansard: Hansard, project: Project, clock: FakeClock
) -> None:
    dead = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    clock.advance(seconds=WORKED_SECONDS_MAX)
    mine = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    assert isinstance(dead, repeat.Claim)
    assert isinstance(mine, repeat.Claim)

    repeat.settle(hansard.store, dead, status=500, headers={}, body=b"late")
    repeat.settle(hansard.store, mine, status=201, headers={"etag": '"1"'}, body=b"{}")

    kept = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    assert isinstance(kept, KeptAnswer)
    assert (kept.status, kept.headers, kept.body) == (201, {"etag": '"1"'}, b"{}")


def test_an_answer_is_kept_for_a_day(hansard: Hansard, project: Project, clock: FakeClock) -> None:
    mine = repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"d")
    assert isinstance(mine, repeat.Claim)
    repeat.settle(hansard.store, mine, status=200, headers={}, body=b"{}")
    clock.advance(seconds=KEPT_SECONDS + 1)

    assert isinstance(repeat.claim(hansard.store, project.id, caller="c", key="k", digest=b"other"), repeat.Claim)


def test_of_many_that_claim_a_key_at_once_one_gets_it(target: str, hansard: Hansard, project: Project) -> None:
    """Each thread has a store of its own, as processes have."""
    others = [Hansard.open(target, settings=hansard.settings) for _ in range(4)]
    ready, got, refused = threading.Barrier(len(others)), [], []

    def run(opened: Hansard) -> None:
        ready.wait()
        try:
            got.append(repeat.claim(opened.store, project.id, caller="c", key="k", digest=b"d"))
        except KeyInFlight as error:
            refused.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in others:
        one.close()

    assert (len(got), len(refused)) == (1, 3)


@invariant("INV-20")
def test_a_key_that_is_a_secret_is_not_kept(tank: Client, target: str) -> None:
    key = fake_secret(51)
    assert tank.post("/memories", NOTE, Idempotency_Key=key).status == 201
    assert tank.post("/memories", NOTE, Idempotency_Key=key).headers["idempotent-replayed"] == "true"
    with raw(target) as connection:
        keys = [row[0] for row in connection.execute("SELECT key FROM idempotency_keys")]
    assert keys == [repeat.kept_key(key)]
    assert key not in keys[0]


@invariant("INV-20")
def test_an_answer_that_repeats_a_secret_of_the_request_is_not_kept(ana: Client, project: Project, target: str) -> None:
    secret = fake_secret()
    # Nothing else is repeated as it was given.
    project.allow_secret(secret, reason="printed in the manual", by="ana")
    asked = {"content": f"The manual has {secret}.", "agent": "tank"}
    first = ana.post("/memories", asked, Idempotency_Key="k-1")
    again = ana.post("/memories", asked, Idempotency_Key="k-1")

    assert (first.status, secret in first.json["content"]) == (201, True)
    assert (again.status, again.json["code"]) == (409, "idempotency.answer_gone")
    with raw(target) as database:
        kept = database.execute("SELECT body FROM idempotency_keys").fetchall()
    assert [row[0] for row in kept] == [None]


@pytest.mark.parametrize(
    ("path", "body"),
    [("/memories/search", {"query": "Bearer"}), ("/context", {"task": "Bearer"}), ("/memories/verify", {})],
)
def test_what_only_reads_is_read_again_and_nothing_of_it_is_kept(
    tank: Client, target: str, path: str, body: dict[str, str], tmp_path: Path, hansard: Hansard
) -> None:
    hansard.project("shop", create=True, root=tmp_path)
    first = tank.post(path, body, Idempotency_Key="k-1")
    again = tank.post(path, body, Idempotency_Key="k-1")

    assert first.status == again.status == 200, first.json
    assert "idempotent-replayed" not in again.headers
    with raw(target) as database:
        assert database.execute("SELECT count(*) FROM idempotency_keys").fetchone() == (0,)


@pytest.mark.parametrize("charter", ["You are tank.", "You are tank. " * 2_000], ids=["short", "long"])
def test_a_receipt_is_kept_once_however_long_its_block_is(tank: Client, project: Project, charter: str) -> None:
    project.decide(type="scope", title="No billing", content="Billing is out of scope.", by="ana")
    turn = {"task": "payments", "mode": "child", "charter": charter, "keep": True}
    first = tank.post("/context", turn, Idempotency_Key="k-1")
    again = tank.post("/context", turn, Idempotency_Key="k-1")

    assert (again.status, again.body) == (first.status, first.body) == (200, first.body)
    assert again.headers["idempotent-replayed"] == "true"
    assert len(first.body) > len(charter)
    assert [one["id"] for one in tank.get("/receipts").json["items"]] == [first.json["receipt"]["id"]]


def test_a_key_of_a_kept_receipt_is_refused_for_another_turn(tank: Client, project: Project) -> None:
    project.decide(type="scope", title="No billing", content="Billing is out of scope.", by="ana")
    tank.post("/context", {"task": "payments", "keep": True}, Idempotency_Key="k-1")

    for other in ({"task": "billing", "keep": True}, {"task": "payments"}):
        refused = tank.post("/context", other, Idempotency_Key="k-1")
        assert (refused.status, refused.json["code"]) == (422, "idempotency.reused")


def test_a_turn_that_is_to_be_kept_once_does_not_wait_for_another_writer(target: str) -> None:
    """Whoever waits as the store does, waits for an hour."""
    patient = Settings(user="ana", store_busy_seconds=3_600.0, context_wait_seconds=0.2)
    turn = {"task": "payments", "keep": True}
    with Hansard.open(target, settings=patient) as hansard, Hansard.open(target, settings=patient) as other:
        project = hansard.project("shop", create=True)
        project.decide(type="scope", title="Only payments", content="We build payments.")
        tank = Server(hansard).client("tank", "agent", ["shop"])
        with other.store.write(project.id):
            hurried = tank.post("/context", turn, Idempotency_Key="k-1")
        assert hurried.status == 200
        assert "We build payments." in hurried.json["text"]
        assert hurried.json["receipt"]["id"] is None
        assert "The receipt could not be kept: " in hurried.json["receipt"]["notes"][-1]
        assert tank.get("/receipts").json["items"] == []

        kept = tank.post("/context", turn, Idempotency_Key="k-1")

        assert kept.json["receipt"]["id"] is not None
        assert "idempotent-replayed" not in kept.headers


def test_a_long_answer_of_a_request_that_wrote_nothing_is_not_kept(ana: Client, tank: Client, target: str) -> None:
    asked = {"references": [f"no-such-{number}" + "x" * 100 for number in range(200)], "reason": "No."}
    first = ana.post("/inbox/reject", asked, Idempotency_Key="k-1")
    again = ana.post("/inbox/reject", asked, Idempotency_Key="k-1")

    assert len(first.body) > repeat.IDLE_BYTES_MAX
    assert (again.status, again.body) == (first.status, first.body)
    assert "idempotent-replayed" not in again.headers
    with raw(target) as database:
        assert database.execute("SELECT count(*) FROM idempotency_keys").fetchone() == (0,)
    long = {"items": [{"content": f"Note {number} about uploads."} for number in range(60)]}
    made = tank.post("/memories/batch", long, Idempotency_Key="k-2")
    repeated = tank.post("/memories/batch", long, Idempotency_Key="k-2")

    assert len(made.body) > repeat.IDLE_BYTES_MAX
    assert repeated.headers["idempotent-replayed"] == "true"
