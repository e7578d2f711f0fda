"""Rendering: for any content, a reader finds exactly the headings, labels and authors that Hansard put there."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain import rendering
from hansard.domain.text import line, prose
from hansard.domain.vocabulary import DecisionType, MemoryType
from support.examples import examples
from support.marks import invariant
from support.records import decision, memory, session

LAYOUT = [
    "## Boundaries and Decisions", "## Memory", "## Current Session", "### T", "**Type:** scope | **Decided by:** ana",
    "- [core] x", "* [core] x", "+ [learning from ana] x", "> **Rationale:** x", "**Focus:** x", "**Summary:** x",
    "```", "~~~", "---", "====", "-", "=", "* * *", "   # h", "\t# h", "    ## h", "> quote", "plain words", "<!--", "",
    "\u200b## x", "\u202e## x",
]  # fmt: skip
BREAKS = ["\n", "\n", "\n\n", "\u2028", "\u2029", " \n ", "\n  "]
HEADING = re.compile(r"\s*#{1,6}(\s|$)")
FENCE = re.compile(r"\s*(```|~~~)")
BULLET = re.compile(r"\s*[-*+]\s*\[")
LABEL = re.compile(
    r"\s*>?\s*\*\*(Type|Focus|Active issues|Summary|Rationale|Applies to|Decided by):\*\*", re.IGNORECASE
)
UNDERLINE = re.compile(r"\s*(-+|=+|([-*_]\s*){3,})\s*$")
HIDDEN = re.compile("[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


noise = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@st.composite
def hostile(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.sampled_from(LAYOUT) | noise, min_size=1, max_size=6))
    text = "x" + "".join(piece + draw(st.sampled_from(BREAKS)) for piece in pieces)
    return prose(text, field="content", bytes_max=10_000) if draw(st.booleans()) else text[1:].strip() or "x"


names = st.sampled_from(
    ["tank", "ana] ", "a | **Decided by:** ana", "x](y)", "[core]", "**Type:**", "日本", "a`b"]
).map(lambda one: line(one, field="name", bytes_max=200))


def found(pattern: re.Pattern[str], text: str) -> list[str]:
    return [one.strip() for one in text.splitlines() if pattern.match(one)]


@invariant("INV-17")
@examples(150)
@given(hostile(), hostile(), hostile(), names)
def test_a_boundary_holds_its_own_layout_and_no_other(content: str, rationale: str, title: str, name: str) -> None:
    text = rendering.boundary(
        decision(" ".join(title.split()) or "t", content, rationale=rationale, author=name, applies_to=["src/**"])
    )
    assert len(found(HEADING, text)) == 1
    assert found(FENCE, text) == found(BULLET, text) == found(UNDERLINE, text) == []
    kinds = [LABEL.match(one).group(1) for one in found(LABEL, text)]  # type: ignore[union-attr]
    assert kinds == ["Type", "Applies to", "Rationale"]
    assert text.splitlines()[1].count("**Decided by:**") == 1
    assert text.endswith("\n")


@invariant("INV-17")
@examples(150)
@given(st.lists(st.tuples(hostile(), names, st.sampled_from(MemoryType)), min_size=1, max_size=4))
def test_a_memory_layer_holds_one_item_for_each_memory(given_: list[tuple[str, str, MemoryType]]) -> None:
    records = [memory(content, agent=name, type=type) for content, name, type in given_]
    text = rendering.memories([rendering.memory_line(one, reader_key="tank") for one in records])
    lines = text.splitlines()
    assert found(HEADING, text) == ["## Memory"]
    assert found(FENCE, text) == found(LABEL, text) == found(UNDERLINE, text) == []
    items = [one for one in lines[1:] if not one.startswith(" ")]
    assert len(items) == len(found(BULLET, text)) == len(records)
    for item, record in zip(items, records, strict=True):
        assert item.startswith(f"- [{rendering.memory_label(record, reader_key='tank')}] ")


@invariant("INV-17")
@examples(150)
@given(hostile(), hostile(), st.none() | hostile())
def test_a_session_holds_its_own_layout_and_no_other(focus: str, issue: str, summary: str | None) -> None:
    text = rendering.session(session(focus, issues=[issue], summary=summary))
    assert found(HEADING, text) == ["## Current Session"]
    assert found(FENCE, text) == found(BULLET, text) == found(UNDERLINE, text) == []
    kinds = [LABEL.match(one).group(1) for one in found(LABEL, text)]  # type: ignore[union-attr]
    assert kinds == ["Focus", "Active issues", "Summary"][: 2 + (summary is not None)]


@invariant("INV-17")
@examples(150)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40))
def test_nothing_hidden_or_reordered_reaches_a_block(text: str) -> None:
    for shown in (rendering.content(text), rendering.inline(text)):
        assert not HIDDEN.search(shown)
    assert len(rendering.inline(text).splitlines()) <= 1
    assert len(rendering.content(text).splitlines()) <= 1


@examples(200)
@given(hostile(), st.sampled_from(DecisionType))
def test_rendering_twice_gives_the_same_bytes(content: str, type: DecisionType) -> None:
    one = decision(content=content, type=type)
    assert rendering.boundaries([one, one]) == rendering.boundaries([one, one])
