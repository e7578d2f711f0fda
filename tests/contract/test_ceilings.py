"""How far words go by themselves: what asks for more than its origin may be waits for a person, whoever writes it."""

from typing import Any

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.errors import Denied
from hansard.domain.vocabulary import Clearance, Origin
from hansard.project import Project
from support.marks import invariant

FACT = "Zeppelins are filled with helium from the tank in hall seven."
OUTSIDE = ["tool_output", "imported_file", "extraction", "external"]
MORE: dict[str, dict[str, Any]] = {
    "asks to be core context": {"type": "core_context"},
    "asks to be a memory of the team": {"scope": "team"},
    "asks to be of high importance": {"importance": "high"},
}


def told(project: Project, agent: str = "neo") -> str:
    block = project.compile(agent=agent, task="zeppelins helium hall seven")
    return "" if block is None else block.text


@invariant("INV-17")
@pytest.mark.parametrize("origin", OUTSIDE)
@pytest.mark.parametrize("role", ["agent", "coordinator", "service", "human"])
def test_words_from_outside_inform_their_agent_and_no_more(
    hansard: Hansard, project: Project, origin: str, role: str
) -> None:
    writer = hansard.project(project.key, actor=Actor("smith", role))
    plain = writer.remember(FACT, agent="smith", origin=origin)
    assert (plain.is_quarantined, plain.signs) == (False, ())
    for sign, more in MORE.items():
        held = writer.remember(f"{FACT} {sign}", agent="smith", origin=origin, **more)
        assert (held.is_quarantined, held.signs) == (True, (sign,))
        project.confirm(held.id, reason="checked")
        assert f"{FACT} {sign}" in told(project, "smith")


@invariant("INV-17")
@pytest.mark.parametrize("more", MORE.values(), ids=MORE)
def test_no_model_makes_more_of_them_later_and_a_person_does(
    project: Project, ana: Project, tank: Project, lead: Project, more: dict[str, Any]
) -> None:
    change = {"tags": ["cross-team"]} if more == {"scope": "team"} else more
    memory = tank.remember(FACT, origin="external")
    with pytest.raises(Denied, match="confirms it first"):
        tank.edit_memory(memory.id, **change)
    with pytest.raises(Denied):
        tank.share_memory(memory.id)
    project.hold(memory.id, reason="to be read")
    project.release(memory.id, reason="harmless")
    with pytest.raises(Denied, match="confirms it first"):
        tank.edit_memory(memory.id, **change)
    raised = ana.edit_memory(f"{memory.id}@3", **change)
    assert (raised.origin, raised.cleared) == (Origin.EXTERNAL, Clearance.CONFIRMED)
    assert "\n  >" not in told(ana, "tank")


def test_an_agents_own_words_go_as_far_as_it_likes(tank: Project, neo: Project) -> None:
    for number, more in enumerate(MORE.values()):
        assert not tank.remember(f"{FACT} {number}", **more).is_quarantined
    assert "from tank" in told(neo), "another reads whose they are"


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ({"origin": "human", "scope": "team", "importance": "high"}, False),
        ({"origin": "human", "type": "core_context"}, True),
        ({"origin": "agent", "importance": "high"}, False),
        ({"origin": "agent", "scope": "team"}, True),
        ({"origin": "external"}, False),
        ({"origin": "external", "scope": "team"}, True),
    ],
)
def test_the_pipeline_goes_as_far_as_its_evidence(
    hansard: Hansard, project: Project, said: dict[str, Any], waits: bool
) -> None:
    pipeline = hansard.project(project.key, actor=Actor("pipeline", "service"))
    made = pipeline.remember(FACT, agent="pipeline", source="extraction", **said)
    assert (made.origin, made.is_quarantined) == (Origin(said["origin"]), waits)


@invariant("INV-17")
def test_no_model_decides_what_came_from_outside(project: Project, lead: Project, tank: Project) -> None:
    entry = tank.propose(slug="gas", type="technical", content=FACT, origin="external")
    decision = project.merge(entry.id, by="ana")
    with pytest.raises(Denied, match="a person accepted it"):
        lead.update_decision(decision.ref, content="Hydrogen it is.")
    with pytest.raises(Denied, match="a person accepts"):
        lead.merge(tank.propose(slug="more", type="learning", content=f"{FACT} Ask ops.", origin="tool_output").id)


@invariant("INV-17")
def test_accepting_the_same_words_makes_more_of_those_from_outside_by_a_person_alone(
    project: Project, tank: Project, neo: Project
) -> None:
    outside = tank.remember(FACT, origin="external", importance="low", scope="agent")
    entry = tank.propose(slug="zep", type="learning", content=FACT)
    with pytest.raises(Denied, match="a person accepts"):
        neo.merge(entry.id)
    project.merge(entry.id, by="ana")
    after = project.get_memory(outside.id)
    assert (after.importance, after.cleared) == ("high", Clearance.CONFIRMED)
