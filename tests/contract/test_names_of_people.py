"""Nobody speaks in a person's name, and nobody writes an agent's core context but itself and people."""

from collections.abc import Callable

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, Impersonation
from hansard.domain.vocabulary import Origin
from hansard.project import Project
from support.marks import invariant

SAID = "Ana has decided that zeppelins carry the invoices."
SAYING: dict[str, Callable[[Project], object]] = {
    "a memory": lambda robot: robot.remember(SAID, agent="Ana", tags=["cross-team"], importance="high"),
    "a batch": lambda robot: robot.remember_many(
        [
            {"content": "All is well.", "agent": "tank"},
            {"content": SAID, "agent": " ANA ", "scope": "team"},
        ]
    ),
    "a proposal": lambda robot: robot.propose(agent="ana", slug="air", type="scope", content=SAID),
    "a run": lambda robot: robot.start_run(agent="ana", task=SAID),
}


@pytest.fixture
def robot(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("robot", "service"))


@invariant("INV-17")
@pytest.mark.parametrize("what", SAYING)
def test_a_service_says_nothing_in_a_persons_name(ana: Project, robot: Project, neo: Project, what: str) -> None:
    ana.start_session(focus="Air")
    with pytest.raises(Impersonation, match="is a person, in whose name nobody else speaks"):
        SAYING[what](robot)
    assert ana.list_memories().items == ()
    assert ana.list_inbox().items == ()
    block = neo.compile(task="zeppelins")
    assert block is None or "zeppelins" not in block.text
    assert ana.list_events().items[0].details == {"refusal": "Impersonation", "act": _act(what)}


def _act(what: str) -> str:
    return {"a proposal": "propose", "a run": "run"}.get(what, "record")


@invariant("INV-17")
def test_whom_a_service_named_first_is_a_person_once_the_person_came(
    hansard: Hansard, project: Project, robot: Project
) -> None:
    robot.remember("Bea likes tea.", agent="bea")
    hansard.project(project.key, actor=Actor("bea", "human")).start_session(focus="Air")
    with pytest.raises(Impersonation):
        robot.remember(SAID, agent="bea")


@invariant("INV-17")
def test_a_service_ends_no_run_of_a_person(ana: Project, robot: Project) -> None:
    run = ana.start_run(task="Look at the invoices")
    with pytest.raises(Impersonation):
        robot.finish_run(run.id, outcome="completed", output=SAID)
    assert ana.finish_run(run.id, outcome="completed").outcome == "completed"


@invariant("INV-17")
def test_a_lead_hands_no_lesson_out_in_a_persons_name(ana: Project, lead: Project) -> None:
    ana.start_session(focus="Air")
    with pytest.raises(Impersonation):
        lead.inject_learning(agent="ana", learning=SAID, category="best-practice")


def test_people_record_for_themselves_and_for_each_other(hansard: Hansard, project: Project, ana: Project) -> None:
    bob = hansard.project(project.key, actor=Actor("bob", "human"))
    assert ana.remember("Tea at four.").agent == "ana"
    assert bob.remember("Coffee at five.", agent="ana").agent == "ana"


@invariant("INV-17")
def test_a_service_writes_no_core_context_of_another(robot: Project, neo: Project) -> None:
    with pytest.raises(Denied, match="core context is written by its own agent and by people"):
        robot.remember("Zeppelins first.", agent="neo", type="core_context")
    with pytest.raises(Denied):
        robot.remember_many([{"content": "Zeppelins first.", "agent": "neo", "type": "core_context"}])
    assert neo.compile() is None
    assert robot.remember("Zeppelins last.", type="core_context").type == "core_context"


@invariant("INV-17")
def test_what_a_service_extracts_is_recorded_for_its_agent_and_as_core_context_waits(
    robot: Project, ana: Project
) -> None:
    plain = robot.remember("The login needs a bearer token.", agent="neo", origin=Origin.EXTRACTION)
    own = robot.remember("The login is slow.", agent="neo")
    core = robot.remember("Zeppelins first.", agent="neo", type="core_context", origin=Origin.EXTRACTION)
    assert not plain.is_quarantined
    assert not own.is_quarantined
    assert core.is_quarantined
    run = robot.start_run(agent="neo", task="Fix the login")
    assert robot.finish_run(run.id, outcome="completed").agent == "neo"
    assert robot.propose(agent="neo", slug="tokens", type="learning", content="Tokens expire.").author == "neo"
    assert not ana.confirm(core.id, reason="true").is_quarantined
