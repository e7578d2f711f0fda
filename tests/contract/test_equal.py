"""Equal memories: whatever writes, an agent does not remember the same words twice in one scope."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, MemoryKnown
from hansard.project import Project
from support.marks import invariant

WORDS = "Retry calls to the payment API with jitter."


def merged(project: Project, slug: str, content: str = WORDS, **fields: str) -> str:
    """The id of the memory that a merged learning became."""
    entry = project.propose(agent="tank", slug=slug, type="learning", content=content, **fields)
    project.merge(entry.id, by="ana")
    memory_id = project.get_entry(entry.id).memory_id
    assert memory_id is not None
    return memory_id


def test_a_merge_links_to_the_memory_that_says_it_already(project: Project) -> None:
    known = project.remember(WORDS, agent="tank", importance="low")
    assert merged(project, "a", f"  {WORDS.upper()} ") == known.id
    (only,) = project.list_memories().items
    assert (only.id, only.content, only.importance.value, only.version) == (known.id, WORDS, "high", 2)
    assert only.decision_id == project.list_decisions().items[0].id
    assert project.verify().ok


def test_a_second_merge_of_the_same_words_adds_a_decision_and_no_memory(project: Project) -> None:
    first = merged(project, "a")
    assert merged(project, "b", importance="low") == first
    assert len(project.list_decisions().items) == 2
    assert [one.importance.value for one in project.list_memories().items] == ["high"]
    block = project.compile(agent="tank")
    assert block is not None
    assert block.text.count(WORDS) == 1


def test_a_merge_of_words_that_only_end_soon_makes_a_memory_that_stays(project: Project) -> None:
    soon = project.remember(WORDS, agent="tank", source="session_summary", importance="high")
    lasting = merged(project, "a")
    assert lasting != soon.id
    block = project.compile(agent="tank")
    assert block is not None
    assert block.text.count(WORDS) == 1
    fates = {line.id: line.fate.value for line in block.receipt.lines}
    assert set(fates) == {soon.id, lasting}
    assert sorted(fates.values()) == ["duplicate", "included"]


def test_another_agent_and_another_scope_have_memories_of_their_own(project: Project) -> None:
    project.remember(WORDS, agent="neo")
    project.remember(WORDS, agent="tank", scope="team")
    assert merged(project, "a") not in {one.id for one in project.list_memories(scope="team").items}
    assert len(project.list_memories().items) == 3


@invariant("INV-07")
def test_what_was_merged_twice_is_forgotten_in_every_place(project: Project) -> None:
    memory_id = merged(project, "a")
    assert merged(project, "b") == memory_id
    project.forget(memory_id)
    assert {one.content for one in project.list_decisions(status="all").items} == {"[forgotten]"}
    assert {one.content for one in project.list_inbox(status="all").items} == {"[forgotten]"}
    assert project.verify().ok


def test_a_memory_that_a_merge_took_in_is_changed_by_a_person(hansard: Hansard, project: Project) -> None:
    known = project.remember(WORDS, agent="tank")
    merged(project, "a")
    with pytest.raises(Denied):
        hansard.project("shop", actor=Actor("tank")).edit_memory(known.id, content="Never retry.")


def test_an_edit_that_would_repeat_another_memory_is_refused_and_changes_nothing(project: Project) -> None:
    known = project.remember(WORDS, agent="tank")
    other = project.remember("Retry twice.", agent="tank")
    with pytest.raises(MemoryKnown, match=known.id):
        project.edit_memory(other.id, content=WORDS.lower(), agent="tank")
    assert project.get_memory(other.id) == other
    assert project.edit_memory(known.id, content=WORDS.upper(), agent="tank").version == 2


def test_sharing_what_the_team_has_of_the_same_agent_returns_that(project: Project) -> None:
    shared = project.remember(WORDS, agent="tank", scope="team")
    private = project.remember(WORDS, agent="tank")
    assert private.id != shared.id
    found = project.share_memory(private.id, agent="tank")
    assert (found.id, found.duplicate) == (shared.id, True)
    assert project.get_memory(private.id) == private
    with pytest.raises(MemoryKnown):
        project.edit_memory(private.id, tags=["cross-team"], agent="tank")


def test_lines_of_two_conversations_may_say_the_same(project: Project) -> None:
    one, other = (project.remember(WORDS, agent="tank", source_ref=ref, position=1) for ref in ("chat-1", "chat-2"))
    assert one.id != other.id
    assert {project.share_memory(each.id, agent="tank").duplicate for each in (one, other)} == {False}
