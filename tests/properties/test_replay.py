"""Replay and looking back: whatever happens afterwards, both give what an agent saw."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from hansard import Hansard
from hansard.domain.errors import HansardError
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.examples import examples
from support.marks import invariant

AGENTS = ("tank", "neo")
SETTINGS = Settings(
    user="ana", context_items_max=4, context_memory_tokens_max=60, context_decisions_tokens_max=60,
    context_session_tokens_max=40,
)  # fmt: skip
words = st.text("abc defg#>*-[]`\n", min_size=1, max_size=60).filter(str.strip)
steps = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 20), st.sampled_from(AGENTS), words), max_size=14)


def act(project: Project, kind: int, place: int, agent: str, text: str) -> None:
    """One change, of a record that is there; what the rules refuse changes nothing."""
    memories = [one for one in project.list_memories(expired=True).items if not one.is_forgotten]
    decisions = project.list_decisions(status="all").items
    runs = project.list_runs(open_only=True).items
    memory = memories[place % len(memories)] if memories else None
    decision = decisions[place % len(decisions)] if decisions else None
    deeds: list[Callable[[], object]] = [
        lambda: project.remember(text, agent=agent, importance="high", force=True),
        lambda: project.remember(text, agent=agent, type="core_context", force=True),
        lambda: project.remember(text, agent=agent, importance="high", scope="team", source="session_summary"),
        lambda: memory and project.edit_memory(memory.id, by="ana", content=text),
        lambda: memory and project.share_memory(memory.id, by="ana"),
        lambda: project.decide(type="scope", title=text, content=text, by="ana"),
        lambda: decision and project.update_decision(decision.id, by="ana", content=text),
        lambda: decision and project.archive(decision.id, by="ana"),
        lambda: decision and project.restore(decision.id, by="ana"),
        lambda: project.start_session(focus=text, summary=text),
        lambda: project.update_session(text),
        lambda: (
            project.finish_run(runs[place % len(runs)].id, outcome="failed", reason=text)
            if runs and place % 2
            else project.start_run(agent=agent, task=text)
        ),
    ]
    try:
        deeds[kind]()
    except HansardError:
        return


@invariant("INV-14")
@examples(40)
@given(steps, steps, st.sampled_from(["full", "coordinator", "child", "ignore"]), st.integers(0, 5))
def test_whatever_happens_later_both_give_what_was_seen(
    before: list[tuple[int, int, str, str]], after: list[tuple[int, int, str, str]], mode: str, days: int
) -> None:
    clock = FakeClock()
    with Hansard.open(":memory:", settings=SETTINGS, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        for step in before:
            act(project, *step)
        seen = project.compile(agent="tank", mode=mode)
        found = project.compile(agent="tank", mode=mode, task="abc defg", keep=True)
        clock.advance(days=days)
        for step in after:
            act(project, *step)
        if seen is not None:
            back = project.compile(agent="tank", mode=mode, as_of=seen.receipt.at)
            assert back is not None
            assert back.text == seen.text
        if found is not None and found.receipt.id is not None:
            replayed = project.replay(found.receipt.id)
            assert (replayed.text, replayed.differences) == (found.text, ())
