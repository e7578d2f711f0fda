"""Proposals over REST: submitted, listed and reviewed, with the statuses that clients go by."""

import pytest

from hansard import Hansard
from support.rest import Client

PROPOSAL = {"slug": "use-postgres", "type": "architectural", "content": "All data lives in PostgreSQL."}
LESSON = {"slug": "bearer", "type": "learning", "content": "The API needs a Bearer prefix."}


def test_a_new_proposal_is_created_and_has_a_place(tank: Client) -> None:
    made = tank.post("/inbox", PROPOSAL)

    assert (made.status, made.json["outcome"], made.json["entry"]["author"]) == (201, "created", "tank")
    assert tank.get(made.headers["location"]).json == made.json["entry"]


def test_the_same_author_and_slug_update_the_pending_entry(tank: Client) -> None:
    first = tank.post("/inbox", PROPOSAL)
    again = tank.post("/inbox", PROPOSAL | {"content": "All data lives in PostgreSQL 18."})

    assert (again.status, again.json["outcome"], again.json["entry"]["version"]) == (200, "updated", 2)
    assert again.json["entry"]["id"] == first.json["entry"]["id"]
    assert "location" not in again.headers


def test_another_author_gets_a_slug_of_its_own(tank: Client, neo: Client) -> None:
    tank.post("/inbox", PROPOSAL)

    assert neo.post("/inbox", PROPOSAL).json["entry"]["slug"] == "use-postgres--neo"


def test_a_reviewed_slug_is_a_conflict_for_its_author(tank: Client, ana: Client) -> None:
    tank.post("/inbox", PROPOSAL)
    ana.post("/inbox/use-postgres/reject", {"reason": "not now"})

    refused = tank.post("/inbox", PROPOSAL)

    assert (refused.status, refused.json["code"]) == (409, "inbox.already_reviewed")


def test_a_merge_makes_a_decision_and_says_where_it_is(tank: Client, ana: Client) -> None:
    tank.post("/inbox", PROPOSAL)

    merged = ana.post("/inbox/P-1/merge", {"note": "agreed"})

    assert (merged.status, merged.json["entry"]["status"], merged.json["memory"]) == (201, "merged", None)
    assert ana.get(merged.headers["location"]).json == merged.json["decision"]


def test_a_merged_learning_is_a_memory_as_well(tank: Client) -> None:
    tank.post("/inbox", LESSON)

    merged = tank.post("/inbox/bearer/merge")

    assert merged.json["memory"]["content"] == LESSON["content"]


def test_an_agent_cannot_accept_what_binds_the_team(tank: Client) -> None:
    tank.post("/inbox", PROPOSAL)

    refused = tank.post("/inbox/P-1/merge")

    assert (refused.status, refused.json["code"]) == (403, "policy.denied")


def test_a_second_merge_is_a_conflict(tank: Client, ana: Client) -> None:
    tank.post("/inbox", PROPOSAL)
    ana.post("/inbox/P-1/merge")

    assert ana.post("/inbox/P-1/merge").status == 409


@pytest.mark.parametrize("verb", ["merge", "reject"])
def test_a_review_of_another_version_than_was_read_changes_nothing(tank: Client, ana: Client, verb: str) -> None:
    read = tank.post("/inbox", PROPOSAL).headers["etag"]
    tank.post("/inbox", PROPOSAL | {"content": "All data lives in Oracle."})

    refused = ana.post(f"/inbox/P-1/{verb}", {}, If_Match=read)

    assert (refused.status, refused.json["code"]) == (412, "version.stale")
    assert ana.get("/inbox/P-1").json["status"] == "pending"
    assert ana.post(f"/inbox/P-1/{verb}", {"expected_version": 2}).status in (200, 201)


def test_an_entry_that_became_binding_is_accepted_by_version_only(tank: Client, ana: Client) -> None:
    tank.post("/inbox", PROPOSAL | {"type": "learning"})
    tank.post("/inbox", PROPOSAL)

    assert ana.post("/inbox/P-1/merge").status == 428
    assert ana.post("/inbox/P-1/merge", If_Match='"2"').status == 201


def test_many_are_reviewed_at_once_and_a_failure_stops_none(tank: Client, ana: Client) -> None:
    for slug in ("a-one", "a-two", "a-three"):
        tank.post("/inbox", LESSON | {"slug": slug, "content": f"It is {slug}."})

    merged = ana.post("/inbox/merge", {"references": ["P-1", "P-9", "P-2"]})
    rejected = ana.post("/inbox/reject", {"references": ["P-3", "P-1"], "reason": "no"})

    assert [one["entry"]["ref"] for one in merged.json["merged"]] == ["P-1", "P-2"]
    assert [(one["reference"], one["code"]) for one in merged.json["failed"]] == [("P-9", "inbox.unknown")]
    assert [one["ref"] for one in rejected.json["rejected"]] == ["P-3"]
    assert [one["code"] for one in rejected.json["failed"]] == ["inbox.already_reviewed"]


def test_pages_lead_from_one_to_the_next(tank: Client) -> None:
    for number in range(3):
        tank.post("/inbox", LESSON | {"slug": f"lesson-{number}", "content": f"Lesson {number}."})

    first = tank.get("/inbox?limit=2")
    second = tank.get(f"/inbox?limit=2&cursor={first.json['next_cursor']}")

    assert [one["ref"] for one in first.json["items"]] == ["P-3", "P-2"]
    assert [one["ref"] for one in second.json["items"]] == ["P-1"]
    assert second.json["next_cursor"] is None


def test_lists_are_filtered_by_status_type_author_and_text(tank: Client, neo: Client, ana: Client) -> None:
    tank.post("/inbox", PROPOSAL)
    neo.post("/inbox", LESSON)
    ana.post("/inbox/P-1/reject")

    def refs(query: str) -> list[str]:
        return [one["ref"] for one in ana.get(f"/inbox?{query}").json["items"]]

    assert refs("") == ["P-2"]
    assert refs("status=all") == ["P-2", "P-1"]
    assert refs("status=all&type=architectural") == ["P-1"]
    assert refs("status=all&agent=neo") == ["P-2"]
    assert refs("text=Bearer") == ["P-2"]


def test_every_version_of_a_proposal_is_shown(tank: Client) -> None:
    tank.post("/inbox", PROPOSAL)
    tank.post("/inbox", PROPOSAL | {"content": "Another."})

    shown = tank.get("/inbox/use-postgres/versions")

    assert shown.json["current"]["content"] == "Another."
    assert [one["body"]["content"] for one in shown.json["earlier"]] == [PROPOSAL["content"]]


def test_times_are_iso_in_utc(tank: Client) -> None:
    made = tank.post("/inbox", PROPOSAL).json["entry"]

    assert made["created_at"].startswith("2026-01-01T")
    assert made["created_at"].endswith("Z")
    assert "salt" not in made


def test_what_an_agent_sends_is_an_agents_word_and_what_a_person_sends_a_persons(
    tank: Client, ana: Client, hansard: Hansard
) -> None:
    assert tank.post("/inbox", PROPOSAL).json["entry"]["origin"] == "agent"
    assert ana.post("/inbox", LESSON).json["entry"]["origin"] == "human"
