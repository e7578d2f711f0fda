"""If-Match over REST: honoured by every address that changes one record, and refused by all others."""

from typing import Any, NamedTuple

import pytest

from support.engines import on_sqlite
from support.rest import Client

pytestmark = on_sqlite
DECISION = {"type": "scope", "title": "No billing", "content": "Billing is out of scope."}
STALE = '"7"'


class Change(NamedTuple):
    """A request that changes a record of this caller."""

    method: str
    path: str
    body: Any = None


@pytest.fixture
def records(ana: Client, tank: Client) -> dict[str, str]:
    """One record of each kind that has a version."""
    ana.post("/decisions", DECISION)
    ana.post("/decisions", DECISION | {"title": "Billing by hand"})
    ana.post("/decisions", DECISION | {"title": "No payments"})
    ana.post("/decisions/D-3/archive")
    kept, held, odd = (tank.post("/memories", {"content": f"Fact {n}."}).json["id"] for n in range(3))
    ana.post(f"/guard/quarantine/{held}/hold", {"reason": "odd"})
    ana.post("/sessions", {"focus": "Auth rework"})
    tank.post("/inbox", {"slug": "use-redis", "type": "technical", "content": "Caches live in Redis."})
    run = tank.post("/runs", {"task": "Fix the login"}).json["id"]
    return {"kept": kept, "held": held, "odd": odd, "run": run}


CHANGES = [
    Change("PATCH", "/decisions/D-1", {"rationale": "No time."}),
    Change("POST", "/decisions/D-1/archive"),
    Change("POST", "/decisions/D-1/supersede", {"by": "D-2"}),
    Change("POST", "/decisions/D-3/restore"),
    Change("PATCH", "/memories/{kept}", {"importance": "high"}),
    Change("DELETE", "/memories/{kept}"),
    Change("POST", "/memories/{kept}/share"),
    Change("PATCH", "/sessions/current", {"summary": "The login works."}),
    Change("POST", "/sessions/current/end"),
    Change("POST", "/inbox/P-1/merge"),
    Change("POST", "/inbox/P-1/reject", {"reason": "Not now."}),
    Change("POST", "/runs/{run}/finish", {"outcome": "completed"}),
    Change("POST", "/guard/quarantine/{odd}/hold", {"reason": "odd"}),
    Change("POST", "/guard/quarantine/{held}/release", {"reason": "fine"}),
    Change("POST", "/guard/quarantine/{held}/confirm", {"reason": "true"}),
    Change("POST", "/guard/quarantine/{held}/redact", {"reason": "odd"}),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: f"{one.method} {one.path}")
def test_a_change_of_another_version_is_refused_and_of_this_one_is_made(
    ana: Client, records: dict[str, str], change: Change
) -> None:
    path = change.path.format(**records)
    read = {"D-3": '"2"', records["held"]: '"2"'}
    before = ana.get("/history?limit=1").json

    refused = ana.ask(change.method, path, change.body, If_Match=STALE)

    assert (refused.status, refused.json["code"]) == (412, "version.stale")
    assert ana.get("/history?limit=1").json == before
    fresh = next((tag for name, tag in read.items() if name in path), '"1"')
    assert ana.ask(change.method, path, change.body, If_Match=fresh).status in (200, 201)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/inbox/reject", {"references": ["P-1"]}),
        ("/inbox/merge", {"references": ["P-1"]}),
        ("/memories", {"content": "Uploads time out."}),
        ("/memories/{kept}/rate", {"useful": True}),
    ],
)
def test_an_address_without_one_version_refuses_the_header(
    ana: Client, records: dict[str, str], path: str, body: dict[str, Any]
) -> None:
    before = ana.get("/history?limit=1").json

    refused = ana.post(path.format(**records), body, If_Match=STALE)

    assert (refused.status, refused.json["code"]) == (422, "input.invalid")
    assert "If-Match" in refused.json["detail"]
    assert ana.get("/history?limit=1").json == before
    assert ana.post(path.format(**records), body, If_Match="*").status in (200, 201)


def test_a_bulk_review_names_versions_in_its_references(ana: Client, records: dict[str, str]) -> None:
    assert records

    stale = ana.post("/inbox/reject", {"references": ["P-1@7"]}).json

    assert [one["code"] for one in stale["failed"]] == ["version.stale"]
    assert [one["ref"] for one in ana.post("/inbox/reject", {"references": ["P-1@1"]}).json["rejected"]] == ["P-1"]


def test_what_waits_for_review_has_the_version_that_its_review_may_name(ana: Client, records: dict[str, str]) -> None:
    assert ana.get(f"/guard/quarantine/{records['held']}").headers["etag"] == '"2"'
