"""Rendering: whatever is stored, a reader finds exactly the headings, labels and speakers that Hansard put there."""

import re
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain import rendering
from hansard.domain.memories import Memory
from hansard.domain.vocabulary import EntryStatus, Origin
from hansard.interfaces.mcp import details, showing
from hansard.interfaces.mcp.calling import Calling
from support.escapes import flat, hidden, once, plain, skeleton, texts
from support.examples import many
from support.marks import invariant
from support.records import decision, entry, memory, run, session

READER = "neo"
OUTSIDE = [Origin.TOOL_OUTPUT, Origin.IMPORTED_FILE, Origin.EXTRACTION, Origin.EXTERNAL]
VOICES: dict[str, tuple[str, Origin]] = {
    "its reader's": ("neo", Origin.AGENT),
    "another agent's": ("tank", Origin.AGENT),
    "a person's": ("ana", Origin.HUMAN),
    **{one.value: ("tank", one) for one in OUTSIDE},
}
CALLING = cast("Calling", None)
"""Nothing is asked of it about a record that became nothing and replaced nothing."""


def note(text: str, line: str, voice: str) -> Memory:
    agent, origin = VOICES[voice]
    return memory(text, agent=agent)._replace(
        origin=origin,
        name=line,
        subject=line,
        reason=line,
        category=line,
        source_ref=line,
        tags=(line,),
        citations=(line,),
    )


def layers(text: str, line: str, voice: str) -> list[str]:
    """The layers in which every line of what is said stands indented."""
    one = note(text, line, voice)
    return [
        rendering.memories([rendering.memory_line(one, reader_key=READER, stale=stale) for stale in ((), (line,))]),
        rendering.knowledge([rendering.knowledge_line(one, reader_key=READER)]),
        rendering.session(None, [rendering.run_line(run(text), files=[line], overlap=[line])], more_runs=2),
        showing.memory_line(one, reader_key=READER, relevance=0.5),
    ]


def others(text: str, line: str) -> list[str]:
    """What stands at the start of its lines."""
    ruled = decision(line, text, rationale=text, applies_to=[line])
    return [
        rendering.boundaries([ruled, ruled._replace(rationale=None)]),
        rendering.boundaries([ruled], shrunk={ruled.id}),
        rendering.digest([ruled]),
        rendering.guidance(text, tokens_max=100_000),
        rendering.session(session(line, issues=[line, line], summary=text)),
        showing.decision_line(ruled),
        details.decision(CALLING, ruled),
    ]


def tools(text: str, line: str, voice: str) -> list[str]:
    """What the tools answer of a memory, and of a proposal that was rejected."""
    agent, origin = VOICES[voice]
    proposed = entry(text, title=line, author=agent, rationale=text)._replace(origin=origin, tags=(line,))
    rejected = proposed._replace(status=EntryStatus.REJECTED, reviewer="ana", note=text)
    return [
        details.memory(note(text, line, voice), reader_key=READER),
        details.entry(CALLING, proposed),
        details.entry(CALLING, rejected),
        showing.listed_entry(rejected),
    ]


@invariant("INV-17")
@many(200)
@given(texts, flat, st.sampled_from(list(VOICES)))
def test_no_text_leaves_its_item_of_a_block(text: str, line: str, voice: str) -> None:
    for shown, harmless in zip(layers(text, line, voice), layers(plain(text), "x", voice), strict=True):
        assert skeleton(shown, indented=True) == skeleton(harmless, indented=True)
        assert hidden(shown) == []
    for shown, harmless in zip(others(text, line), others(plain(text), "x"), strict=True):
        assert skeleton(shown) == skeleton(harmless)
        assert hidden(shown) == []


@invariant("INV-17")
@many(200)
@given(texts, flat, st.sampled_from(list(VOICES)))
def test_no_text_leaves_its_place_in_a_tools_answer(text: str, line: str, voice: str) -> None:
    for shown, harmless in zip(tools(text, line, voice), tools(plain(text), "x", voice), strict=True):
        assert once(skeleton(shown)) == once(skeleton(harmless))
        assert hidden(shown) == []


NAME = re.compile(r"(?:\\.|[^\\\[\]()|*`<>])*")


@invariant("INV-17")
@many(200)
@given(flat)
def test_no_name_closes_its_label(name: str) -> None:
    shown = rendering.name(name)
    assert NAME.fullmatch(shown)
    assert len(shown.splitlines()) == 1
    assert hidden(shown) == []


@many(200)
@given(texts, texts)
def test_what_is_shown_twice_has_the_same_bytes_and_nothing_is_escaped_twice(text: str, other: str) -> None:
    said = decision(content=text, rationale=other)
    assert rendering.boundaries([said]) == rendering.boundaries([said._replace(id="another")])
    flattened = rendering.inline(text)
    assert rendering.content(rendering.content(flattened)) == rendering.content(flattened)
