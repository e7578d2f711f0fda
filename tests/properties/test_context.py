"""Whole blocks, whatever is in them: the layout is Hansard's, the order is strict, and every budget holds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hansard import Hansard
from hansard.domain import budget
from hansard.domain.receipts import Block, Layer
from hansard.domain.turns import Mode
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.escapes import flat, hidden, skeleton, texts
from support.examples import examples
from support.marks import invariant

TIGHT = Settings(
    user="ana", context_decisions_tokens_max=120, context_memory_tokens_max=60, context_items_max=3,
    context_knowledge_tokens_max=90, context_knowledge_max=2, context_relevance_floor=0.0,
    context_session_tokens_max=60, context_runs_max=2,
)  # fmt: skip
HEADINGS = (
    "## Boundaries and Decisions", "## Memory", "## Memory Guidance", "## Relevant Past Knowledge",
    "## Current Session",
)  # fmt: skip


def storable(text: str) -> bool:
    """Whether a store takes it, and a memory of it is told: it says something beside what shows nothing."""
    return re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text) is None and any(map(str.isalnum, text))


stored = texts.filter(storable)
lines = flat.filter(storable).map(lambda one: " ".join(one.split()))


def fill(project: Project, said: list[str], flat: list[str]) -> None:
    for number, one in enumerate(said):
        project.decide(type="scope", title=flat[number % len(flat)][:200], content=one, rationale=one)
        kind = "core_context" if number % 2 else "learning"
        project.remember(one, agent=("neo", "tank")[number % 2], type=kind, importance="high", scope="team", force=True)
        project.start_run(agent="tank", task=one)
    project.start_session(focus=flat[0], issues=[one[:90] for one in flat], summary="\n".join(said))


def told(project: Project, mode: str, task: str | None) -> Block:
    block = project.compile(agent="neo", mode=mode, task=task)
    assert block is not None
    return block


@invariant("INV-17")
@examples(40)
@given(st.lists(stored, min_size=1, max_size=4), st.lists(lines, min_size=1, max_size=2), st.sampled_from(Mode))
def test_a_block_has_the_headings_labels_and_items_that_its_receipt_tells_of(
    said: list[str], flat: list[str], mode: Mode
) -> None:
    with Hansard.open(":memory:", settings=TIGHT, clock=FakeClock()) as hansard:
        project = hansard.project("shop", create=True)
        fill(project, said, flat)
        block = told(project, mode, said[0])
        receipt = block.receipt
        told_lines = skeleton(block.text)
        kinds = [kind for one in told_lines for kind in one]
        headings = [one for one in block.text.splitlines() if one.startswith("#")]
        major = [one for one in headings if one.startswith("## ")]
        assert major == [one for one in HEADINGS if one in major]
        assert len(headings) == kinds.count("heading")
        assert len(headings) - len(major) == (0 if mode is Mode.COORDINATOR else len(receipt.shown(Layer.BOUNDARIES)))
        assert {"fence", "rule", "remark", "role", "markup"}.isdisjoint(kinds)
        assert hidden(block.text) == []
        shown = [*receipt.shown(Layer.MEMORY), *receipt.shown(Layer.KNOWLEDGE)]
        runs = [line for line in receipt.shown(Layer.SESSION) if line.kind == "run"]
        digest = len(receipt.shown(Layer.BOUNDARIES)) if mode is Mode.COORDINATOR else 0
        assert sum("item" in one for one in told_lines) == len(shown) + len(runs) + digest
        labels = [one[2:].partition(":")[0] for one in block.text.splitlines() if one.startswith("**")]
        assert labels.count("Focus") == labels.count("Summary") == (mode in {Mode.FULL, Mode.COORDINATOR})


@invariant("INV-08")
@invariant("INV-14")
@examples(40)
@given(st.lists(stored, min_size=1, max_size=5), st.lists(lines, min_size=1, max_size=2), st.sampled_from(Mode))
def test_budgets_hold_and_the_sums_are_right(said: list[str], flat: list[str], mode: Mode) -> None:
    with Hansard.open(":memory:", settings=TIGHT, clock=FakeClock()) as hansard:
        project = hansard.project("shop", create=True)
        fill(project, said, flat)
        block = told(project, mode, said[-1])
        receipt = block.receipt
        assert receipt.tokens == budget.tokens(block.text)
        order = [list(Layer).index(line.layer) for line in receipt.lines]
        assert order == sorted(order)
        for total in receipt.totals:
            mine = [line for line in receipt.lines if line.layer is total.layer]
            shown = [line for line in mine if line.fate.is_shown]
            assert (total.tokens, total.shown) == (sum(line.tokens for line in shown), len(shown))
            assert total.left_out == len(mine) - len(shown)
            if total.layer in {Layer.MEMORY, Layer.KNOWLEDGE}:
                assert total.budget is None or total.tokens <= total.budget
        boundaries = receipt.shown(Layer.BOUNDARIES)
        assert len(boundaries) == len(said)
        if mode is not Mode.COORDINATOR:
            full = [line.tokens for line in boundaries if not line.shrunk]
            assert not boundaries[-1].shrunk
            assert sum(line.tokens for line in boundaries) <= 120 or all(
                line.shrunk or line.tokens <= budget.tokens("x" * 400) or line is boundaries[-1] for line in boundaries
            )
            assert full


@invariant("INV-14")
@examples(25)
@given(st.lists(stored, min_size=1, max_size=4), st.lists(lines, min_size=1, max_size=2), st.sampled_from(Mode))
def test_line_ends_make_no_difference(said: list[str], flat: list[str], mode: Mode) -> None:
    made = []
    for end in ("\n", "\r\n"):
        with Hansard.open(":memory:", settings=TIGHT, clock=FakeClock()) as hansard:
            project = hansard.project("shop", create=True)
            fill(project, [one.replace("\n", end) for one in said], flat)
            made.append(re.sub(r"memories/[0-9a-f-]{36}", "memories/ID", told(project, mode, said[0]).text))
    assert made[0] == made[1]
