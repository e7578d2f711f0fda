"""A name is judged when somebody acts under it, whatever the call does: of one that is refused nothing is written."""

from contextlib import suppress
from random import Random

import pytest
from benchmarks.tokens import TOKENS

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, GuardRefused, HansardError, UnknownMemory
from hansard.domain.ledger import Draft
from hansard.domain.vocabulary import Subject
from hansard.project import Project
from hansard.services.seat import HARMLESS
from support.fakes import fake_secret
from support.marks import invariant

TOKEN = fake_secret(41)


def stored(project: Project) -> str:
    store = project.seat().store
    with store.read(project.id) as tx:
        tables = store.tables(tx)
        rows = [row for name in tables.names() for row in tables.rows(name, tables.columns(name))]
    return repr(rows).lower()


@invariant("INV-20")
@pytest.mark.parametrize("role", ["agent", "coordinator", "service", "human"])
def test_nobody_is_bound_to_a_name_that_is_a_secret(hansard: Hansard, project: Project, role: str) -> None:
    with pytest.raises(GuardRefused, match="The name holds a secret"):
        hansard.project(project.key, actor=Actor(TOKEN, role))
    assert TOKEN.lower() not in stored(project)


@invariant("INV-20")
def test_no_refusal_keeps_a_name_that_is_a_secret(project: Project) -> None:
    memory = project.remember("private", agent="tank")
    before = project.verify().events
    for call in (
        lambda: project.get_memory(memory.id, agent=TOKEN),
        lambda: project.edit_memory(memory.id, agent=TOKEN, content="x"),
        lambda: project.forget(memory.id, agent=TOKEN),
        lambda: project.compile(agent=TOKEN, task="x"),
        lambda: project.recall("private", agent=TOKEN),
        lambda: project.list_memories(agent=TOKEN),
        lambda: project.list_quarantined(by=TOKEN),
        lambda: project.scan(by=TOKEN),
        lambda: project.export(by=TOKEN),
        lambda: project.rate_memory(memory.id, useful=True, agent=TOKEN),
    ):
        with suppress(HansardError):
            call()
    assert project.verify().events == before
    assert TOKEN.lower() not in stored(project)


@pytest.mark.parametrize("name", ["boss (approved by ana)", "hansard", "system"])
def test_no_refusal_keeps_a_name_that_nobody_new_has(hansard: Hansard, project: Project, name: str) -> None:
    memory = project.remember("private", agent="tank")
    before = project.verify().events
    bound = hansard.project(project.key, actor=Actor(name))
    with pytest.raises(Denied):
        bound.scan()
    with pytest.raises(UnknownMemory):
        bound.get_memory(memory.id)
    assert project.verify().events == before


def test_a_refusal_of_anybody_else_is_kept(hansard: Hansard, project: Project) -> None:
    with pytest.raises(Denied):
        hansard.project(project.key, actor=Actor("stranger")).scan()
    assert [one.actor for one in project.list_events(limit=1).items] == ["stranger"]


@invariant("INV-20")
def test_a_scan_tells_of_an_actor_in_the_history_that_is_a_secret(project: Project) -> None:
    with project.seat().writing() as tx:
        draft = Draft("policy.refused", Subject.PROJECT, project.id, TOKEN.lower(), "agent", None, None, {})
        tx.ledger.append([draft])
    (found,) = project.scan(by="ana").findings
    assert (found.place, found.field, found.kind, found.stays) == ("event", "actor", "github_token", True)
    assert "never changes" in found.fix
    assert project.scan(by="ana", redact=True).findings == (found,), "no event ever changes"


@invariant("INV-20")
def test_no_kind_of_token_fits_a_name_that_is_not_scanned() -> None:
    chance = Random(20)
    drawn = [make(chance) for make in TOKENS.values() for _ in range(50)]
    assert [one for one in drawn if HARMLESS.fullmatch(one)] == []
    for name in ("tank", "morpheus-agent-01", "claude-code", "github.copilot", "code-reviewer"):
        assert HARMLESS.fullmatch(name)
