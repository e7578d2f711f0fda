"""Receipts that are kept: who reads them, how long they last, and that nothing forgotten lives on in them."""

from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, Invalid, UnknownReceipt
from hansard.domain.receipts import Receipt
from hansard.project import Project
from hansard.services.keep import keep
from hansard.settings import Settings
from support.clock import FakeClock
from support.raw import everything

SECRET = "xyzzy_plugh_7"


def kept(project: Project, agent: str = "tank", **asked: str) -> Receipt:
    block = project.compile(agent=agent, keep=True, **asked)
    assert block is not None
    return block.receipt


def key_of(receipt: Receipt) -> str:
    assert receipt.id is not None
    return receipt.id


@pytest.fixture(autouse=True)
def known(project: Project) -> None:
    """A project of which there is something to tell."""
    project.decide(type="scope", title="Only payments", content="We build payments.", by="ana")
    project.remember("The API needs a Bearer prefix.", agent="tank", importance="high")


def test_a_receipt_is_kept_only_if_asked(project: Project) -> None:
    block = project.compile(agent="tank")
    assert block is not None
    assert block.receipt.id is None
    assert project.list_receipts().items == ()


def test_a_kept_receipt_comes_back_as_it_was(project: Project) -> None:
    receipt = kept(project, task="Add a payment", charter="You are tank.\n")
    assert project.get_receipt(key_of(receipt)) == receipt
    (listed,) = project.list_receipts().items
    assert (listed.id, listed.agent, listed.mode) == (receipt.id, "tank", "full")
    assert (listed.at, listed.ledger_seq, listed.sha256) == (receipt.at, receipt.ledger_seq, receipt.sha256)
    assert listed.receipt() == receipt


def test_keeping_a_receipt_is_no_event(project: Project) -> None:
    before = project.list_events().items
    kept(project)
    assert project.list_events().items == before
    assert project.verify().ok


def test_receipts_are_listed_newest_first_page_by_page(project: Project) -> None:
    ids = [key_of(kept(project)) for _ in range(5)][::-1]
    first = project.list_receipts(limit=3)
    rest = project.list_receipts(limit=3, cursor=first.next_cursor)
    assert [one.id for one in (*first.items, *rest.items)] == ids
    assert rest.next_cursor is None


def test_people_read_all_receipts_and_an_agent_its_own(hansard: Hansard, project: Project) -> None:
    mine, theirs = kept(project, "tank"), kept(project, "neo")
    tank = hansard.project("shop", actor=Actor("Tank", role="agent"))
    assert {one.id for one in project.list_receipts().items} == {mine.id, theirs.id}
    assert [one.id for one in project.list_receipts(agent="neo").items] == [theirs.id]
    assert [one.id for one in tank.list_receipts().items] == [mine.id]
    assert tank.list_receipts(agent="neo").items == ()
    assert tank.get_receipt(key_of(mine)) == mine
    assert project.get_receipt(key_of(theirs)) == theirs


@pytest.mark.parametrize("role", ["agent", "coordinator", "service"])
def test_to_a_reader_a_hidden_receipt_is_missing_and_the_history_knows(
    hansard: Hansard, project: Project, role: str
) -> None:
    receipt = kept(project, "neo")
    other = hansard.project("shop", actor=Actor("tank", role=role))
    with pytest.raises(UnknownReceipt) as hidden:
        other.get_receipt(key_of(receipt))
    with pytest.raises(UnknownReceipt) as missing:
        other.get_receipt(key_of(receipt)[:-1] + "0")
    with pytest.raises(UnknownReceipt):
        other.replay(key_of(receipt))
    assert hidden.value.message[:25] == missing.value.message[:25]
    newest = project.list_events(limit=1).items[0]
    assert (newest.action, newest.details["refusal"]) == ("policy.refused", "UnknownReceipt")


@pytest.mark.parametrize("wrong", ["nope", "", "D-1", "x" * 500])
def test_what_is_no_id_finds_no_receipt(project: Project, wrong: str) -> None:
    with pytest.raises((UnknownReceipt, Invalid)):
        project.get_receipt(wrong)


def test_old_receipts_are_purged_by_the_setting_or_by_days(project: Project, clock: FakeClock) -> None:
    old = kept(project)
    clock.advance(days=80)
    young = kept(project)
    assert project.purge_receipts(dry_run=True) == 0
    clock.advance(days=11)
    assert project.purge_receipts(dry_run=True) == 1
    assert len(project.list_receipts().items) == 2
    assert project.purge_receipts() == 1
    assert [one.id for one in project.list_receipts().items] == [young.id]
    with pytest.raises(UnknownReceipt):
        project.get_receipt(key_of(old))
    assert project.purge_receipts(days=5) == 1
    assert project.purge_receipts(days=5) == 0


def test_a_machine_whose_clock_is_ahead_makes_no_receipt_old(project: Project, target: str, clock: FakeClock) -> None:
    kept(project)
    ahead = FakeClock()
    ahead.advance(days=200)
    with Hansard.open(target, settings=Settings(user="ana"), clock=ahead) as another:
        another.project("shop").remember("Lamps are lit.", agent="mule")
    assert (project.purge_receipts(dry_run=True), project.purge_receipts()) == (0, 0)
    clock.advance(days=91)
    assert project.purge_receipts() == 1


