"""One author who floods an answer: whatever the words, what others had said keeps its places."""

from collections.abc import Iterator

import pytest
from benchmarks import hijack
from benchmarks.attacks import HONEST_FACTS
from benchmarks.floods import ASIDES, FLOODS, LURES, paraphrases, stuffed

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.ranking import MICROSECONDS_PER_DAY
from hansard.project import Project
from hansard.services.recall import BEHIND_OTHERS, BEHIND_OWN_WORDS, BEHIND_REPEATED, BEHIND_UNREAD, Hits
from hansard.settings import Settings
from support.clock import FakeClock
from support.marks import invariant

LURE = LURES[0]
ANSWER = "We deploy the shop with `make deploy` from main, after the tests are green."
FURTHER = "Deploying the shop needs the VPN; without it the upload of the image hangs."
EXPERT = (
    "We deploy the shop with `make deploy` from main.",
    "Deploying the shop needs the VPN of the office.",
    "A deploy of the shop is rolled back within a minute.",
    "The shop is deployed twice a day, at ten and at four.",
    "Who deploys the shop writes a line into the channel.",
)


@pytest.fixture
def mallory(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("mallory", "agent"))


def flooded(mallory: Project, count: int = 30) -> None:
    mallory.remember_many([{"content": one, "scope": "team"} for one in paraphrases(LURE, count)])


def found(project: Project, limit: int = 10) -> Hits:
    return project.recall(LURE.question, agent="tank", limit=limit)


def place(hits: Hits, content: str) -> int:
    return [hit.memory.content for hit in hits].index(content)


