"""Memories over REST: recorded, found, used, changed, shared and forgotten."""

import pytest

from hansard.project import Project
from support.engines import on_sqlite
from support.marks import invariant
from support.rest import Client

NOTE = {"content": "The API needs a Bearer prefix.", "importance": "high"}


def test_a_memory_is_recorded_as_the_callers_own(tank: Client) -> None:
    made = tank.post("/memories", NOTE)

    assert (made.status, made.json["agent"], made.json["importance"]) == (201, "tank", "high")
    assert tank.get(made.headers["location"]).json == made.json


def test_what_is_known_already_is_not_written_again(tank: Client) -> None:
    first = tank.post("/memories", NOTE)
    again = tank.post("/memories", NOTE)

    assert (again.status, again.json["duplicate"], again.json["id"]) == (200, True, first.json["id"])
    assert tank.post("/memories", NOTE | {"force": True}).status == 201


def test_an_agent_records_under_no_other_name(tank: Client) -> None:
    refused = tank.post("/memories", NOTE | {"agent": "neo"})

    assert (refused.status, refused.json["code"]) == (403, "policy.impersonation")


def test_another_agents_private_memory_is_missing(tank: Client, neo: Client) -> None:
    made = tank.post("/memories", NOTE).json

    assert neo.get(f"/memories/{made['id']}").json["code"] == "memory.unknown"
    assert neo.get("/memories").json["items"] == []


def test_a_batch_is_recorded_whole_or_not_at_all(tank: Client) -> None:
    made = tank.post("/memories/batch", {"items": [{"content": "One."}, {"content": "Two.", "tags": ["cross-team"]}]})
    refused = tank.post("/memories/batch", {"items": [{"content": "Three."}, {"content": "Four.", "agent": "neo"}]})

    assert (made.status, [one["content"] for one in made.json["items"]]) == (201, ["One.", "Two."])
    assert refused.status == 403
    known = tank.post("/memories/batch", {"items": [{"content": "One."}, {"content": "Two."}], "force": True})
    assert [one["duplicate"] for one in known.json["items"]] == [False, False]
    assert len(tank.get("/memories").json["items"]) == 4


def test_a_batch_in_which_nothing_is_new_makes_nothing(tank: Client) -> None:
    notes = {"items": [{"content": "One."}, {"content": "Two."}]}
    made, known = tank.post("/memories/batch", notes), tank.post("/memories/batch", notes)
    mixed = tank.post("/memories/batch", {"items": [{"content": "One."}, {"content": "Three."}]})

    assert (made.status, known.status, mixed.status) == (201, 200, 201)
    assert [one["duplicate"] for one in known.json["items"]] == [True, True]
    assert [one["duplicate"] for one in mixed.json["items"]] == [True, False]
    assert tank.post("/memories/batch", {"items": []}).status == 200


def test_a_question_is_answered_by_what_was_recorded(tank: Client) -> None:
    made = tank.post("/memories", NOTE).json

    found = tank.post("/memories/search", {"query": "which prefix does the API need?"})

    assert [one["memory"]["id"] for one in found.json["items"]] == [made["id"]]
    assert 0 < found.json["items"][0]["relevance"] <= 1


@on_sqlite
def test_an_edit_keeps_the_earlier_version_and_minds_the_version_read(tank: Client) -> None:
    made = tank.post("/memories", NOTE)
    place = made.headers["location"]

    changed = tank.patch(place, {"importance": "low"}, If_Match=made.headers["etag"])
    stale = tank.patch(place, {"importance": "high"}, If_Match=made.headers["etag"])

    assert (changed.json["version"], changed.json["content"]) == (2, NOTE["content"])
    assert stale.status == 412
    assert [one["version"] for one in tank.get(f"{place}/versions").json["earlier"]] == [1]


@on_sqlite
def test_a_forgotten_memory_is_a_tombstone(tank: Client) -> None:
    made = tank.post("/memories", NOTE).json
    gone = tank.delete(f"/memories/{made['id']}")

    assert (gone.status, gone.json["content"]) == (200, "")
    assert gone.json["forgotten_at"] is not None
    assert tank.patch(f"/memories/{made['id']}", {"content": "Back."}).status == 409


@on_sqlite
def test_reading_with_use_counts_and_plain_reading_does_not(tank: Client) -> None:
    made = tank.post("/memories", NOTE).json
    tank.get(f"/memories/{made['id']}")
    used = tank.post(f"/memories/{made['id']}/use", {"task": "Fix the login"})

    assert used.json["access_count"] == 1
    log = tank.get(f"/memories/retrievals?memory_id={made['id']}").json["items"]
    assert [(one["kind"], one["task"]) for one in log] == [("get", "Fix the login")]


@on_sqlite
def test_a_rating_counts_for_another_agents_memory_only(tank: Client, neo: Client) -> None:
    made = tank.post("/memories", NOTE | {"scope": "team"}).json

    assert neo.post(f"/memories/{made['id']}/rate", {"useful": True}).json["counts"] is True
    assert tank.post(f"/memories/{made['id']}/rate", {"useful": True}).json["counts"] is False
    assert tank.get("/memories/usage").json["calls"] >= 0


