"""What a person holds does not become law by an older proposal that says, nearly says or quotes it."""

import pytest

from hansard.domain.errors import Denied
from hansard.project import Project
from support.marks import invariant

WORDS = "Zeppelins are filled with helium from the tank in hall seven."
OLDER = [
    WORDS,
    f"Known since May. {WORDS} Ask the porter.",
    "Zeppelins are filled with cold helium from the tank in hall seven.",
]


@invariant("INV-17")
@pytest.mark.parametrize("words", OLDER, ids=["says", "quotes", "nearly says"])
def test_no_model_accepts_an_older_proposal(
    project: Project, tank: Project, neo: Project, lead: Project, words: str
) -> None:
    run, own = tank.start_run(task="Look at the halls"), lead.start_run(task="Decide about the halls")
    learnt = tank.propose(slug="learnt", type="learning", content=words, run_id=run.id)
    fine = tank.propose(slug="fine", type="learning", content="Invoices are kept for ten years.", run_id=run.id)
    law = tank.propose(slug="law", type="architectural", content=words)
    lead.propose(slug="mine", type="architectural", content=words, run_id=own.id)
    held = project.hold(neo.remember(WORDS).id, reason="wrong")

    scribed = tank.finish_run(run.id, outcome="completed", output="Nothing else was to be done.").scribed
    assert scribed is not None
    assert [one.entry.id for one in scribed.merged] == [fine.id]
    assert [one.id for one in scribed.awaiting_review] == [learnt.id]
    for entry in (learnt, law):
        with pytest.raises(Denied, match="a person accepts"):
            lead.merge(entry.id)
    with pytest.raises(Denied):
        lead.finalize_run(own.id)
    assert [one.content for one in project.list_decisions().items] == [fine.content]

    project.release(held.id, reason="it is right")
    assert lead.merge(law.id).content == words, "what nobody holds any more is like any other"


def test_a_person_accepts_it_all_the_same(project: Project, tank: Project, neo: Project) -> None:
    entry = tank.propose(slug="law", type="architectural", content=OLDER[1])
    project.hold(neo.remember(WORDS).id, reason="unsure")
    assert project.merge(entry.id).content == OLDER[1]
