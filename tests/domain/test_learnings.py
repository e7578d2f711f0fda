"""Learnings of a block: one author has one place before what others had there, however much it writes."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.learnings import Behind, Look, Told, arranged, told
from hansard.domain.memories import Memory
from hansard.domain.trust import voice_of
from hansard.domain.vocabulary import Clearance, Origin
from support.examples import examples
from support.records import memory

FLOODER = "mallory"
OTHERS = ("smith", "neo", "trinity", "tank", "dozer", "switch")
PLACES = (Origin.EXTERNAL, Origin.TOOL_OUTPUT, Origin.IMPORTED_FILE, Origin.EXTRACTION)
LIMIT = 5


def learning(number: int, agent: str, *, since: int | None = None, origin: Origin | None = None) -> Memory:
    made = memory(f"{agent} {number}", id=f"{number:06}", agent=agent, created_at=number)
    return made._replace(updated_at=number if since is None else since, origin=origin)


def row(*agents: str, first: int = 1) -> list[Memory]:
    """Learnings of these agents, oldest first."""
    return [learning(number, agent) for number, agent in enumerate(agents, first)]


def looking(memories: Sequence[Memory], limit: int = LIMIT) -> Look:
    newest_first = sorted(memories, key=lambda one: one.id, reverse=True)

    def look(*, of_each: bool) -> list[Memory]:
        if not of_each:
            return newest_first[:limit]
        counts: Counter[tuple[str, str]] = Counter()
        found = []
        for one in newest_first:
            voice = voice_of(one.agent, one.origin, one.source, one.cleared)
            counts[voice] += 1
            found.append((counts[voice], one))
        # With an author for every place of the block a store gives the newest of each, and no more.
        voices = limit + len(PLACES)
        most = limit * voices if len(counts) < voices else voices
        best = sorted((one for one in found if one[0] <= limit), key=lambda one: one[0])
        return [one for _, one in best[:most]]

    return look


def block(memories: Sequence[Memory], limit: int = LIMIT) -> Told:
    return told(looking(memories, limit), limit)


def shown(memories: Sequence[Memory], limit: int = LIMIT) -> list[str]:
    return [one.memory.content for one in block(memories, limit).shown]


def falls(before: Sequence[Memory], after: Sequence[Memory], limit: int, flooder: str = FLOODER) -> list[int]:
    """By how many places each memory of the others falls; what was last may leave, and is at the place behind it."""
    places = {one.memory.id: place for place, one in enumerate(block(after, limit).shown)}
    return [
        places.get(one.memory.id, limit) - place
        for place, one in enumerate(block(before, limit).shown)
        if one.memory.agent != flooder
    ]


@st.composite
def records(draw: st.DrawFn, *, agents: tuple[str, ...]) -> list[Memory]:
    """Learnings of several agents, some of which were changed after they were made."""
    drawn = draw(st.lists(st.tuples(st.sampled_from(agents), st.integers(0, 60)), max_size=30))
    return [learning(number, agent, since=max(number, since)) for number, (agent, since) in enumerate(drawn, 1)]


@st.composite
def floods(draw: st.DrawFn, *, agents: tuple[str, ...]) -> tuple[list[Memory], list[Memory]]:
    """Learnings, and the same with what one agent adds: new ones, old ones that it shares now, pages it read."""
    before = draw(records(agents=agents))
    added = []
    for number in range(1_000, 1_000 + draw(st.integers(1, 20))):
        one = learning(number, FLOODER, origin=draw(st.sampled_from((None, *PLACES))))
        shared_now = draw(st.booleans())
        added.append(one._replace(id=f"{draw(st.integers(0, 40)):06}-{number}") if shared_now else one)
    return before, [*before, *added]


LIMITS = st.integers(1, 8)


@examples(300)
@given(floods(agents=OTHERS), LIMITS)
def test_nobody_moves_a_learning_of_another_by_more_than_one_place(
    flood: tuple[list[Memory], list[Memory]], limit: int
) -> None:
    assert max(falls(*flood, limit), default=0) <= 1


@examples(300)
@given(floods(agents=(*OTHERS, FLOODER)), LIMITS)
def test_nor_does_who_had_some_there_before(flood: tuple[list[Memory], list[Memory]], limit: int) -> None:
    assert max(falls(*flood, limit), default=0) <= 1


@examples(300)
@given(records(agents=OTHERS), st.lists(st.sampled_from(OTHERS), min_size=1, max_size=20), LIMITS)
def test_a_page_moves_nothing_by_more_than_one_place_whoever_reads_it(
    before: list[Memory], readers: list[str], limit: int
) -> None:
    read = [learning(number, agent, origin=Origin.EXTERNAL) for number, agent in enumerate(readers, 1_000)]
    assert max(falls(before, [*before, *read], limit), default=0) <= 1


@examples(100)
@given(records(agents=("smith",)), LIMITS)
def test_what_one_author_wrote_is_told_newest_first(memories: list[Memory], limit: int) -> None:
    found = block(memories, limit)
    assert [one.memory for one in found.shown] == list(reversed(memories))[:limit]
    assert {one.behind for one in found.shown} <= {None}
    assert found.passed_over == ()


@examples(100)
@given(records(agents=OTHERS), LIMITS, st.randoms())
def test_the_order_is_the_same_however_they_were_read(memories: list[Memory], limit: int, chance: Random) -> None:
    shuffled = list(memories)
    chance.shuffle(shuffled)
    assert arranged(shuffled) == arranged(memories)
    assert len(block(memories, limit).shown) == min(limit, len(memories))


def test_five_of_one_author_leave_what_others_had_in_the_block() -> None:
    honest = row("smith", "neo")
    found = block([*honest, *row(*[FLOODER] * 5, first=10)])
    assert [one.memory.content for one in found.shown] == [
        "mallory 14", "neo 2", "smith 1", "mallory 13", "mallory 12",
    ]  # fmt: skip
    assert [one.behind for one in found.shown] == [None, None, None, Behind.NEWER, Behind.NEWER]
    assert [(one.memory.content, one.behind) for one in found.passed_over] == [
        ("mallory 11", Behind.NEWER), ("mallory 10", Behind.NEWER),
    ]  # fmt: skip


def test_who_filled_the_block_first_keeps_all_but_one_place() -> None:
    assert shown([*row(*["smith"] * 9), *row(*[FLOODER] * 100, first=10)]) == [
        "mallory 109", "smith 9", "smith 8", "smith 7", "smith 6",
    ]  # fmt: skip


def test_an_author_tells_its_own_newest_first_whatever_the_places_are() -> None:
    found = shown(row("smith", "smith", "smith", "neo", "neo", "smith"), 6)
    assert found == ["smith 6", "neo 5", "smith 3", "smith 2", "neo 4", "smith 1"]


def test_what_is_newly_shared_is_new_however_old_it_is() -> None:
    old = [learning(number, FLOODER, since=100 + number) for number in range(1, 6)]
    assert shown([*old, *row("smith", "smith", "smith", first=10)]) == [
        "smith 12", "mallory 5", "smith 11", "smith 10", "mallory 4",
    ]  # fmt: skip


def test_words_from_outside_stand_behind_what_their_reader_says_and_others_had() -> None:
    pages = [learning(number, "neo", origin=Origin.EXTERNAL) for number in range(10, 16)]
    found = block([*row("neo", "smith", "neo"), *pages])
    assert [one.memory.content for one in found.shown] == ["neo 3", "smith 2", "neo 1", "neo 15", "neo 14"]
    assert found.shown[-1].behind is Behind.OWN_WORDS


def test_words_from_one_kind_of_place_have_one_place_whoever_read_them() -> None:
    pages = [learning(10, "neo", origin=Origin.EXTERNAL), learning(11, "tank", origin=Origin.EXTERNAL)]
    found = block([*row("smith", "smith"), *pages])
    assert [one.memory.content for one in found.shown] == ["tank 11", "smith 2", "smith 1", "neo 10"]
    assert found.shown[-1].behind is Behind.SAME_PLACE


def test_what_a_person_confirmed_is_its_agents_own() -> None:
    confirmed = learning(10, "neo", origin=Origin.EXTERNAL)._replace(cleared=Clearance.CONFIRMED)
    page = learning(11, "tank", origin=Origin.EXTERNAL)
    assert shown([*row("smith", "smith"), confirmed, page]) == ["tank 11", "neo 10", "smith 2", "smith 1"]


def test_who_has_no_place_because_others_are_newer_is_named() -> None:
    found = block(row("smith", "neo", "trinity", "tank", "dozer", "switch", "switch"))
    assert [(one.memory.content, one.behind) for one in found.passed_over] == [
        ("smith 1", Behind.OTHERS), ("switch 6", Behind.NEWER),
    ]  # fmt: skip
