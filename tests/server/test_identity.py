"""Who a caller is over HTTP: the token's agent, in the token's role, in the token's projects, and nobody else."""

from typing import Any

import pytest

from hansard import Hansard
from hansard.interfaces.server import auth
from support.clock import FakeClock
from support.marks import invariant
from support.serving import Running

SHOP = "/api/v1/projects/shop"
PROPOSAL = {"slug": "one-place", "type": "architectural", "content": "All data is in one place."}


@invariant("INV-24")
def test_an_agent_cannot_act_under_another_name_over_http(served: Running) -> None:
    with served.client("tank") as tank:
        forged = [
            tank.post(f"{SHOP}/memories", json={"content": "It was trinity.", "agent": "trinity"}),
            tank.post(f"{SHOP}/inbox", json={**PROPOSAL, "agent": "trinity"}),
            tank.post(f"{SHOP}/runs", json={"agent": "trinity"}),
        ]
        own = tank.post(f"{SHOP}/memories", json={"content": "It was me."})

    assert [one.status_code for one in forged] == [403] * 3
    assert {one.json()["code"] for one in forged} == {"policy.impersonation"}
    assert (own.status_code, own.json()["agent"]) == (201, "tank")
    project = served.hansard.project("shop")
    assert {one.agent for one in project.list_memories().items} == {"tank"}
    assert [one.action for one in project.list_events().items].count("policy.refused") == 3


@invariant("INV-24")
def test_an_agent_cannot_accept_its_own_binding_proposal_over_http(served: Running) -> None:
    with served.client("tank") as tank, served.client("ana", "human") as ana:
        made = tank.post(f"{SHOP}/inbox", json=PROPOSAL)
        assert made.status_code == 201, made.text
        body: dict[str, str] = {}
        refused = tank.post(f"{SHOP}/inbox/one-place/merge", json=body)
        pretended = tank.post(f"{SHOP}/inbox/one-place/merge", json=body, headers={"X-Role": "human", "X-Agent": "ana"})
        accepted = ana.post(f"{SHOP}/inbox/one-place/merge", json=body)

    assert (refused.status_code, refused.json()["code"]) == (403, "policy.denied")
    assert pretended.status_code == 403
    assert accepted.status_code in {200, 201}, accepted.text


def test_a_project_that_the_token_is_not_for_is_as_good_as_missing(served: Running) -> None:
    served.hansard.project("bank", create=True)
    with served.client("tank") as tank, served.client("ana", "human", None) as ana:
        closed, absent = tank.get("/api/v1/projects/bank"), tank.get("/api/v1/projects/nowhere")
        listed = tank.get("/api/v1/projects").json()["items"]
        open_to_all = ana.get("/api/v1/projects/bank")

    assert (closed.status_code, closed.json()["code"]) == (404, "project.unknown")
    assert closed.json() == {**absent.json(), "detail": absent.json()["detail"].replace("nowhere", "bank")}
    assert [one["key"] for one in listed] == ["shop"]
    assert open_to_all.status_code == 200


def test_a_token_for_all_projects_opens_those_made_later(served: Running) -> None:
    with served.client("ana", "human", None) as ana:
        made = ana.post("/api/v1/projects", json={"key": "later"})
        assert made.status_code == 201, made.text
        assert ana.get("/api/v1/projects/later").status_code == 200


def test_a_revoked_token_stops_working(served: Running, hansard: Hansard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "BELIEVED_SECONDS", 0.0)
    with served.client("tank") as tank:
        before = tank.get(SHOP)
        (grant,) = hansard.tokens()
        hansard.revoke_token(grant.id)
        after = tank.get(SHOP)

    assert (before.status_code, after.status_code) == (200, 401)


def test_a_token_past_its_end_stops_working(
    served: Running, hansard: Hansard, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "BELIEVED_SECONDS", 0.0)
    _, text = hansard.create_token(agent="tank", projects=["shop"], expires="1h")
    shown = {"Authorization": f"Bearer {text}"}
    with served.nobody() as nobody:
        before = nobody.get(SHOP, headers=shown)
        clock.advance(seconds=3_601)
        after = nobody.get(SHOP, headers=shown)

    assert (before.status_code, after.status_code) == (200, 401)


def test_a_known_token_is_believed_for_a_moment_only(hansard: Hansard, monkeypatch: pytest.MonkeyPatch) -> None:
    from hansard.domain.tokens import digest_of

    hansard.project("shop", create=True)
    grant, text = hansard.create_token(agent="tank", projects=["shop"])
    callers = auth.Callers(hansard)
    monkeypatch.setattr(auth, "BELIEVED_SECONDS", 3_600.0)
    assert callers.of_digest(digest_of(text)) is not None
    hansard.revoke_token(grant.id)
    assert callers.of_digest(digest_of(text)) is not None, "it is looked up with every request"
    monkeypatch.setattr(auth, "BELIEVED_SECONDS", 0.0)
    assert callers.of_digest(digest_of(text)) is None


@invariant("INV-24")
def test_a_tool_acts_as_the_tokens_agent_and_accepts_no_binding_proposal_of_its_own(served: Running) -> None:
    def call(name: str, **arguments: str) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        answer = tank.post("/mcp/shop", json=body, headers=accepted)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()["result"]
        return result

    accepted = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    with served.client("tank") as tank:
        forged = call("record_memory", content="It was trinity.", agent="trinity")
        made = call("submit_inbox_entry", **PROPOSAL)
        refused = call("merge_inbox_entry", reference="one-place")

    assert not made.get("isError"), made
    assert refused.get("isError"), refused
    assert "policy.denied" in repr(refused)
    project = served.hansard.project("shop")
    assert forged.get("isError"), forged
    assert "policy.impersonation" in repr(forged)
    assert project.list_memories().items == ()
    assert [one.author for one in project.list_inbox().items] == ["tank"]
    assert project.list_decisions().items == ()