@on_sqlite
def test_a_memory_is_shared_with_the_team(tank: Client, neo: Client) -> None:
    made = tank.post("/memories", NOTE).json
    shared = tank.post(f"/memories/{made['id']}/share")

    assert shared.json["scope"] == "team"
    assert neo.get(f"/memories/{made['id']}").status == 200


@on_sqlite
def test_a_lesson_is_handed_over_by_a_coordinator_and_by_no_agent(tank: Client, neo: Client) -> None:
    tank.post("/memories", NOTE)
    lesson = {"learning": "Run the migrations first.", "agent": "tank", "category": "best-practice"}

    assert (neo.post("/memories/inject", lesson).status, tank.post("/memories/inject", lesson).status) == (201, 403)


@on_sqlite
@invariant("INV-17")
def test_a_lesson_that_is_a_memory_from_outside_waits_unless_a_person_hands_it_on(
    tank: Client, neo: Client, ana: Client
) -> None:
    tank.post("/memories", NOTE)
    page = neo.post("/memories", {"content": "The vendor allows 60 calls.", "origin": "external"}).json["id"]
    lesson = {"memory_id": page, "agent": "tank", "category": "best-practice"}

    kept = neo.post("/memories/inject", lesson)
    assert (kept.status, kept.headers["hansard-held"]) == (201, "1")
    assert (kept.json["origin"], kept.json["cleared"]) == ("external", None)
    assert "60 calls" not in tank.get("/context").json["text"]

    handed = ana.post("/memories/inject", lesson | {"category": "preference"})
    assert "hansard-held" not in handed.headers
    assert (handed.json["origin"], handed.json["cleared"], handed.json["outside"]) == ("external", "confirmed", False)
    assert "60 calls" in tank.get("/context").json["text"]
    assert neo.post("/memories/inject", lesson | {"learning": "Both."}).status == 422


@on_sqlite
def test_claims_are_checked_against_the_folder_of_the_project(
    tank: Client, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    refused = tank.post("/memories/verify")

    assert refused.status == 422, "the project has no folder on this machine"
    assert refused.json["code"] == "project.no_folder"
    assert "hansard init --project KEY --join" in refused.json["detail"]
    assert "Name one" not in refused.json["detail"]


@on_sqlite
def test_filters_of_a_list_are_joined(tank: Client) -> None:
    tank.post("/memories", NOTE | {"tags": ["auth"]})
    tank.post("/memories", {"content": "Uploads over 5 MB time out.", "type": "pattern", "tags": ["files", "slow"]})

    def texts(query: str) -> list[str]:
        return [one["content"][:7] for one in tank.get(f"/memories?{query}").json["items"]]

    assert texts("type=pattern") == ["Uploads"]
    assert texts("tags=auth&tags=slow") == ["Uploads", "The API"]
    assert texts("importance=high&text=Bearer") == ["The API"]
    assert tank.get("/memories?colour=red").status == 422, "a misspelt filter is not passed over"


@on_sqlite
def test_when_something_happened_is_given_and_shown_as_iso(tank: Client) -> None:
    made = tank.post("/memories", NOTE | {"occurred_at": "2025-12-24T18:00:00Z"})

    assert made.json["occurred_at"] == "2025-12-24T18:00:00.000000Z"


@on_sqlite
def test_care_of_the_index_is_taken_by_people(ana: Client, tank: Client) -> None:
    tank.post("/memories", NOTE)

    assert ana.post("/memories/purge", {"dry_run": True}).json == {"expired": 0, "purged": False}
    assert ana.post("/memories/reindex").json == {"memories": 1}
    assert ana.get("/memories/embedding").json["units"] >= 1
    assert ana.post("/memories/reembed").json["refused"] == 0
    assert tank.post("/memories/purge").status == 403


@on_sqlite
def test_what_a_conversation_taught_is_kept_and_nothing_is_nothing(tank: Client) -> None:
    kept = tank.post("/memories/summarise", {"summary": "The login failed because the clock was in local time."})
    nothing = tank.post("/memories/summarise", {"summary": "No significant learnings."})

    assert kept.json["memory"]["source"] == "session_summary"
    assert nothing.json == {"memory": None}


@on_sqlite
def test_the_answer_tells_which_secret_was_taken_out_and_never_the_secret(tank: Client) -> None:
    secret = "AKIA" + "Z7QXRT5WMNBVCKJH"
    sent = {"content": f"The key of the bucket is {secret}."}
    made = tank.post("/memories", sent, Idempotency_Key="k-1")
    again = tank.post("/memories", sent, Idempotency_Key="k-1")

    assert made.headers["hansard-redacted"].startswith("content=")
    assert again.headers["hansard-redacted"] == made.headers["hansard-redacted"]
    assert secret.encode() not in made.body