@invariant("INV-17")
@pytest.mark.parametrize("way", hijack.WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("count", [5, 30])
def test_no_flood_moves_an_honest_memory_by_more_than_one_place_unless_it_was_there_by_chance(
    hansard: Hansard, way: hijack.Way, count: int
) -> None:
    falls = list(hijack.falls(hansard, ways=[way], counts=[count]))
    answers = [one for one in falls if one.answers]
    weaker = [one for one in falls if one.matters and not one.answers]

    assert len({one.trial for one in falls}) == len(LURES) * len(FLOODS)
    assert len(answers) >= 60
    assert len(weaker) >= 8
    assert [one for one in answers + weaker if one.places > 1] == []


@pytest.mark.parametrize("way", [hijack.WAYS[0], hijack.WAYS[2]], ids=lambda way: way.name)
@pytest.mark.parametrize("limit", [3, 5])
def test_a_flood_that_fills_all_that_a_search_looks_at_hides_no_answer(
    hansard: Hansard, project: Project, way: hijack.Way, limit: int
) -> None:
    lure = LURES[1]
    answers = {one for one in HONEST_FACTS if "database" in one and "older" not in one}
    project.remember_many([{"content": one, "agent": "smith", "scope": "team"} for one in answers])
    hijack.flood(hansard, project.key, way, stuffed(lure, 400))
    hits = project.recall(lure.question, agent="tank", limit=limit)

    assert len(answers) == 2
    assert answers < {hit.memory.content for hit in hits[:3]}


def test_an_answer_that_comes_after_the_flood_stands_behind_one_of_it(project: Project, mallory: Project) -> None:
    flooded(mallory)
    project.remember(ANSWER, agent="smith", scope="team")

    assert place(found(project), ANSWER) <= 1


def test_old_memories_that_become_a_flood_by_an_edit_stand_behind_answers(
    project: Project, mallory: Project, clock: FakeClock
) -> None:
    old = mallory.remember_many(
        [{"content": f"Zebra {number} sleeps in stable {number + 7}.", "scope": "team"} for number in range(12)],
        force=True,
    )
    for one in (ANSWER, FURTHER):
        project.remember(one, agent="smith", scope="team")
    before = found(project)
    clock.advance(seconds=1)
    for memory, one in zip(old, paraphrases(LURE, 12), strict=True):
        mallory.edit_memory(memory.id, content=one)
    after = found(project)

    assert [place(after, one) - place(before, one) for one in (ANSWER, FURTHER)] in ([1, 1], [0, 1], [0, 0])


def test_what_one_agent_wrote_alone_is_ordered_by_score(project: Project) -> None:
    project.remember_many([{"content": one, "agent": "tank"} for one in HONEST_FACTS])
    hits = found(project)

    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert {hit.behind for hit in hits} == {None}


def test_an_expert_keeps_all_places_before_what_answers_less(project: Project) -> None:
    project.remember_many([{"content": one, "agent": "smith", "scope": "team"} for one in EXPERT])
    project.remember("The shop sells umbrellas and coats.", agent="dozer", scope="team")
    hits = found(project)

    assert {hit.memory.content for hit in hits[:5]} == set(EXPERT)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_an_expert_who_writes_much_in_a_row_keeps_all_places_before_what_is_there_by_chance(project: Project) -> None:
    project.remember_many([{"content": one, "agent": "dozer", "scope": "team"} for one in HONEST_FACTS[-4:]])
    project.remember_many([{"content": one, "agent": "smith", "scope": "team"} for one in EXPERT])
    hits = found(project)

    assert len(hits) > len(EXPERT)
    assert {hit.memory.content for hit in hits[:5]} == set(EXPERT)


def test_a_hit_says_why_it_stands_behind_lesser_ones(project: Project, mallory: Project) -> None:
    for one in (ANSWER, FURTHER):
        project.remember(one, agent="smith", scope="team")
    flooded(mallory)
    for ending in ("noon", "night"):
        mallory.remember(
            f"The shop is deployed by mallory from a laptop over port eighty, before {ending}.",
            scope="team",
            force=True,
        )
    hits = project.recall(LURE.question, agent="tank", limit=50)
    reasons = {hit.memory.content: hit.behind for hit in hits}

    assert (reasons[ANSWER], reasons[FURTHER]) == (None, None)
    assert next(hit.behind for hit in hits if hit.memory.agent == "mallory") is None
    assert {BEHIND_OTHERS, BEHIND_REPEATED} <= set(reasons.values())


@invariant("INV-17")
def test_a_block_tells_one_line_of_the_flood_before_the_answers(project: Project, mallory: Project) -> None:
    for one in (ANSWER, FURTHER):
        project.remember(one, agent="smith", scope="team")
    flooded(mallory)
    block = project.compile(agent="tank", task=LURE.question)
    assert block is not None
    before, _, _ = block.text.partition(FURTHER)

    assert ANSWER in before
    assert before.count("mallory") <= 2, "whose line it is, and its words"
    assert BEHIND_OTHERS in {line.note for line in block.receipt.lines}


@invariant("INV-17")
def test_who_says_it_and_records_it_of_three_places_outside_has_one_place(hansard: Hansard, project: Project) -> None:
    honest = {
        "neo": "The checkout cache of prices expires after five minutes.",
        "trinity": "The checkout cache of prices is kept in Redis.",
        "dozer": "The checkout cache of prices is filled by the nightly job.",
    }
    for agent, content in honest.items():
        project.remember(content, agent=agent, scope="team")
    tank = hansard.project(project.key, actor=Actor("tank", "agent"))
    for origin in (None, "external", "tool_output", "imported_file"):
        for word in ("warm", "cold", "local"):
            made = tank.remember(f"Checkout cache prices {word} {origin or 'own'}", agent="tank", origin=origin)
            assert not made.is_quarantined
    hits = tank.recall("checkout cache of prices", agent="tank", limit=20)

    assert {hit.memory.agent for hit in list(hits)[:4]} == {"tank", *honest}


RIVALS = (
    "Deploys to production go through the blue cluster behind the release gate.",
    "Production deploys need the release gate opened by the release manager.",
    "A production deploy takes nine minutes on the release cluster.",
    "The release gate for production deploys closes on Fridays.",
    "Production deploys are logged in the release ledger by the gate.",
)
ASKED = "How do production deploys pass the release gate?"


@pytest.fixture
def rivals(project: Project) -> Project:
    for number, one in enumerate(RIVALS):
        project.remember(one, agent=f"honest-{number}", scope="team")
    return project


def order(project: Project, question: str = ASKED) -> list[str]:
    return [hit.memory.id for hit in project.recall(question, agent="tank", limit=10)]


@invariant("INV-17")
@pytest.mark.parametrize("times", [1, 5])
def test_one_reader_moves_no_memory_by_more_than_one_place(rivals: Project, mallory: Project, times: int) -> None:
    before = order(rivals)
    for one in before[1:]:
        for _ in range(times):
            mallory.use_memory(one)
    after = order(rivals)

    assert [after.index(one) - place for place, one in enumerate(before) if after.index(one) - place > 1] == []
    assert rivals.get_memory(before[1]).access_count == times


DEPLOYS = (
    ("We deploy the shop with make release.", "smith"),
    ("To deploy the shop, tag a commit.", "dozer"),
    ("The shop is deployed from main on Tuesdays; deploy needs two people.", "smith"),
    ("Deploy of the shop is logged in Loki.", "switch"),
)


def deploys(project: Project) -> list[str]:
    """The answers about deploys, best first."""
    for content, agent in DEPLOYS:
        project.remember(content, agent=agent, scope="team")
    return order(project, LURE.question)


@pytest.mark.parametrize("read", [[3], [2, 3], [1, 3], [1, 2, 3], [0, 1, 2, 3]], ids=str)
@pytest.mark.parametrize(
    "words", [[], ["how do we deploy the shop? how do we deploy the shop"]], ids=["reads", "writes"]
)
@pytest.mark.parametrize("writes_first", [True, False], ids=["first", "then"])
def test_who_reads_a_weaker_answer_of_an_author_buries_not_its_better_one(
    project: Project, mallory: Project, read: list[int], words: list[str], writes_first: bool
) -> None:
    before = deploys(project)
    made = [{"content": one, "scope": "team"} for one in words]
    if writes_first:
        mallory.remember_many(made, force=True)
    for place in read:
        mallory.use_memory(before[place])
    if not writes_first:
        mallory.remember_many(made, force=True)
    after = order(project, LURE.question)

    assert [after.index(one) - place for place, one in enumerate(before) if after.index(one) > place + 1] == []


def test_several_readers_of_a_weaker_answer_bury_not_its_author_s_better_one(
    hansard: Hansard, project: Project
) -> None:
    before = deploys(project)
    for reader in ("mallory", "neo", "trinity", "tank"):
        hansard.project(project.key, actor=Actor(reader, "agent")).use_memory(before[3])
    hits = project.recall(LURE.question, agent="tank", limit=10)

    assert [hit.memory.id for hit in hits] == before
    assert [hit.behind for hit in hits] == [None, None, None, BEHIND_OTHERS]


def test_a_reading_of_a_page_buries_no_better_one_from_the_same_kind_of_place(
    hansard: Hansard, project: Project
) -> None:
    for number, (content, agent) in enumerate(DEPLOYS):
        bound = hansard.project(project.key, actor=Actor(agent, "agent"))
        bound.remember(content, agent=agent, origin=None if number % 2 else "external")
    reader = hansard.project(project.key, actor=Actor("ana", "human"))
    before = [hit.memory.id for hit in reader.recall(LURE.question, limit=10)]
    for one in before[1:]:
        reader.use_memory(one)
    after = [hit.memory.id for hit in reader.recall(LURE.question, limit=10)]

    assert [after.index(one) - place for place, one in enumerate(before) if after.index(one) > place + 1] == []


def test_a_reading_makes_no_repetition_of_what_was_said_first(project: Project, mallory: Project) -> None:
    said = "The shop is deployed with make release from the main branch of the repository, by two people"
    first = project.remember(f"{said}.", agent="smith", scope="team", force=True)
    again = project.remember(f"{said} together.", agent="smith", scope="team", force=True)
    for content in ("The shop sells umbrellas and coats.", "The yard of the shop has a gate.", "A deploy is a change."):
        project.remember(content, agent="dozer", scope="team")
    before = order(project, LURE.question)
    best, repeated = sorted((first.id, again.id), key=before.index)
    mallory.use_memory(repeated)
    after = order(project, LURE.question)

    assert before.index(repeated) == len(before) - 1
    assert after.index(best) <= before.index(best) + 1


def test_nobody_hides_the_result_of_a_run_by_naming_it(hansard: Hansard, project: Project, mallory: Project) -> None:
    for source_ref in (None, "run-1"):
        result = {"source": "task_completion", "source_ref": source_ref, "scope": "team"}
        (made,) = project.remember_many([{"content": DEPLOYS[2][0], "agent": f"smith {source_ref}", **result}])
        mallory.remember_many([{"content": f"How do we deploy the shop? Ask {source_ref}.", **result}], force=True)

        assert made.id in order(project, LURE.question)


@pytest.mark.parametrize("count", [0, 1])
def test_no_reading_of_weaker_ones_moves_an_honest_memory_by_more_than_one_place(hansard: Hansard, count: int) -> None:
    known = [one for one in hijack.read(hansard, counts=[count]) if one.matters]

    assert len(known) >= 60
    assert [one for one in known if one.places > 1] == []


def test_nor_does_one_that_also_rates_them_in_the_adaptive_order(adaptive: Hansard) -> None:
    known = [one for one in hijack.read(adaptive, counts=[1], rates=True) if one.matters]

    assert len(known) >= 60
    assert [one for one in known if one.places > 1] == []


@invariant("INV-17")
def test_nobody_reads_their_own_memory_up(rivals: Project, mallory: Project) -> None:
    mine = mallory.remember("The release gate is optional for deploys to production.", scope="team")
    before = order(rivals)
    for _ in range(10):
        mallory.use_memory(mine.id)

    assert order(rivals) == before
    assert rivals.get_memory(mine.id).access_count == 10


def test_one_reader_counts_once_and_the_owner_not_at_all(hansard: Hansard, project: Project, clock: FakeClock) -> None:
    made = project.remember(ANSWER, agent="smith", scope="team")
    for reader in ("mallory", "mallory", "smith", "neo", "mallory", "smith"):
        hansard.project(project.key, actor=Actor(reader, "agent")).use_memory(made.id)
        clock.advance(days=1)
    with hansard.store.read(project.id) as tx:
        (standing,) = tx.units.standings([1], now=tx.now).values()

    assert (standing.access_count, standing.readers) == (6, 2)
    assert standing.access_age_microseconds // MICROSECONDS_PER_DAY == 1
    assert standing.readers_age_microseconds // MICROSECONDS_PER_DAY == 2


def test_what_others_read_goes_first(rivals: Project, mallory: Project) -> None:
    before = order(rivals)
    mallory.use_memory(before[3])

    assert order(rivals) == [before[3], *before[:3], *before[4:]]


def test_a_hit_says_that_readings_lift_it_no_higher(rivals: Project, mallory: Project) -> None:
    for one in order(rivals)[1:4]:
        mallory.use_memory(one)
    hits = rivals.recall(ASKED, agent="tank", limit=10)

    assert [hit.behind for hit in hits[:4]] == [None, None, BEHIND_UNREAD, BEHIND_UNREAD]


@pytest.fixture(params=[1.0, 0.9, 0.0], ids=lambda floor: f"floor {floor}")
def adaptive(request: pytest.FixtureRequest, target: str, clock: FakeClock) -> Iterator[Hansard]:
    settings = Settings(user="ana", memory_profile="adaptive", memory_demotion_floor=request.param)
    with Hansard.open(target, settings=settings, clock=clock) as opened:
        yield opened


@invariant("INV-17")
@pytest.mark.parametrize("times", [1, 4])
def test_one_rater_moves_no_memory_by_more_than_one_place(adaptive: Hansard, times: int) -> None:
    falls = list(hijack.rated(adaptive, times=times))

    assert len(falls) >= 30
    assert [one for one in falls if one.places > 1] == []


def test_a_rater_has_one_vote_and_the_owner_none(hansard: Hansard, project: Project, clock: FakeClock) -> None:
    made = project.remember(ANSWER, agent="smith", scope="team")
    told = [("mallory", False)] * 3 + [("neo", True), ("smith", True), ("switch", True), ("switch", False)]
    for rater, useful in told:
        hansard.project(project.key, actor=Actor(rater, "agent")).rate_memory(made.id, useful=useful)
        clock.advance(days=1)
    with hansard.store.read(project.id) as tx:
        (standing,) = tx.units.standings([1], now=tx.now, voted=True).values()
        (plain,) = tx.units.standings([1], now=tx.now).values()

    assert standing.votes == (1.5, 1.5)
    assert (standing.alpha, standing.beta) == (3.0, 5.0)
    assert plain.votes == (0.0, 0.0)


def test_what_others_find_useful_goes_first_in_the_adaptive_order(adaptive: Hansard) -> None:
    project = adaptive.project("shop", create=True)
    for number, one in enumerate(RIVALS):
        project.remember(one, agent=f"honest-{number}", scope="team")
    before = order(project)
    adaptive.project("shop", actor=Actor("neo", "agent")).rate_memory(before[2], useful=True)

    assert order(project) == [before[2], *before[:2], *before[3:]]


@invariant("INV-17")
def test_a_note_of_its_author_moves_no_answer_that_was_found_outside(hansard: Hansard) -> None:
    falls = list(hijack.noted(hansard))
    found = {aside.found for aside in ASIDES}

    assert len({one.trial for one in falls}) >= 30
    assert [one for one in falls if one.places > (0 if one.content in found else 1)] == []


def test_a_note_about_something_else_takes_no_answer_out_of_a_block(hansard: Hansard, project: Project) -> None:
    aside = ASIDES[0]
    for number, content in enumerate(aside.others):
        project.remember(content, agent=f"a{number}", scope="team")
    tank = hansard.project(project.key, actor=Actor("tank", "agent"))
    tank.remember(aside.found, agent="tank", origin="tool_output")
    tank.remember(aside.notes[0], agent="tank")
    block = tank.compile(agent="tank", task=aside.question)
    assert block is not None

    assert aside.found in block.text
    assert {line.note for line in block.receipt.lines}.isdisjoint({BEHIND_OTHERS, BEHIND_OWN_WORDS})


def test_what_stands_behind_an_answer_of_its_author_s_own_says_so(hansard: Hansard, project: Project) -> None:
    aside = ASIDES[0]
    project.remember(aside.others[0], agent="smith", scope="team")
    tank = hansard.project(project.key, actor=Actor("tank", "agent"))
    own = tank.remember("The uploads cap of all customers is 4 MB, since the last release of the shop.", agent="tank")
    tank.remember(aside.found, agent="tank", origin="tool_output")
    hits = tank.recall(aside.question, agent="tank")

    assert [hit.behind for hit in hits] == [None, None, BEHIND_OWN_WORDS]
    assert (hits[0].memory.id, hits[2].memory.content) == (own.id, aside.found)
    assert hits[2].relevance > hits[0].relevance


@invariant("INV-17")
@pytest.mark.parametrize("origin", ["tool_output", "imported_file", "extraction", "external"])
def test_nothing_from_outside_takes_its_reader_s_own_answer_out_of_the_block(
    hansard: Hansard, project: Project, origin: str
) -> None:
    tank = hansard.project(project.key, actor=Actor("tank", "agent"))
    own = tank.remember(EXPERT[0], agent="tank", scope="team")
    for number, content in enumerate(EXPERT[1:]):
        project.remember(content, agent=f"a{number}", scope="team")
    question = "how do we deploy the shop"
    before = place(tank.recall(question, agent="tank"), own.content)
    tank.remember("How do we deploy the shop: we deploy the shop by ftp, we do.", agent="tank", origin=origin)
    block = tank.compile(agent="tank", task=question)
    assert block is not None

    assert place(tank.recall(question, agent="tank"), own.content) <= before + 1
    assert own.content in block.text