def test_an_agent_purges_no_receipts(hansard: Hansard, project: Project) -> None:
    kept(project)
    with pytest.raises(Denied):
        hansard.project("shop", actor=Actor("tank", role="agent")).purge_receipts(days=0)
    assert len(project.list_receipts().items) == 1


def test_a_receipt_that_cannot_be_kept_does_not_cost_the_turn(hansard: Hansard, project: Project, target: str) -> None:
    impatient = Settings(user="ana", store_busy_seconds=0.05)
    with Hansard.open(target, settings=impatient) as other, hansard.store.write(project.id):
        block = other.project("shop").compile(agent="tank", keep=True)
    assert block is not None
    assert "We build payments." in block.text
    assert block.receipt.id is None
    assert "The receipt could not be kept" in block.receipt.notes[-1]


def test_a_receipt_holds_no_word_of_what_it_shows(project: Project, target: str) -> None:
    project.remember(f"core {SECRET}", agent="tank", type="core_context")
    project.decide(type="scope", title=SECRET, content=SECRET, by="ana")
    project.start_session(focus=SECRET)
    kept(project)
    assert SECRET not in repr([one.body for one in project.list_receipts().items])


def test_forgetting_a_memory_takes_the_remarks_about_its_claims(hansard: Hansard, target: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    project = hansard.project("files", create=True, root=tree)
    memory = project.remember(f"The work is in `src/{SECRET}.py`.", agent="tank", importance="high")
    receipt = kept(project)
    assert SECRET in repr(project.get_receipt(key_of(receipt)))
    project.forget(memory.id, agent="tank")
    assert SECRET not in repr(everything(target))


def test_forgetting_a_memory_takes_the_files_that_its_run_cites(project: Project, target: str) -> None:
    run = project.start_run(agent="neo", task="Something else")
    memory = project.remember("See there.", agent="neo", scope="team", citations=[f"src/{SECRET}.py"], run_id=run.id)
    receipt = kept(project)
    assert SECRET in repr(project.get_receipt(key_of(receipt)))
    project.forget(memory.id, agent="neo")
    assert SECRET not in repr(project.get_receipt(key_of(receipt)))
    assert SECRET not in repr(everything(target))
    assert project.get_receipt(key_of(receipt)).sha256 == receipt.sha256


def test_forgetting_a_run_takes_its_task_out_of_receipts(project: Project, target: str) -> None:
    run = project.start_run(agent="tank", task=f'Find {SECRET} "and" ünïcode')
    inside = project.compile(agent="tank", task=f"Find {SECRET} soon", run=run.id, keep=True)
    outside = kept(project, task=f'Find {SECRET} "and" ünïcode')
    other = kept(project, task="Something else")
    assert inside is not None
    finished = project.finish_run(run.id, outcome="completed", output="Found.")
    assert finished.memory_id is not None
    project.forget(finished.memory_id, agent="tank")
    assert SECRET not in repr(everything(target))
    assert project.get_receipt(key_of(inside.receipt)).task == "[forgotten]"
    assert project.get_receipt(key_of(outside)).task == "[forgotten]"
    assert project.get_receipt(key_of(other)).task == "Something else"


def test_what_is_forgotten_between_compiling_and_keeping_is_not_kept(
    hansard: Hansard, target: str, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    project = hansard.project("files", create=True, root=tree)
    run = project.start_run(agent="neo", task="Something else")
    stale = project.remember(f"The work is in `src/{SECRET}.py`.", agent="tank", importance="high")
    cited = project.remember("See there.", agent="neo", scope="team", citations=[f"{SECRET}.py"], run_id=run.id)
    block = project.compile(agent="tank")
    assert block is not None
    assert repr(block.receipt).count(SECRET) == 2
    project.forget(stale.id, agent="tank")
    project.forget(cited.id, agent="neo")
    receipt = keep(project.seat(), block.receipt)
    assert SECRET not in repr(everything(target))
    assert SECRET not in repr(receipt)
    assert [line.id for line in receipt.lines] == [line.id for line in block.receipt.lines]


def test_a_task_that_is_forgotten_between_compiling_and_keeping_is_not_kept(project: Project, target: str) -> None:
    run = project.start_run(agent="tank", task=f"Find {SECRET}")
    inside = project.compile(agent="tank", task=f"Find {SECRET} soon", run=run.id)
    outside = project.compile(agent="tank", task=f"Find {SECRET}")
    assert inside is not None
    assert outside is not None
    finished = project.finish_run(run.id, outcome="completed", output="Found.")
    assert finished.memory_id is not None
    project.forget(finished.memory_id, agent="tank")
    for block in (inside, outside):
        assert keep(project.seat(), block.receipt).task == "[forgotten]"
    assert SECRET not in repr(everything(target))


def test_a_receipt_of_a_state_that_has_changed_keeps_what_was_not_forgotten(project: Project) -> None:
    block = project.compile(agent="tank", task="Add a payment")
    assert block is not None
    project.remember("Something new.", agent="neo")
    assert keep(project.seat(), block.receipt)._replace(id=None) == block.receipt
