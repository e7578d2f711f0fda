"""Compaction of anything: a fixed point, no longer than its input, and nothing is lost that must stay."""

import json

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.budget import tokens
from hansard.domain.compaction import conversations, ladder
from hansard.domain.compaction.bullets import HEADING, compact, render
from hansard.domain.compaction.standing import bullet, key_of
from hansard.domain.compaction.topics import Part
from hansard.domain.text import visible
from support.examples import examples

HEADINGS_CHARACTERS_MAX = 1_600
"""All headings, every kind of what was dropped, and the first and the last request, which repeat what was said."""
BULLET_CHARACTERS_MAX = 6
"""A mark, a line break, a backslash or two marks of code."""

LINES = st.sampled_from(
    [
        "", " ", "User: hi", "Assistant: well", "**Tool:** out", "## User", "### Assistant", "## Blockers", "- a",
        "* b c", "1. d", "Blocker: no disk", "Resolved: no disk", "Blockers:", "- [x] no disk", "- ~~no net~~",
        "no disk is fixed.", "Decision: D-1 by post", "Decision: D-2 by mail (supersedes D-1)", "Superseded: D-1",
        "Approved.",
        "rejected", "Never delete. Do not ask.", "Lifted: Never delete.", "Phase: one", "Phase complete: one",
        "Entering phase 2: x",
        "Next: go", "See src/a.py, b/c.md:3.", "```", "~~~", "> quoted", "# Compacted context", "## Approved decisions",
        "## Dropped", "- tool calls: 3 (1,200 characters)", "## Tool output not summarised yet", "````", "Is it so?",
        "Phase 2: build", "## Phase 3", "Blocker #3: no net", "Blocker 3: resolved", "**Decision 8: by post**",
        "I approve D-1.", "Keine Daten löschen.", "⛔ Blocker - x", "Off limits: ci", "[Decision] y",
        "Decision (draft): z",
        "\u200b## x", "a\u2028b", "**Next step:** x", "- - - x", "Blocker: `", "\\# x", "Scope: y", "Deliverable: z",
        "Phase 1: a. Never b. Decision: c. It is so.", "| Blocker | x |", "| Decision | Status |", "|---|---|",
        "| y | rejected |",
        "Blockers: two", "Rules, for now:", "D-7: y", "BLOCKER no disk", '{"status": "ok"}', "Decision 8 approved",
    ]
)  # fmt: skip
noise = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
written = st.lists(LINES | noise, max_size=14).map("\n".join)
WORDS = st.text("abcdefgh ", min_size=1, max_size=30).filter(lambda text: len(text.split()) > 1)

ROLES = st.sampled_from(["user", "assistant", "system", "tool", "oracle"])
chats = st.lists(st.tuples(ROLES, written), max_size=6).map(
    lambda said: "\n".join(json.dumps({"role": role, "content": text}) for role, text in said)
)
inputs = written | chats


def compacted(text: str) -> str:
    return render(compact(conversations.read(text)))


@given(inputs)
@examples(400)
def test_the_same_input_gives_the_same_bytes_whatever_its_line_breaks(text: str) -> None:
    unix = text.replace("\r\n", "\n").replace("\r", "\n")

    assert compacted(text) == compacted(text) == compacted(unix) == compacted(unix.replace("\n", "\r\n"))


@given(inputs)
@examples(400)
def test_compacting_a_compaction_changes_nothing(text: str) -> None:
    first = compacted(text)

    assert first.startswith(HEADING)
    assert compacted(first) == first


@given(inputs)
@examples(400)
def test_a_compaction_is_never_longer_than_its_input_and_its_headings(text: str) -> None:
    kept = compact(conversations.read(text))
    bullets = sum(map(len, kept.parts.values())) + 3 * len(kept.outputs)

    room = len(visible(text)) + HEADINGS_CHARACTERS_MAX + BULLET_CHARACTERS_MAX * bullets
    assert len(render(kept)) <= room


@given(st.lists(st.tuples(st.sampled_from([Part.BLOCKER, Part.DECISION, Part.CONSTRAINT]), WORDS), max_size=8), inputs)
@examples(300)
def test_what_the_user_states_last_is_kept(stated: list[tuple[Part, str]], before: str) -> None:
    labels = {Part.BLOCKER: "Blocker", Part.DECISION: "Approved", Part.CONSTRAINT: "Constraint"}
    said = "\n\n".join(f"{labels[part]}: {text}" for part, text in stated)
    records = [{"role": "user", "content": before}, {"role": "user", "content": said}]
    kept = compact(conversations.read(json.dumps(records))).parts

    for part, text in stated:
        assert key_of(text) in {key_of(one) for one in kept.get(part, ())}


@given(inputs, st.integers(1, 400), st.integers(0, 5))
@examples(300)
def test_the_ladder_meets_its_target_or_says_that_it_does_not(text: str, target: int, level: int) -> None:
    whole = compact(conversations.read(text))
    reached = ladder.climb(whole, tokens_target=target, level_max=level, inline_characters_max=60, task="t")

    assert reached.met == (reached.tokens <= target)
    assert reached.level <= level
    assert reached.met or reached.tried == level
    assert reached.tokens <= tokens(render(whole))
    for part in (Part.PHASE, Part.BLOCKER, Part.DECISION, Part.CONSTRAINT):
        assert len(reached.compaction.parts.get(part, ())) == len(whole.parts.get(part, ()))


@given(noise)
@examples(300)
def test_a_bullet_of_a_bullet_is_the_same(text: str) -> None:
    assert bullet(bullet(text)) == bullet(text)
