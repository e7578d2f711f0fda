"""Agents write so much and no more; people are not limited. Limits hold over processes and say when to try again."""

from pathlib import Path
from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import QuotaReached, TooManyWrites, UnknownMemory
from hansard.project import Project
from hansard.services.complete import OVER_LIMIT
from hansard.settings import Settings
from support.clock import FakeClock


def opened(target: str, clock: FakeClock, **limits: Any) -> Hansard:
    return Hansard.open(target, settings=Settings(user="ana")._replace(**limits), clock=clock)


def test_an_agent_writes_so_often_in_a_minute(project: Project, target: str, clock: FakeClock) -> None:
    with (
        opened(target, clock, guard_writes_per_minute=3) as first,
        opened(target, clock, guard_writes_per_minute=3) as second,
    ):
        here, there = first.project(project.key), second.project(project.key)
        here.remember("one", agent="tank")
        there.remember("two", agent="tank")
        here.remember_many([{"content": f"three {number}", "agent": "tank"} for number in range(50)])
        with pytest.raises(TooManyWrites, match=r"guard\.writes_per_minute.*Try again at \d{4}-.*Z") as refusal:
            there.remember("four", agent="Tank")
        assert refusal.value.code == "guard.rate"
        # Others, people, and the next minute are not concerned.
        here.remember("five", agent="neo")
        here.decide(type="scope", title="t", content="c", by="ana")
        clock.advance(seconds=60)
        there.remember("six", agent="tank")
    contents = {one.content for one in project.list_memories(agent="tank").items}
    assert {"one", "two", "six"} < contents
    assert "four" not in contents
    assert project.verify().ok


def test_what_changes_nothing_is_not_counted(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_writes_per_minute=1) as hansard:
        limited = hansard.project(project.key)
        made = limited.remember("one", agent="tank")
        for _ in range(5):
            assert limited.remember("one", agent="tank").duplicate
            limited.use_memory(made.id, agent="tank")


def test_people_and_services_are_not_limited(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_writes_per_minute=1, guard_memories_max=1, guard_pending_max=1) as hansard:
        for actor in (Actor("ana", role="human"), Actor("importer", role="service")):
            bound = hansard.project(project.key, actor=actor)
            for number in range(5):
                bound.remember(f"{actor.name} {number}", agent=actor.name)


def test_an_agent_has_so_many_memories(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_memories_max=10) as hansard:
        limited = hansard.project(project.key)
        with pytest.raises(QuotaReached, match=r"guard\.memories_max") as refusal:
            limited.remember_many([{"content": f"thought {number}", "agent": "tank"} for number in range(11)])
        assert refusal.value.code == "guard.quota"
        limited.remember_many([{"content": f"thought {number}", "agent": "tank"} for number in range(10)])
        clock.advance(seconds=60)
        with pytest.raises(QuotaReached):
            limited.remember("one more", agent="tank")
        limited.remember("another's", agent="neo")


def test_a_batch_over_the_limit_is_told_how_many_it_would_add(project: Project, target: str, clock: FakeClock) -> None:
    def batch(count: int) -> list[dict[str, object]]:
        return [{"content": f"thought {number}", "agent": "tank"} for number in range(count)]

    with opened(target, clock, guard_memories_max=6) as hansard:
        limited = hansard.project(project.key)
        with pytest.raises(QuotaReached) as refusal:
            limited.remember_many(batch(10))
        assert refusal.value.message == (
            "tank has 0 memories in this project, this would add 10, and the limit is 6 (guard.memories_max); nothing"
            " was written. Write fewer at once, or have a person raise the limit."
        )
        limited.remember_many(batch(6))
        with pytest.raises(QuotaReached, match=r"has 6 .* Write fewer at once, forget what is no longer needed, or"):
            limited.remember_many([{"content": f"more {number}", "agent": "tank"} for number in range(2)])
        with pytest.raises(QuotaReached, match=r"has 6 memories in this project, and .* written\. Forget what"):
            limited.remember("one more", agent="tank")


