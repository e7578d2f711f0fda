"""The inbox against a plain model: whatever is proposed, merged and rejected, in any order, by anybody."""

from dataclasses import dataclass

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hansard import Hansard
from hansard.domain.errors import AlreadyReviewed
from hansard.domain.slugs import segment
from hansard.settings import Settings
from support import marks
from support.clock import FakeClock
from support.examples import examples

AUTHORS = ("alpha", "Alpha", "beta", " BETA ", "my agent", "my-agent", "日本")
SLUGS = ("use-postgres", "Use Postgres", "retry", "use-postgres--beta")
NORMAL = {"use-postgres": "use-postgres", "Use Postgres": "use-postgres", "retry": "retry"}
ROUTINE = ("learning", "pattern", "update")


@dataclass
class Modelled:
    author: str
    requested: str
    slug: str
    contents: list[str]
    type: str
    status: str = "pending"


class InboxMachine(RuleBasedStateMachine):
    """Keeps a dictionary of what should be there and compares it with what is."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[str, Modelled] = {}
        self.decisions: dict[str, str] = {}
        self.memories = 0

    @initialize()
    def open(self) -> None:
        self.hansard = Hansard.open(":memory:", settings=Settings(user="ana"), clock=FakeClock())
        self.project = self.hansard.project("shop", create=True)

    def teardown(self) -> None:
        if hasattr(self, "hansard"):
            self.hansard.close()

    def expected(self, author: str, slug: str) -> tuple[str | None, str]:
        """The id of the author's own entry for this request, and the normal form of the request."""
        key = author.strip().lower()
        for id, one in self.entries.items():
            if one.author == key and one.slug == slug:
                return id, one.requested
        normal = NORMAL.get(slug, "use-postgres-beta")
        for id, one in self.entries.items():
            if one.author == key and one.requested == normal:
                return id, normal
        return None, normal

    def free_slug(self, requested: str, author: str) -> str:
        held = {one.slug for one in self.entries.values()}
        tail = f"{requested}--{segment(author)}"
        candidates = [requested, tail, *(f"{tail}--{number}" for number in range(2, 99))]
        return next(one for one in candidates if one not in held)

    @rule(author=st.sampled_from(AUTHORS), slug=st.sampled_from(SLUGS), type=st.sampled_from(["scope", *ROUTINE]),
          content=st.sampled_from("abc"))  # fmt: skip
    def propose(self, author: str, slug: str, type: str, content: str) -> None:
        own, requested = self.expected(author, slug)
        if own is not None and self.entries[own].status != "pending":
            with pytest.raises(AlreadyReviewed):
                self.project.propose(agent=author, slug=slug, type=type, content=content)
            return
        entry = self.project.propose(agent=author, slug=slug, type=type, content=content)
        if own is None:
            key = author.strip().lower()
            assert entry.slug == self.free_slug(requested, key)
            self.entries[entry.id] = Modelled(key, requested, entry.slug, [content], type)
        else:
            assert entry.id == own
            known = self.entries[own]
            if (known.type, known.contents[-1]) != (type, content):
                known.contents.append(content)
                known.type = type

    @precondition(lambda self: self.entries)
    @rule(data=st.data(), by=st.sampled_from(["ana", "Bob"]))
    def merge(self, data: st.DataObject, by: str) -> None:
        id = data.draw(st.sampled_from(sorted(self.entries)))
        known = self.entries[id]
        if known.status != "pending":
            with pytest.raises(AlreadyReviewed):
                self.project.merge(known.slug, by=by)
            return
        decision = self.project.merge(known.slug, by=by)
        known.status = "merged"
        self.decisions[id] = decision.id
        self.memories += known.type in ROUTINE

    @precondition(lambda self: self.entries)
    @rule(data=st.data())
    def reject(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.entries)))
        known = self.entries[id]
        if known.status != "pending":
            with pytest.raises(AlreadyReviewed):
                self.project.reject(id, by="ana")
            return
        assert self.project.reject(id, by="ana", reason="no").content == known.contents[-1]
        known.status = "rejected"

    @invariant()
    def everything_is_as_modelled(self) -> None:
        if not hasattr(self, "project"):
            return
        found = self.project.list_inbox(status="all").items
        assert {
            one.id: (one.slug, one.requested_slug, one.content, one.status.value, one.type.value) for one in found
        } == {id: (one.slug, one.requested, one.contents[-1], one.status, one.type) for id, one in self.entries.items()}
        assert len({one.slug for one in found}) == len(found)
        assert {one.id: one.decision_id for one in found if one.decision_id} == self.decisions
        assert len(self.project.list_decisions(status="all").items) == len(self.decisions)
        assert len(self.project.list_memories().items) == self.memories

    @invariant()
    def the_chain_verifies_and_versions_are_kept(self) -> None:
        if not hasattr(self, "project"):
            return
        verification = self.project.verify()
        assert verification.ok, verification.broken
        for id, known in self.entries.items():
            _, revisions = self.project.entry_versions(id)
            kept = [str(one.body["content"]) for one in revisions]
            assert (kept + known.contents[-1:])[: len(known.contents)] == known.contents


@marks.invariant("INV-02")
@marks.invariant("INV-03")
@marks.invariant("INV-04")
@marks.invariant("INV-05")
@marks.invariant("INV-06")
def test_the_inbox_does_what_a_plain_dictionary_says() -> None:
    run_state_machine_as_test(InboxMachine, settings=examples(30, steps=25))
