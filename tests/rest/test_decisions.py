"""Decisions over REST."""

import pytest

from support.engines import on_sqlite
from support.rest import Client

pytestmark = on_sqlite
DECISION = {"type": "scope", "title": "No billing", "content": "Billing is out of scope."}


def test_a_person_decides_and_finds_it_where_the_answer_says(ana: Client) -> None:
    made = ana.post("/decisions", DECISION | {"tags": ["money"], "applies_to": ["src/billing/**"]})

    assert (made.status, made.json["ref"], made.json["applies_to"]) == (201, "D-1", ["src/billing/**"])
    assert ana.get(made.headers["location"]).json == made.json


def test_an_agent_decides_nothing(tank: Client) -> None:
    assert tank.post("/decisions", DECISION).status == 403


def test_a_change_with_the_version_that_was_read_goes_through_and_an_older_one_does_not(ana: Client) -> None:
    read = ana.post("/decisions", DECISION).headers["etag"]

    changed = ana.patch("/decisions/D-1", {"rationale": "Nobody asked for it."}, If_Match=read)
    stale = ana.patch("/decisions/D-1", {"rationale": "No time."}, If_Match=read)

    assert (changed.status, changed.headers["etag"], changed.json["title"]) == (200, '"2"', "No billing")
    assert (stale.status, stale.json["code"]) == (412, "version.stale")
    assert ana.get("/decisions/D-1").json["rationale"] == "Nobody asked for it."


@pytest.mark.parametrize("tag", ["*", 'W/"1"', "1"])
def test_if_match_is_read_in_every_spelling(ana: Client, tag: str) -> None:
    ana.post("/decisions", DECISION)

    assert ana.patch("/decisions/D-1", {"title": "No payments"}, If_Match=tag).status == 200


def test_an_if_match_that_is_no_version_is_refused(ana: Client) -> None:
    ana.post("/decisions", DECISION)

    assert ana.patch("/decisions/D-1", {"title": "No payments"}, If_Match='"abc"').status == 422


def test_a_decision_is_replaced_by_another_one_and_comes_back(ana: Client) -> None:
    ana.post("/decisions", DECISION)
    new = ana.post("/decisions", DECISION | {"title": "Billing by hand"})

    replaced = ana.post("/decisions/D-1/supersede", {"by": "D-2"})

    assert (replaced.json["status"], replaced.json["superseded_by"]) == ("superseded", new.json["id"])
    assert ana.post("/decisions/D-1/supersede", {"by": "D-2"}).status == 409
    assert ana.post("/decisions/D-1/restore").json["status"] == "active"


def test_a_decision_is_archived(ana: Client) -> None:
    ana.post("/decisions", DECISION)

    assert ana.post("/decisions/D-1/archive").json["status"] == "archived"
    assert ana.get("/decisions").json["items"] == []
    assert [one["ref"] for one in ana.get("/decisions?status=archived").json["items"]] == ["D-1"]


def test_the_history_of_a_decision_shows_versions_and_events(ana: Client) -> None:
    ana.post("/decisions", DECISION)
    ana.patch("/decisions/D-1", {"title": "No payments"})

    told = ana.get("/decisions/D-1/history").json

    assert told["decision"]["title"] == "No payments"
    assert [one["body"]["title"] for one in told["revisions"]] == ["No billing"]
    assert [one["action"] for one in told["events"]] == ["decision.made", "decision.amended"]


def test_decisions_are_listed_as_they_stood(ana: Client) -> None:
    made = ana.post("/decisions", DECISION).json
    ana.patch("/decisions/D-1", {"title": "No payments"})

    then = ana.get(f"/decisions?as_of={made['created_at']}").json["items"]

    assert [one["title"] for one in then] == ["No billing"]


def test_a_decision_that_is_not_there_is_missing(ana: Client) -> None:
    assert ana.get("/decisions/D-9").json["code"] == "decision.unknown"