def test_not_one_memory_more_than_the_limit_gets_in_by_any_process(
    project: Project, target: str, clock: FakeClock
) -> None:
    project.remember_many([{"content": f"neo's thought {number}", "agent": "neo"} for number in range(5)])
    told = []
    for number in range(6):
        # Each in a process of its own, as the command line has it: nothing is known of the ones before.
        with opened(target, clock, guard_memories_max=2) as hansard:
            try:
                hansard.project(project.key).remember(f"thought {number}", agent="tank")
            except QuotaReached as refusal:
                told.append(refusal.message)
    assert len(project.list_memories(agent="tank").items) == 2
    assert len(told) == 4
    with (
        opened(target, clock, guard_memories_max=2) as hansard,
        pytest.raises(QuotaReached, match="neo has 5 memories in this project, and the limit is 2"),
    ):
        hansard.project(project.key).remember("one more of neo", agent="neo")


def test_what_one_process_counted_holds_however_many_others_add(
    project: Project, target: str, clock: FakeClock
) -> None:
    with opened(target, clock, guard_memories_max=4) as first, opened(target, clock, guard_memories_max=4) as second:
        here, there = first.project(project.key), second.project(project.key)
        here.remember_many([{"content": f"neo's thought {number}", "agent": "neo"} for number in range(4)])
        here.remember("one", agent="tank")
        for said in ("two", "three", "four"):
            there.remember(said, agent="tank")
        with pytest.raises(QuotaReached, match="tank has 4 memories"):
            here.remember("five", agent="tank")


