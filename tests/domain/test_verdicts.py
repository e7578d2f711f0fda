"""The answers of a user to what was proposed: only a plain yes, or one that names the decision, approves."""

import json

import pytest

from hansard.domain.compaction import conversations
from hansard.domain.compaction.bullets import compact
from hansard.domain.compaction.topics import Part
from hansard.domain.compaction.verdicts import Verdict, answer

PROPOSED = "Decision: drop the production database\nDecision: use k8s\nDecision: D-7 mail by post"
EVERY = ("drop the production database", "use k8s", "D-7 mail by post")


def decided(said: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    records = [("user", "What should we do?"), ("assistant", PROPOSED), ("user", said), ("assistant", "Seen.")]
    text = json.dumps([{"role": role, "content": content} for role, content in records])
    parts = compact(conversations.read(text)).parts
    return parts.get(Part.DECISION, ()), parts.get(Part.UNAPPROVED, ())


@pytest.mark.parametrize(
    "said",
    [
        "Approved.", "approved, thanks!", "LGTM", "Yes, go ahead!", "Ok, sounds good to me.",
        "Great, ship it, thank you!",
        "Agreed, all of them.", "Go ahead with it.", "Looks good, please proceed.", "I approve.",
        "I approve all of that.",
        "Yes please, go ahead and do it.", "That all sounds good.", "Genehmigt, danke.", "Ja, einverstanden!",
        "Passt so.",
        "👍 Approved", "Perfect. Go ahead.", "Approved. Next, write tests.", "yes, do it", "Let's do it",
        "OK, do that.", "Approve", "Go ahead. Then please run the tests.",
    ],
)  # fmt: skip
def test_a_plain_approval_approves_everything_that_was_proposed(said: str) -> None:
    assert decided(said) == (EVERY, ())


@pytest.mark.parametrize(
    "said",
    [
        "Approved? Never!", "Approved?", "Agreed that this is terrible", "Confirmed the bug exists.",
        "Sounds good to nobody", "Accepted wisdom says don't do this", "Proceed with caution: I haven't decided",
        "Go ahead, make my day", "Go ahead with nomad", "Looks good on paper", "Approved by Bob?",
        "Agreed. This is awful.",
        "Approved, but only k8s", "LGTM if the tests pass", "Sounds good, let me think", "Proceed to the next topic",
        "Agreed, we should not drop the production database", "Approved D-9", "I approve D-7 as a bad example",
        "Einverstanden, aber nicht heute", "Approved in another meeting", "Go ahead once ops agree",
        "I approve of your honesty", "Do it yourself", "Do it again", "Let's do it another way",
        "Approved. Now start over.",
        "Approved. Next time ask me.", "Approved. Then again it is awful.", "Approved. Next, run it. I hate it.",
        "Decision D-7 approved by Bob", "Decision D-7 is approved, the others are not.",
    ],
)  # fmt: skip
def test_anything_else_that_begins_like_an_approval_approves_nothing(said: str) -> None:
    approved, open_ = decided(said)

    assert set(approved).isdisjoint(EVERY)
    assert open_ == EVERY


@pytest.mark.parametrize(
    ("said", "approved"),
    [
        ("Go ahead with k8s", "use k8s"),
        ("Agreed, use k8s.", "use k8s"),
        ("Approved D-7, thanks.", "D-7 mail by post"),
        ("Decision D-7 approved", "D-7 mail by post"),
        ("D-7 is approved.", "D-7 mail by post"),
        ("D-7: approved", "D-7 mail by post"),
        ("I approve decision D-7: mail by post", "D-7 mail by post"),
        ("Yes, go ahead and drop the production database.", "drop the production database"),
    ],
)
def test_an_approval_that_names_a_decision_approves_that_one_alone(said: str, approved: str) -> None:
    assert decided(said) == ((approved,), tuple(one for one in EVERY if one != approved))


@pytest.mark.parametrize(
    "said", ["Agreed that this is terrible", "We agreed that it is bad", "I approve of your honesty"]
)
def test_an_opinion_is_no_decision(said: str) -> None:
    assert decided(said) == ((), EVERY)


def test_a_number_without_a_dash_is_approved_by_it() -> None:
    records = [("assistant", "Decision 1: use pg\nDecision 2: use k8s"), ("user", "Decision 2 approved")]
    text = json.dumps([{"role": role, "content": content} for role, content in records])

    assert compact(conversations.read(text)).parts[Part.DECISION] == ("2: use k8s",)


def test_a_question_rejects_nothing() -> None:
    assert answer("Rejected? Why?").verdict is Verdict.NEITHER
    assert answer("Rejected.").verdict is Verdict.REJECTS
