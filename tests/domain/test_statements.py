"""How a statement is found in a text: behind a label, in a list or a table, and beside something else."""

import json
from collections.abc import Mapping

import pytest

from hansard.domain.compaction import conversations
from hansard.domain.compaction.anchors import LINES_MAX, written_out
from hansard.domain.compaction.bullets import compact
from hansard.domain.compaction.topics import Part


def of(text: str) -> Mapping[Part, tuple[str, ...]]:
    return compact(conversations.read(text)).parts


def said(*messages: tuple[str, str]) -> Mapping[Part, tuple[str, ...]]:
    return of(json.dumps([{"role": role, "content": text} for role, text in messages]))


@pytest.mark.parametrize(
    "label",
    ["Phase 1: analysis.", "Phase: analysis.", "Current phase: analysis.", "## Phase 1: analysis.", "Next: tests."],
)
def test_what_stands_behind_a_phase_or_a_next_action_outlives_it(label: str) -> None:
    told = f"{label} Never touch prod. Decision: use pg. Blocker: no DB key."
    parts = said(("user", told), ("assistant", "Phase 2: build\nNext: ship it"))

    assert parts[Part.PHASE] == ("Phase 2: build",)
    assert parts[Part.CONSTRAINT] == ("Never touch prod.",)
    assert parts[Part.DECISION] == ("use pg.",)
    assert parts[Part.BLOCKER] == ("no DB key.",)


def test_a_decision_behind_a_phase_of_the_assistant_can_be_approved() -> None:
    parts = said(("assistant", "Phase 1: analysis. Decision: use argon2."), ("user", "Approved."))

    assert parts[Part.PHASE] == ("Phase 1: analysis.",)
    assert parts[Part.DECISION] == ("use argon2.",)


def test_a_constraint_behind_a_blocker_stays_when_the_blocker_goes() -> None:
    parts = said(("user", "Blocker: db down. Never touch prod."), ("assistant", "Resolved: db down"))

    assert Part.BLOCKER not in parts
    assert parts[Part.CONSTRAINT] == ("Never touch prod.",)


def test_a_sentence_that_states_nothing_else_stays_with_its_item() -> None:
    assert of("Blocker: the host is down. It needs a cable.")[Part.BLOCKER] == ("the host is down. It needs a cable.",)
    assert of("Decision: use pg. We agreed to it on Monday.")[Part.DECISION] == ("use pg. We agreed to it on Monday.",)


def test_what_is_said_behind_an_item_does_not_end_its_list() -> None:
    parts = of("Next steps:\n- a. Blocker: no net.\n- b")

    assert parts[Part.NEXT] == ("a.", "b")
    assert parts[Part.BLOCKER] == ("no net.",)


def test_an_item_may_say_that_another_one_is_over() -> None:
    assert of("Blocker: no net\n\nDecision: use two hosts. No net is fixed.") == {
        Part.DECISION: ("use two hosts. No net is fixed.",)
    }


def test_phases_behind_each_other_on_one_line_are_a_plan() -> None:
    assert of("Phase 1: a. Phase 2: b. Phase 3: c.")[Part.PHASE] == ("Phase 1: a.", "Phase 2: b.", "Phase 3: c.")


def test_a_request_that_an_earlier_compaction_shows_states_nothing_again() -> None:
    text = "# Compacted context\n\n## Objective\n- Do x. Decision: use pg.\n\nBlocker: no net"

    assert Part.DECISION not in of(text)


def test_the_value_of_a_key_is_split_as_well() -> None:
    lines = ['{"phase": "analysis. Never touch prod."}', '{"phase": "build"}']

    assert of("\n".join(lines)) == {Part.PHASE: ("build",), Part.CONSTRAINT: ("Never touch prod.",)}