def test_a_large_project_is_not_looked_through_at_every_write(
    project: Project, target: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hansard.services.limit.COUNTED_MAX", 3)
    project.remember_many([{"content": f"neo's thought {number}", "agent": "neo"} for number in range(5)])
    for number in range(4):
        with opened(target, clock, guard_memories_max=2) as hansard:
            hansard.project(project.key).remember(f"thought {number}", agent="tank")
    clock.advance(seconds=60)
    with opened(target, clock, guard_memories_max=2) as hansard, pytest.raises(QuotaReached, match="tank has 4"):
        hansard.project(project.key).remember("one more", agent="tank")


def test_not_one_proposal_more_than_the_limit_gets_in(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_pending_max=2) as hansard:
        limited = hansard.project(project.key)
        for slug in ("one", "two"):
            limited.propose(agent="tank", slug=slug, type="scope", content="c")
        with pytest.raises(QuotaReached, match="2 proposals of tank wait for review, and the limit is 2"):
            limited.propose(agent="tank", slug="three", type="scope", content="c")
        limited.propose(agent="neo", slug="three", type="scope", content="c")


def test_an_agent_has_so_many_open_proposals(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_pending_max=2) as hansard:
        limited = hansard.project(project.key)
        for slug in ("one", "two"):
            limited.propose(agent="tank", slug=slug, type="scope", content="c")
        clock.advance(seconds=60)
        with pytest.raises(QuotaReached, match=r"guard\.pending_max"):
            limited.propose(agent="tank", slug="three", type="scope", content="c")
        limited.merge("one", by="ana")
        clock.advance(seconds=60)
        limited.propose(agent="tank", slug="three", type="scope", content="c")


def test_no_limit_is_set_by_nought(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_writes_per_minute=0, guard_memories_max=0, guard_pending_max=0) as hansard:
        limited = hansard.project(project.key)
        for number in range(5):
            limited.remember(f"thought {number}", agent="tank")


def test_a_batch_is_counted_whichever_write_it_is_and_forgetting_is_never_refused(
    project: Project, target: str, clock: FakeClock
) -> None:
    with opened(target, clock, guard_memories_max=10) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        tank.remember("The first fact.")
        with pytest.raises(QuotaReached):
            tank.remember_many([{"content": f"Fact {number}.", "agent": "tank"} for number in range(50)])
        made = [tank.remember(f"Thing {number} is blue.") for number in range(9)]
        clock.advance(seconds=60)
        with pytest.raises(QuotaReached):
            tank.remember("One more fact.")
        for one in made:
            tank.forget(one.id)
        tank.start_session(focus="Room again")
        tank.remember("One more fact.")


def test_files_in_the_name_of_an_agent_use_up_nothing_of_its_limit(
    target: str, clock: FakeClock, tmp_path: Path
) -> None:
    inbox = tmp_path / ".squad/decisions/inbox"
    inbox.mkdir(parents=True)
    for number in range(8):
        said = f"---\nagent: victim\nslug: thing-{number}\ntype: technical\n---\n\nWe do thing {number} so.\n"
        (inbox / f"thing-{number}.md").write_text(said)
    with opened(target, clock, guard_pending_max=5) as hansard:
        web = hansard.project("web", create=True, root=tmp_path)
        assert len(web.import_inbox(by="ana").imported) == 8
        victim = hansard.project("web", actor=Actor("victim"))
        victim.remember("A fact of mine.")
        victim.propose(slug="mine", type="technical", content="We do mine so.")


def test_a_lesson_counts_for_who_gave_it_and_not_for_who_got_it(
    project: Project, target: str, clock: FakeClock
) -> None:
    with opened(target, clock, guard_memories_max=3) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        boss = hansard.project(project.key, actor=Actor("boss", "coordinator"))
        tank.remember("The first fact.")
        for number in range(3):
            boss.inject_learning(f"Step {number} of the build is slow.", agent="tank", category="best-practice")
        clock.advance(seconds=60)
        with pytest.raises(QuotaReached, match="boss has 3 memories"):
            boss.inject_learning("Step nine of the build is slow.", agent="tank", category="best-practice")
        tank.remember("The second fact.")
        tank.remember("The third fact.")
        clock.advance(seconds=60)
        with pytest.raises(QuotaReached, match="tank has 3 memories"):
            tank.remember("The fourth fact.")


def test_what_only_looks_like_a_lesson_counts_for_its_owner(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_memories_max=2) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        for number in range(2):
            tank.remember(f"Fact {number}.", name=f"Lead feedback: best-practice {number}")
        entry = tank.propose(slug="lead", type="learning", title="Lead feedback: c", content="Tests run by pytest.")
        hansard.project(project.key).merge(entry.slug, by="ana")
        clock.advance(seconds=60)
        with pytest.raises(QuotaReached, match="tank has 3 memories"):
            tank.remember("One more fact.", name="Lead feedback: d")


def test_whoever_is_over_the_limit_still_ends_a_run(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_memories_max=2) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        session = tank.start_session(focus="The build")
        run = tank.start_run(task="Find out how long the build takes")
        tank.propose(slug="late", type="scope", content="The build is watched.", run_id=run.id)
        for number in range(2):
            tank.remember(f"Fact {number}.")
        clock.advance(seconds=60)
        ended = tank.finish_run(run.id, outcome="completed", output="It takes nine minutes.")

        assert (ended.is_open, ended.outcome) == (False, "completed")
        assert (ended.memory_id, ended.not_remembered) == (None, OVER_LIMIT)
        assert ended.scribed is not None
        assert ended.scribed.session_id == session.id
        assert [one.slug for one in ended.scribed.awaiting_review] == ["late"]
        assert len(tank.list_memories().items) == 2
    assert project.verify().ok


def test_a_run_over_the_limit_ends_without_what_the_scribe_would_keep(
    project: Project, target: str, clock: FakeClock
) -> None:
    with opened(target, clock, guard_memories_max=2) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        run = tank.start_run(task="Find out how long the build takes")
        tank.propose(slug="learned", type="learning", content="The build takes nine minutes.", run_id=run.id)
        for number in range(2):
            tank.remember(f"Fact {number}.")
        clock.advance(seconds=60)
        ended = tank.finish_run(run.id, outcome="completed", output="It takes nine minutes.")

        assert not tank.get_run(run.id).is_open
        assert ended.not_remembered == OVER_LIMIT
        assert ended.scribed is None
        assert OVER_LIMIT in str(ended.not_scribed)
        assert [one.slug for one in tank.list_inbox().items] == ["learned"]


def test_no_claim_about_where_a_proposal_comes_from_gets_round_the_limit(
    project: Project, target: str, clock: FakeClock
) -> None:
    with opened(target, clock, guard_pending_max=2) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        for slug in ("one", "two"):
            tank.propose(slug=slug, type="scope", content=f"We do {slug}.", origin="imported_file")
        with pytest.raises(QuotaReached, match="2 proposals of tank wait for review"):
            tank.propose(slug="three", type="scope", content="We do three.", origin="imported_file")
        with pytest.raises(QuotaReached):
            tank.propose(slug="three", type="scope", content="We do three.")


def test_a_kept_receipt_is_a_write_and_a_turn_never_fails_for_it(
    project: Project, target: str, clock: FakeClock
) -> None:
    with opened(target, clock, guard_writes_per_minute=2) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        project.decide(type="scope", title="Build", content="The build takes nine minutes.", by="ana")
        blocks = [tank.compile(task=f"Mend the build {number}", keep=True) for number in range(4)]
        kept = [block.receipt.id for block in blocks if block is not None]
        assert [id is not None for id in kept] == [True, True, False, False]
        assert blocks[3] is not None
        assert "nine minutes" in blocks[3].text
        (told,) = blocks[3].receipt.notes
        assert told.startswith("The receipt could not be kept: tank has written 2 times in this minute")
        assert len(tank.list_receipts().items) == 2
        # Both share one limit with everything else that is written.
        with pytest.raises(TooManyWrites):
            tank.remember("One more fact.")
        clock.advance(seconds=60)
        tank.remember("One more fact.")
        again = tank.compile(task="Mend the build", keep=True)
        assert again is not None
        assert again.receipt.id is not None


def test_a_reading_is_a_write_and_over_the_limit_it_is_only_read(
    project: Project, target: str, clock: FakeClock
) -> None:
    made = project.remember("The build takes nine minutes.", agent="tank")
    clock.advance(seconds=60)
    with opened(target, clock, guard_writes_per_minute=2) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        read = [tank.use_memory(made.id, task=f"Mend the build {number}") for number in range(5)]
        assert {one.content for one in read} == {made.content}
        assert [one.access_count for one in read] == [1, 2, 2, 2, 2]
        assert len(project.retrievals(memory_id=made.id)) == 2
        with pytest.raises(TooManyWrites):
            tank.remember("One more fact.")
        with pytest.raises(UnknownMemory):
            tank.use_memory(project.remember("A thought of mine.", agent="neo").id)
        clock.advance(seconds=60)
        assert tank.use_memory(made.id).access_count == 3


def test_people_keep_receipts_and_read_without_a_limit(project: Project, target: str, clock: FakeClock) -> None:
    made = project.remember("The build takes nine minutes.", agent="tank", scope="team")
    with opened(target, clock, guard_writes_per_minute=1) as hansard:
        ana = hansard.project(project.key, actor=Actor("ana", "human"))
        blocks = [ana.compile(task="Mend the build", keep=True) for _ in range(3)]
        assert all(block is not None and block.receipt.id is not None for block in blocks)
        assert [ana.use_memory(made.id).access_count for _ in range(3)] == [1, 2, 3]


def test_a_limit_of_one_is_told_of_one_thing(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_pending_max=1) as hansard:
        limited = hansard.project(project.key)
        limited.propose(agent="tank", slug="one", type="scope", content="c")
        with pytest.raises(QuotaReached, match=r"^1 proposal of tank waits for review, .* Have it reviewed first"):
            limited.propose(agent="tank", slug="two", type="scope", content="c")
    with opened(target, clock, guard_memories_max=1) as hansard:
        limited = hansard.project(project.key)
        limited.remember("one", agent="neo")
        with pytest.raises(QuotaReached, match="neo has 1 memory in this project"):
            limited.remember("two", agent="neo")
    with opened(target, clock, guard_writes_per_minute=1) as hansard:
        limited = hansard.project(project.key)
        limited.remember("one", agent="trinity")
        with pytest.raises(TooManyWrites, match="trinity has written 1 time in this minute"):
            limited.remember("two", agent="trinity")


def test_whoever_writes_too_often_can_still_forget_withdraw_and_end(
    project: Project, target: str, clock: FakeClock
) -> None:
    with opened(target, clock, guard_writes_per_minute=4) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        tank.start_session(focus="The build")
        made = tank.remember("The build takes nine minutes.")
        entry = tank.propose(slug="late", type="scope", content="The build is watched.")
        run = tank.start_run(task="Find out how long the build takes")
        with pytest.raises(TooManyWrites):
            tank.remember("One fact more.")

        assert tank.reject(entry.ref).status == "rejected"
        assert tank.forget(made.id).is_forgotten
        ended = tank.finish_run(run.id, outcome="completed", output="It takes nine minutes.")
        assert (ended.is_open, ended.memory_id is not None) == (False, True)
        assert not tank.end_session().is_open
        with pytest.raises(TooManyWrites):
            tank.start_session(focus="Another one")
    assert project.verify().ok


def test_what_ends_something_is_counted(project: Project, target: str, clock: FakeClock) -> None:
    with opened(target, clock, guard_writes_per_minute=3) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank"))
        made = tank.remember("The build takes nine minutes.")
        tank.start_session(focus="The build")
        tank.forget(made.id)
        with pytest.raises(TooManyWrites):
            tank.remember("One fact more.")
