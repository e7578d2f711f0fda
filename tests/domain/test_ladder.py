"""The ladder: each level takes away what it says, none takes what must be kept, and failures open the circuit."""

import json

import pytest

from hansard.domain.budget import tokens
from hansard.domain.compaction import conversations, ladder
from hansard.domain.compaction.bullets import Compaction, compact, render
from hansard.domain.compaction.ladder import Climb, State
from hansard.domain.compaction.topics import Part
from hansard.domain.errors import Invalid

LONG = "word " * 300
MUST = {Part.PHASE, Part.BLOCKER, Part.DECISION, Part.CONSTRAINT, Part.DELIVERABLE}


def conversation() -> Compaction:
    said = f"Decision: by post\nConstraint: no mail\nBlocker: {LONG}\nPhase: two\nNext: go on"
    paths = " ".join(f"src/a{number}.py" for number in range(40))
    return compact(
        conversations.read(
            json.dumps(
                [
                    {"role": "tool", "content": "old output"},
                    {"role": "user", "content": f"{said}\nSee {paths}"},
                    {"role": "assistant", "content": "Decision: by mail\nIs that right?"},
                    {"role": "tool", "content": "\n".join([*(f"line {number}" for number in range(400)), "the end"])},
                    {"role": "user", "content": "Well?"},
                ]
            )
        )
    )


def climbed(target: int, level_max: int = 5) -> Climb:
    return ladder.climb(
        conversation(), tokens_target=target, level_max=level_max, inline_characters_max=200, task="login"
    )


def at_level(level: int) -> Climb:
    reached = climbed(1, level)
    assert reached.level == level
    return reached


def test_without_a_target_nothing_is_taken_away() -> None:
    assert climbed(0) == Climb(conversation(), render(conversation()), 0, met=True)


def test_the_first_level_that_meets_the_target_is_the_last_one_applied() -> None:
    sizes = [tokens(render(conversation())), *(at_level(level).tokens for level in range(1, 6))]

    assert sizes == sorted(sizes, reverse=True)
    assert [climbed(size).level for size in sizes] == [0, 1, 2, 3, 4, 5]
    assert all(climbed(size).met for size in sizes)


def test_a_target_that_no_level_meets_is_not_met() -> None:
    assert (climbed(1).level, climbed(1).met) == (5, False)
    assert (climbed(1, 0).level, climbed(1, 0).met) == (0, False)


def test_level_one_cuts_the_middle_of_what_is_long() -> None:
    one = at_level(1).compaction
    (blocker,) = one.parts[Part.BLOCKER]

    assert blocker.startswith("word word")
    assert "[… 1,299 characters …]" in blocker
    assert len(blocker) < 240
    assert one.outputs[0].text.endswith("the end")
    assert "middles of long texts (L1)" in at_level(1).text


def test_what_would_hardly_get_shorter_is_not_cut() -> None:
    whole = compact(conversations.read("Blocker: " + "x" * 230))
    reached = ladder.climb(whole, tokens_target=1, level_max=1, inline_characters_max=200)

    assert reached.compaction.parts == whole.parts


def test_level_two_tells_tool_output_in_a_line() -> None:
    (line,) = at_level(2).compaction.parts[Part.OUTPUT]

    assert line.startswith("unknown tool: ")
    assert line.endswith("the end")
    assert at_level(2).compaction.outputs == ()


def test_level_three_discards_output_request_and_what_nobody_approved() -> None:
    lost = set(at_level(2).compaction.parts) - set(at_level(3).compaction.parts)

    assert lost == {Part.OUTPUT, Part.REQUEST, Part.UNAPPROVED}
    assert "- discarded (L3): 3 (" in at_level(3).text


def test_level_four_spills_everything_and_says_where() -> None:
    reached = at_level(4)
    assert reached.spill is not None
    (told,) = reached.compaction.parts[Part.SPILLED]

    assert reached.spill.path.startswith(".cache/tool-output/login/")
    assert reached.spill.path in told
    assert reached.spill.text.startswith(render(conversation()))
    assert "old output" in reached.spill.text
    assert LONG.strip() in reached.spill.text
    assert reached.compaction.parts[Part.DELIVERABLE] == tuple(f"`src/a{number}.py`" for number in range(30, 40))
    assert "- deliverables in the spilled file (L4): 30 (" in reached.text
    assert at_level(4) == at_level(4)


def test_level_five_leaves_what_must_be_kept() -> None:
    reached = at_level(5)

    assert set(reached.compaction.parts) == MUST | {Part.SPILLED}
    assert reached.compaction.parts[Part.DECISION] == ("by post",)
    assert [one.kind for one in reached.compaction.dropped] == ["everything else"]


@pytest.mark.parametrize("level", range(1, 6))
def test_no_level_takes_what_must_be_kept(level: int) -> None:
    parts = at_level(level).compaction.parts

    assert set(parts) >= MUST
    assert len(parts[Part.BLOCKER]) == len(parts[Part.DECISION]) == len(parts[Part.CONSTRAINT]) == 1


@pytest.mark.parametrize("task", ["", "../x", "a b", "a/b", ".", "ä", "x" * 101, "a\n"])
def test_a_task_that_could_name_another_folder_is_refused(task: str) -> None:
    with pytest.raises(Invalid):
        ladder.spill_folder(task)


def test_a_task_is_named_by_letters_digits_and_dashes() -> None:
    assert ladder.spill_folder("Fix_login-2") == ".cache/tool-output/Fix_login-2"


def test_more_failures_in_a_row_than_allowed_wait_for_approval() -> None:
    told: list[tuple[State, int]] = []
    failures = 0
    for _ in range(5):
        state, failures = ladder.judged(failures, met=False, failures_max=3)
        told.append((state, failures))

    assert told == [*((State.FAILED, number) for number in (1, 2, 3)), *[(State.WAITING_APPROVAL, 4)] * 2]
    assert ladder.judged(failures, met=True, failures_max=3) == (State.WAITING_APPROVAL, 4)


def test_success_forgets_the_failures_before_it() -> None:
    assert ladder.judged(3, met=True, failures_max=3) == (State.COMPLETE, 0)


def test_a_level_that_does_not_shorten_the_text_is_left_out() -> None:
    whole = compact(conversations.read("User: Constraint: no mail\nAssistant: Phase: two\nUser: ok"))
    before = render(whole)
    reached = ladder.climb(whole, tokens_target=1, level_max=3, inline_characters_max=200, task="t")

    assert (reached.text, reached.level, reached.tried, reached.met) == (before, 0, 3, False)


def test_nothing_is_spilled_if_the_pointer_is_longer_than_what_it_saves() -> None:
    whole = compact(conversations.read("User: Constraint: no mail\nAssistant: Phase: two"))
    reached = ladder.climb(whole, tokens_target=1, level_max=4, inline_characters_max=200, task="t")

    assert (reached.spill, reached.level, reached.tried) == (None, 0, 4)


def test_a_reset_points_to_the_file_even_if_the_spill_alone_was_too_long() -> None:
    text = "User: Constraint: no mail\nNext: " + "word " * 200 + "\nAssistant: Phase: two"
    reached = ladder.climb(
        compact(conversations.read(text)), tokens_target=1, level_max=5, inline_characters_max=2_000, task="t"
    )

    assert reached.level == 5
    assert reached.spill is not None
    assert reached.spill.path in reached.text
    assert Part.NEXT not in reached.compaction.parts