@pytest.mark.parametrize(
    "text",
    [
        "Blockers: two\n- db down\n- no smtp", "Blockers: # both\n- db down\n- no smtp",
        "**Blockers:** see below\n1. db down\n2. no smtp", "Blockers: see below.\n\n- db down\n- no smtp",
        "Blockers, as of today:\n- db down\n- no smtp", "Blockers: db down\n- no smtp",
        "blockers: &all\n  - db down\n  - no smtp\nmore: *all", "open: &all\n- db down\n- no smtp\nblockers: *all",
        "x:\n  - &one db down\nblockers:\n  - *one\n  - no smtp",
        "| Blocker | db down |\n| Blocker | no smtp |", "| Blocker | db down |\n|---|---|\n| Blocker | no smtp |",
        "| # | Blocker | Owner |\n|--:|:--|---|\n| 1 | db down | ana |\n| 2 | no smtp | bob |",
        "| Blocker | Status |\n|---|---|\n| db down | open |\n| no net | resolved |\n| no smtp | |",
        "BLOCKER db down\nBLOCKER no smtp", "Still blocked: db down\n\nStill blocked: no smtp",
    ],
)  # fmt: skip
def test_every_item_of_a_list_is_found_however_it_is_announced(text: str) -> None:
    assert of(text)[Part.BLOCKER] == ("db down", "no smtp")


def test_a_count_without_a_list_is_kept() -> None:
    assert of("Blockers: two")[Part.BLOCKER] == ("two",)
    assert of("Blockers: two\n\nThat is all.")[Part.BLOCKER] == ("two",)


@pytest.mark.parametrize(
    "text",
    [
        "Constraints: never push\n\n- write the tests", "Phase: build\n- write the tests",
        "| Phase | Status |\n|---|---|\n| 1 | done |\n| 2 | active |", "BLOCKER is gone", "RULE of thumb",
        "DECISION pending",
        "```\n| Blocker | db |\n```",
    ],
)  # fmt: skip
def test_what_only_stands_near_a_label_is_no_item_of_it(text: str) -> None:
    kept = of(text)

    assert {one for part in kept.values() for one in part} <= {"never push", "build"}


def test_a_table_tells_how_a_decision_stands() -> None:
    kept = of("| Decision | Status |\n|---|---|\n| use pg | proposed |\n| use k8s | approved |\n| use ftp | rejected |")

    assert kept == {Part.DECISION: ("use k8s",), Part.UNAPPROVED: ("use pg",)}


@pytest.mark.parametrize("text", ["D-7: use pg", "ADR-9: use pg", "- D-7: use pg", "**D-7:** use pg", "D-7 — use pg"])
def test_a_number_of_a_decision_announces_one(text: str) -> None:
    number = "ADR-9" if "ADR" in text else "D-7"

    assert said(("user", text))[Part.DECISION] == (f"{number}: use pg",)
    assert said(("assistant", text))[Part.UNAPPROVED] == (f"{number}: use pg",)


@pytest.mark.parametrize(
    "text", ["D-7: approved", "D-7: is it still so?", "D-7: superseded", "## Superseded\n- D-7: use pg"]
)
def test_what_is_said_of_a_number_is_no_decision(text: str) -> None:
    assert Part.DECISION not in said(("user", text))


def test_what_was_seen_in_a_phase_does_not_enter_it() -> None:
    parts = said(("assistant", "Phase 2: build"), ("assistant", "In Phase 1: analysis we saw x."))

    assert parts[Part.PHASE] == ("Phase 2: build",)
    assert said(("assistant", "In phase 2: tests."))[Part.PHASE] == ("Phase 2: tests.",)


def test_names_that_stand_for_much_are_written_out_only_so_far() -> None:
    block = [f"  - {number}" for number in range(400)]
    lines = ["a: &a", *block, *["b: *a"] * 50]

    assert len(written_out(lines)) <= len(lines) + LINES_MAX
    assert written_out(["a: &x one", "b: [*x, two]", "c: *y"]) == ["a: one", "b: [one, two]", "c: *y"]
    assert written_out(["a: &x [*x]", "b: [*x, *x]"])[1] == "b: [*x, *x]"
