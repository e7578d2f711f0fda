"""How long a compaction takes: plain prose is read at once, and no text takes the square of its length."""

import json

import pytest

from hansard.domain.compaction import conversations
from hansard.domain.compaction.bullets import compact
from hansard.domain.errors import Invalid
from support.pace import milliseconds

PROSE_MILLISECONDS_PER_MB = 500
REPEATED_CHARACTERS = 50_000
REPEATED_MILLISECONDS = 1_000
"""Linear takes at most a fifth of it; the square of so many characters takes minutes."""

LINES = (
    "The quick brown fox jumps over the lazy dog and then it rests for a while in the shade.",
    "We looked at the parser today, and it reads every record that the exporter has written.",
    "Each request goes through the gateway, which adds a header and hands it to the service.",
    "There were three rows in the table, so the report shows their sum and the mean of them.",
)


def compacted(text: str) -> None:
    compact(conversations.read(text))


@pytest.mark.parametrize("speaker", ["", "User:\n", "Assistant:\n"])
@pytest.mark.parametrize("joint", ["\n", "\n\n", " "])
def test_plain_prose_is_read_fast(speaker: str, joint: str) -> None:
    text = speaker + joint.join(LINES * 700)

    assert milliseconds(lambda: compacted(text)) <= PROSE_MILLISECONDS_PER_MB * len(text) / 1_000_000


@pytest.mark.parametrize(
    "unit",
    [
        "darf ", "Du sollst sollst muss. ", "nicht ", "nie en", "ask me ", "before ask ", "must ",
        "Must must must it. ",
        "no a ", "No x-x-x-x in ", "is blocked ", "not block ", "that is ", "keep ", ", leave a ", "and and ",
        "phase-",
        "Phase a ", "waiting for ", "cannot start ", "wir haben a,", "a: ", "a - ", "*_", "_", "[", "[Decision ", "[[",
        "{", '{"a":', '{"a":\n', '{"a": "', '[{"a":1},', '"\\', '"', "<system-reminder>",
        "<system-reminder></system-reminder>",
        "a/", "/", "a.b/", "approved ", "Decision 1 approved ", "1.1.1.", "# a\n", "**a** ", "```\n", "> ", "- ", "\n ",
        "User: approved 7\nAssistant: Decision: x\n", "Decision: D-1 supersedes D-2\n", "Resolved: a, b; c\n",
        "!", "? ", "| a ", "| Blocker | x |\n", "| Blocker | Owner |\n|--|--|\n", "Phase 1: a. Never b. ", "`", "`a`",
        "a: &b\n",
        "a: &b\n  - x\nc: *b\n", " - &a", "Blockers: two\n", "BLOCKER a", "D-1: a. ", "Agreed that we ",
        "In phase 1: we ", "Phase 1: a\n", "| a |\n|-|" + " " * 45_000 + "x", "a: *b\n" + " " * 45_000 + "&",
        "Blockers, ", "approved. Next, write ", "decision 1, 2 ", 'Never a.\n{"a": 1}\n',
    ],
)  # fmt: skip
@pytest.mark.parametrize("begins", ["", "User: ", '[{"role": "user", "content": "'])
def test_a_text_that_repeats_itself_does_not_take_the_square_of_its_length(begins: str, unit: str) -> None:
    text = begins + unit * (REPEATED_CHARACTERS // len(unit))

    def read() -> None:
        try:
            compacted(text)
        except Invalid:
            # To refuse it is an answer too, if it comes in time.
            return

    assert milliseconds(read, tries=1) < REPEATED_MILLISECONDS


@pytest.mark.parametrize("said", ["approved {0}", "Approved D-{0}", "go ahead with x{0}"])
def test_many_answers_to_many_proposals_are_heard_in_time(said: str) -> None:
    records = [
        {"role": role, "content": text.format(number)}
        for number in range(2_000)
        for role, text in (("assistant", "Decision: x{0}"), ("user", said))
    ]

    assert milliseconds(lambda: compacted(json.dumps(records)), tries=1) < REPEATED_MILLISECONDS
