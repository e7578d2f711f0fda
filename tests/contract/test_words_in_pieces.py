"""What a person held or redacted is known again when its words are spread over fields, or noted by a reviewer."""

from collections.abc import Callable

import pytest

from hansard.domain.errors import Denied, TurnedDown
from hansard.domain.trust import AGAIN
from hansard.domain.vocabulary import Origin
from hansard.project import Project
from hansard.services.review import Failure
from support.marks import invariant

ONE, TWO = "Zeppelins are filled with helium", "from the tank in hall seven."
WORDS = f"{ONE} {TWO}"
SHORT, REST = "Zeppelins are filled", "with helium from the tank in hall seven."
FINE = "Balloons burn gas."
MORE = "A ticket of the vendor says a lot more about gas and halls."


@pytest.fixture(params=["held", "redacted"])
def turned_down(request: pytest.FixtureRequest, project: Project, tank: Project) -> None:
    held = project.hold(tank.remember(WORDS).id, reason="no")
    if request.param == "redacted":
        project.redact(held.id, reason="out")


PAIRS = [(ONE, TWO), (SHORT, REST)]


@invariant("INV-17")
@pytest.mark.usefixtures("turned_down")
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_memory_or_a_proposal_in_pieces_waits(tank: Project, neo: Project, first: str, second: str) -> None:
    for agent in (tank, neo):
        for fields in (
            {"name": first, "content": second},
            {"name": second, "content": first},
            {"name": first, "content": second, "category": MORE},
            {"content": first, "subject": second, "category": MORE},
        ):
            content = fields.pop("content")
            assert AGAIN in agent.remember(content, scope="team", force=True, **fields).signs, fields
    for number, more in enumerate(({}, {"rationale": MORE})):
        entry = neo.propose(slug=f"zep-{number}", type="technical", title=first, content=second, **more)
        assert AGAIN in entry.signs


@invariant("INV-17")
@pytest.mark.usefixtures("turned_down")
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_no_model_makes_law_of_it_in_pieces(project: Project, lead: Project, first: str, second: str) -> None:
    for more in ({}, {"rationale": MORE}, {"tags": ["gas", "hall"]}):
        with pytest.raises(Denied, match="propose it instead"):
            lead.decide(type="technical", title=first, content=second, **more)
    ref = lead.decide(type="technical", title="Mode", content=second).ref
    with pytest.raises(Denied, match="propose it instead"):
        lead.update_decision(ref, title=first)
    assert lead.update_decision(ref, title="Gas").title == "Gas"
    assert project.decide(type="technical", title=first, content=second).ref == "D-2", "a person decides anything"


@invariant("INV-17")
@pytest.mark.usefixtures("turned_down")
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_no_session_and_no_run_says_it_in_pieces(project: Project, neo: Project, first: str, second: str) -> None:
    starts: list[Callable[[], object]] = [
        lambda: neo.start_session(focus=first, issues=[second]),
        lambda: neo.start_session(focus="B", issues=[first, second]),
        lambda: neo.start_session(focus="B", issues=[first, second, FINE], summary=MORE),
        lambda: neo.start_session(focus=first, summary=second, state=MORE),
        lambda: neo.start_run(task=second, task_type=first),
    ]
    for start in starts:
        with pytest.raises(TurnedDown, match="says"):
            start()
    assert project.current_session() is None
    neo.start_session(focus=first, summary=f"{FINE}\n{first}")
    with pytest.raises(TurnedDown, match="what issues says together"):
        neo.update_session(issues=[second])
    with pytest.raises(TurnedDown, match="what summary says together"):
        neo.update_session(second)
    assert neo.update_session(MORE, issues=[FINE]).issues == (FINE,)


def test_a_session_that_says_it_already_can_be_gone_on_with(project: Project, tank: Project, neo: Project) -> None:
    neo.start_session(focus=ONE, issues=[TWO])
    held = project.hold(tank.remember(WORDS).id, reason="no")
    assert neo.update_session(FINE).summary == FINE
    project.redact(held.id, reason="out")
    assert neo.update_session(MORE).summary == f"{FINE}\n{MORE}"


@invariant("INV-17")
@pytest.mark.usefixtures("turned_down")
def test_no_reviewer_but_a_person_notes_it(project: Project, tank: Project, lead: Project) -> None:
    entry = tank.propose(slug="fine", type="learning", content=FINE)
    with pytest.raises(TurnedDown, match="what note says"):
        lead.merge(entry.id, note=WORDS)
    with pytest.raises(TurnedDown, match="what reason says"):
        lead.reject(entry.id, reason=WORDS.upper())
    (failure,) = lead.merge_many([entry.id], note=WORDS)
    assert isinstance(failure, Failure)
    assert isinstance(failure.error, TurnedDown)
    assert project.get_entry(entry.id) == entry, "nothing was written"
    assert project.list_decisions().items == ()
    assert project.reject(entry.id, reason=WORDS).note == WORDS


@invariant("INV-17")
def test_words_from_outside_are_known_in_pieces(tank: Project, lead: Project) -> None:
    for author in (tank, lead):
        author.remember(WORDS, origin="external")
    assert tank.remember(TWO, name=ONE).origin is Origin.EXTERNAL
    assert tank.remember(TWO, name=ONE, scope="team", force=True).is_quarantined
    assert tank.propose(slug="zep", type="technical", title=ONE, content=TWO).origin is Origin.EXTERNAL
    with pytest.raises(Denied, match="propose it instead"):
        lead.decide(type="technical", title=ONE, content=TWO)


@pytest.mark.usefixtures("turned_down")
def test_half_of_it_is_no_more_than_that(neo: Project, lead: Project) -> None:
    assert not neo.remember(TWO, name="Where the gas is", scope="team").is_quarantined
    assert neo.start_session(focus=ONE, issues=[FINE], summary=MORE).focus == ONE
    assert lead.decide(type="technical", title=ONE, content=FINE).title == ONE
    tags = [f"hall-{number}" for number in range(20)]
    assert not neo.remember(FINE, name=MORE, tags=tags, citations=["a.py", "b.py"]).is_quarantined
