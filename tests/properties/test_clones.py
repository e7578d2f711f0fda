"""Clones that work apart and meet by git end with the same record, whatever they did and however they met."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hansard import Hansard
from hansard.domain.errors import HansardError
from hansard.domain.mirror import LEDGER
from hansard.project import Project
from hansard.services.reunite import local_of
from hansard.settings import Settings
from support.clock import START, FakeClock
from support.examples import examples
from support.marks import invariant

ROUNDS_MAX = 8
DEEDS = (
    "propose", "revise", "merge", "reject", "decide", "amend", "supersede", "archive", "restore", "remember", "edit",
    "forget", "share", "bring", "sync",
)  # fmt: skip
STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(DEEDS), st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=24
)


class Clone:
    """One clone: a store of its own, a folder of its own, and a clock that runs at its own pace."""

    def __init__(self, hansard: Hansard, root: Path, number: int) -> None:
        self.project: Project = hansard.project("shop", create=True)
        self.root = root
        self.number = number

    def act(self, deed: str, one: int, two: int) -> None:
        """Does something, if it can be done just now."""
        with suppress(HansardError, IndexError):
            getattr(self, f"_{deed}")(one, two)

    def _propose(self, one: int, two: int) -> None:
        types = ("scope", "learning", "pattern", "update", "process", "architectural")
        agents = ("tank", "Tank", "beta", "TANK", "neo", "Beta")
        self.project.propose(
            agent=agents[two], slug=f"idea-{one % 3}", type=types[one], content=f"Proposed {one} {two} {self.number}."
        )

    def _revise(self, one: int, two: int) -> None:
        entry = pick(self.project.list_inbox(limit=100).items, one)
        self.project.propose(
            agent=entry.author, slug=entry.slug, type=entry.type, content=f"Revised {two} {self.number}."
        )

    def _merge(self, one: int, two: int) -> None:
        self.project.merge(pick(self.project.list_inbox(limit=100).items, one).id, by=("ana", "Ana")[two % 2])

    def _reject(self, one: int, two: int) -> None:
        self.project.reject(pick(self.project.list_inbox(limit=100).items, one).id, by="ana", reason=f"No {two}.")

    def _decide(self, one: int, two: int) -> None:
        self.project.decide(type="scope", title=f"D {one}", content=f"Decided {two} {self.number}.", by="ana")

    def _amend(self, one: int, two: int) -> None:
        decision = pick(self.project.list_decisions(limit=100).items, one)
        self.project.update_decision(decision.id, by="ana", content=f"Amended {two} {self.number}.")

    def _supersede(self, one: int, two: int) -> None:
        active = self.project.list_decisions(limit=100).items
        self.project.supersede(pick(active, one).id, pick(active, two).id, by="ana")

    def _archive(self, one: int, _: int) -> None:
        self.project.archive(pick(self.project.list_decisions(limit=100).items, one).id, by="ana")

    def _restore(self, one: int, _: int) -> None:
        self.project.restore(pick(self.project.list_decisions(status="all", limit=100).items, one).id, by="ana")

    def _remember(self, one: int, two: int) -> None:
        self.project.remember(f"Learned {one} {two} {self.number}.", agent="tank", scope=("team", "agent")[two % 2])

    def _edit(self, one: int, two: int) -> None:
        memory = pick(self.project.list_memories(limit=100).items, one)
        self.project.edit_memory(memory.id, by="ana", content=f"Edited {two} {self.number}.")

    def _forget(self, one: int, _: int) -> None:
        self.project.forget(pick(self.project.list_memories(limit=100).items, one).id, by="ana")

    def _share(self, one: int, _: int) -> None:
        self.project.share_memory(pick(self.project.list_memories(scope="agent", limit=100).items, one).id, by="ana")

    def _bring(self, one: int, two: int) -> None:
        """From outside, for the team, and reviewed here."""
        memory = self.project.remember(
            f"Brought {one} {two} {self.number}.", agent="tank", origin="external", scope="team",
            importance=("high", "medium")[one % 2],
        )  # fmt: skip
        self.project.release(memory.id, reason="It is so.", by="ana")

    def ledger(self) -> dict[str, bytes]:
        return {path: (self.root / path).read_bytes() for path in LEDGER.values() if (self.root / path).exists()}

    def pull(self, theirs: dict[str, bytes]) -> None:
        """What git's union merge leaves: the lines of both sides."""
        for path, data in theirs.items():
            file = self.root / path
            mine = file.read_bytes().splitlines() if file.exists() else []
            lines = list(dict.fromkeys([*mine, *data.splitlines()]))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"".join(one + b"\n" for one in lines))

    def record(self) -> Any:
        """All that travels, as it stands in the store."""
        seat = self.project.seat()
        with seat.reading() as tx:
            return local_of(seat, tx).records()


def pick(items: Sequence[Any], number: int) -> Any:
    return items[number % len(items)] if items else items[0]


def meet(one: Clone, other: Clone) -> None:
    """Both commit what they have; one pulls from the other and takes it in."""
    one.project.export(one.root)
    other.project.export(other.root)
    one.pull(other.ledger())
    one.project.import_inbox(one.root)
    one.project.export(one.root)


@contextmanager
def clones(count: int) -> Iterator[list[Clone]]:
    settings = Settings(user="ana", embedding_provider="none")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found = []
        for number in range(count):
            # No two clocks agree; what one did first may have the later time.
            clock = FakeClock(START + 37 * number)
            hansard = stack.enter_context(Hansard.open(":memory:", settings=settings, clock=clock))
            (folder / str(number)).mkdir()
            found.append(Clone(hansard, folder / str(number), number))
        yield found


def settle(several: Sequence[Clone]) -> None:
    for _ in range(ROUNDS_MAX):
        before = [one.record() for one in several]
        for one in several:
            for other in several:
                if other is not one:
                    meet(one, other)
        if [one.record() for one in several] == before and all(one == before[0] for one in before):
            return
    raise AssertionError("the clones do not come to rest")


@invariant("INV-02")
@invariant("INV-05")
@invariant("INV-07")
@invariant("INV-12")
@examples(150)
@given(st.integers(2, 3), STEPS)
def test_clones_that_worked_apart_end_with_the_same_record(count: int, steps: list[tuple[int, str, int, int]]) -> None:
    with clones(count) as several:
        for who, deed, one, two in steps:
            clone = several[who % count]
            if deed == "sync":
                meet(clone, several[one % count]) if several[one % count] is not clone else None
            else:
                clone.act(deed, one, two)
        settle(several)
        first = several[0]
        for other in several[1:]:
            assert other.ledger() == first.ledger()
            assert readable(other) == readable(first)
        for clone in several:
            assert clone.project.verify().ok, clone.project.verify()
            assert clone.project.export(clone.root).written == ()


def readable(clone: Clone) -> dict[str, bytes]:
    return {
        str(one.relative_to(clone.root)): one.read_bytes()
        for folder in (".squad", ".agentweaver")
        for one in sorted((clone.root / folder).rglob("*.md"))
        if ".kept-" not in one.name
    }
