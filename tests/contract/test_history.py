"""History: every change is an event, events never change, and what was changed behind our back is found."""

import json
from collections.abc import Callable
from itertools import pairwise

import psycopg
import pytest

from hansard import Hansard
from hansard.domain.errors import Invalid, NotFound, StoreCorrupt, UnknownEvent
from hansard.project import Project
from hansard.services.audit import Verification
from hansard.settings import Settings
from support.engines import on_postgres, on_sqlite
from support.marks import invariant
from support.raw import REFUSED, mend, raw, sabotage, unguard


@pytest.fixture
def story(project: Project) -> Project:
    """A project with sixteen events about every kind of record."""
    run = project.start_run(agent="tank")
    project.propose(agent="tank", slug="a", type="learning", content="v1", run_id=run.id)
    project.propose(agent="tank", slug="a", type="learning", content="v2", tags="x")
    project.merge("a", by="ana")
    project.propose(agent="neo", slug="b", type="scope", content="c")
    project.reject("b", by="ana", reason="no")
    project.decide(type="scope", title="T", content="c", by="ana")
    project.update_decision("D-2", by="ana", content="d", tags="y", applies_to=["src/**"])
    project.remember("m", agent="neo", tags="z", citations=["f.py"])
    project.start_session(focus="f", issues=["#1"])
    project.finish_run(run.id, outcome="completed")
    return project


def test_the_history_of_one_record_is_asked_for_as_people_speak_of_it(story: Project) -> None:
    decision, entry = story.get_decision("D-2"), story.get_entry("b")
    session = story.start_session(focus="g", id="any name")
    for wanted, id in (
        *((one, decision.id) for one in ("D-2", "d2", " D-2 ", decision.id)),
        *((one, entry.id) for one in ("P-2", "p-2", "b", "B", entry.id)),
        *((one, story.id) for one in ("shop", story.id)),
        ("any name", session.id),
    ):
        found = story.list_events(subject_id=wanted).items
        assert {one.subject_id for one in found} == {id}, wanted
    first = story.list_events(subject_id="P-2", limit=1)
    assert story.list_events(subject_id="P-2", cursor=first.next_cursor).items[0].action == "entry.proposed"


NEVER_HEARD_OF = [
    "D-9",
    "P-9",
    "nobody",
    "",
    "\0",
    "a\0b",
    "D-2\0",
    "019b7b1c-8f3e-7000-8000-000000000001",
    "D-" + "9" * 99,
]


@pytest.mark.parametrize("wanted", NEVER_HEARD_OF)
def test_the_history_of_what_it_never_heard_of_is_not_found(story: Project, wanted: str) -> None:
    with pytest.raises(NotFound):
        story.list_events(subject_id=wanted)


def test_a_session_named_like_a_decision_does_not_stand_before_it(story: Project) -> None:
    for name in ("D-2", "D-9", "shop"):
        story.start_session(focus="g", id=name)
    decision = story.get_decision("D-2")

    assert {one.subject_id for one in story.list_events(subject_id="D-2").items} == {decision.id}
    assert {one.subject_id for one in story.list_events(subject_id="shop").items} == {story.id}
    assert {one.subject_id for one in story.list_events(subject_id="D-9").items} == {"D-9"}


def damage(target: str, *statements: str, values: tuple[object, ...] = ()) -> None:
    with raw(target) as connection:
        unguard(connection)
        for statement in statements:
            connection.execute(statement, values)


def assert_refused(project: Project, target: str, statement: str) -> None:
    with raw(target) as connection, pytest.raises(REFUSED):
        connection.execute(statement)
    assert project.verify().ok


def last_event_about(project: Project, subject: str) -> int:
    return next(one.seq for one in project.list_events().items if one.subject == subject)


@invariant("INV-23")
def test_an_honest_history_verifies_from_the_first_event_to_the_last(story: Project, hansard: Hansard) -> None:
    verification = story.verify()
    assert verification == Verification(16, 8, None)
    assert verification.ok
    events = story.list_events().items
    assert [one.seq for one in events] == list(range(16, 0, -1))
    assert all(later.previous == earlier.hash for later, earlier in pairwise(events))
    assert hansard.project("other", create=True).verify() == Verification(1, 0, None)


def test_an_event_says_who_did_what_to_which_record_and_when(story: Project) -> None:
    entry = story.get_entry("a")
    made = story.list_events(subject_id=entry.id).items
    assert [one.action for one in made] == ["entry.merged", "entry.revised", "entry.proposed"]
    assert [(one.actor, one.role) for one in made] == [("ana", "human"), ("tank", "agent"), ("tank", "agent")]
    assert made[0].details == {"decision": entry.decision_id}
    assert made[0].at == entry.reviewed_at
    assert made[2].before is None
    assert made[1].before == made[2].after
    assert story.get_event(1).action == "project.created"


def test_events_are_paged_and_an_unknown_one_is_not_found(story: Project) -> None:
    page = story.list_events(limit=10)
    assert [one.seq for one in story.list_events(limit=10, cursor=page.next_cursor).items] == [6, 5, 4, 3, 2, 1]
    for seq in (0, -1, 17):
        with pytest.raises(UnknownEvent):
            story.get_event(seq)
    with pytest.raises((UnknownEvent, Invalid)):
        story.get_event(2**70)
    for cursor in ("x", "-1", "1.5", "9" * 40):
        with pytest.raises(Invalid):
            story.list_events(cursor=cursor)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET action = 'x' WHERE seq = 3",
        "UPDATE events SET at = at",
        "DELETE FROM events WHERE seq = 3",
        "DELETE FROM events",
        "DELETE FROM inbox",
        "UPDATE inbox SET status = 'pending', reviewer_key = NULL, decision_id = NULL WHERE status <> 'pending'",
    ],
)
def test_the_database_itself_refuses_to_rewrite_the_record(story: Project, target: str, statement: str) -> None:
    assert_refused(story, target, statement)


@on_sqlite
@pytest.mark.parametrize(
    "statement",
    ["INSERT OR REPLACE INTO events SELECT * FROM events WHERE seq = 3", "REPLACE INTO inbox SELECT * FROM inbox"],
)
def test_a_file_refuses_to_replace_a_record(story: Project, target: str, statement: str) -> None:
    assert_refused(story, target, statement)


@on_postgres
@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE events",
        "TRUNCATE projects CASCADE",
        "TRUNCATE inbox",
        "INSERT INTO events SELECT * FROM events ON CONFLICT (project_id, seq) DO UPDATE SET action = 'x'",
        "MERGE INTO events e USING (SELECT 3 AS seq) x ON e.seq = x.seq WHEN MATCHED THEN DELETE",
    ],
)
def test_a_server_refuses_to_empty_or_replace_the_record(story: Project, target: str, statement: str) -> None:
    assert_refused(story, target, statement)


@invariant("INV-23")
@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("action = ?", "entry.merged"), ("actor_key = ?", "mallory"), ("role = ?", "service"), ("at = at + ?", 1),
        ("subject_id = ?", "x"), ("subject = ?", "memory"), ("subject = ?", "nonsense"), ("details = ?", '{"a":"b"}'),
        ("details = ?", "nonsense"), ("details = ?", "[]"), ("before_hash = ?", b"\0"), ("after_hash = ?", b"\0"),
        ("after_hash = ?", None), ("previous_hash = ?", bytes(32)), ("hash = ?", bytes(32)), ("hash = ?", b""),
    ],
)  # fmt: skip
def test_a_changed_event_is_the_one_named(story: Project, target: str, change: str, value: object) -> None:
    damage(target, f"UPDATE events SET {change} WHERE seq = 5", values=(value,))
    verification = story.verify()
    assert verification.broken is not None
    assert verification.broken.seq == 5
    assert verification.events == 4


@invariant("INV-23")
@pytest.mark.parametrize("seq", [1, 5, 13])
def test_a_deleted_event_is_the_one_named(story: Project, target: str, seq: int) -> None:
    damage(target, f"DELETE FROM events WHERE seq = {seq}")
    broken = story.verify().broken
    assert broken is not None
    assert (broken.seq, "missing" in broken.problem) == (seq, True)


@invariant("INV-23")
@pytest.mark.parametrize("kept", [0, 1, 10, 13])
def test_a_tail_that_was_cut_off_is_found(story: Project, target: str, kept: int) -> None:
    damage(target, f"DELETE FROM events WHERE seq > {kept}")
    broken = story.verify().broken
    assert broken is not None
    assert broken.seq == kept + 1


@invariant("INV-23")
def test_a_tail_that_was_cut_off_together_with_its_head_is_found_by_the_records(story: Project, target: str) -> None:
    damage(
        target,
        "DELETE FROM events WHERE seq > 10",
        "UPDATE heads SET seq = 10, hash = (SELECT hash FROM events WHERE seq = 10)",
    )
    assert not story.verify().ok


@invariant("INV-23")
@pytest.mark.parametrize(
    ("subject", "change"),
    [
        ("entry", "UPDATE inbox SET content = 'forged' WHERE slug = 'b'"),
        ("entry", "UPDATE inbox SET status = 'merged', decision_id = (SELECT min(id) FROM decisions) WHERE slug = 'b'"),
        ("entry", "UPDATE inbox SET author_key = 'ana' WHERE slug = 'b'"),
        ("entry", "DELETE FROM inbox WHERE slug = 'b'"),
        ("entry", "UPDATE inbox SET tags = 'nonsense' WHERE slug = 'b'"),
        ("decision", "UPDATE decisions SET content = 'forged' WHERE number = 2"),
        ("decision", "UPDATE decisions SET type = 'process' WHERE number = 2"),
        ("decision", "UPDATE decisions SET status = 'archived' WHERE number = 2"),
        ("decision", "UPDATE decisions SET decided_by_key = 'tank' WHERE number = 2"),
        ("decision", "UPDATE decisions SET amended_by_key = 'tank' WHERE number = 2"),
        ("decision", "UPDATE decisions SET cleared = NULL WHERE number = 2"),
        ("decision", "UPDATE decisions SET applies_to = '[' WHERE number = 2"),
        ("decision", "UPDATE decisions SET salt = (SELECT salt FROM decisions WHERE number = 1) WHERE number = 2"),
        ("decision", "DELETE FROM decisions WHERE number = 2"),
        ("memory", "UPDATE memories SET content = 'forged' WHERE agent_key = 'neo'"),
        ("memory", "UPDATE memories SET scope = 'team' WHERE agent_key = 'neo'"),
        ("memory", "UPDATE memories SET agent_key = 'tank' WHERE agent_key = 'neo'"),
        ("memory", "UPDATE memories SET forgotten_at = 1, salt = NULL, content = '' WHERE agent_key = 'neo'"),
        ("memory", "DELETE FROM memories WHERE agent_key = 'neo'"),
        ("session", "UPDATE sessions SET focus = 'forged'"),
        ("session", "DELETE FROM sessions"),
        ("run", "UPDATE runs SET outcome = 'failed'"),
    ],
)
def test_a_record_changed_directly_is_found_at_its_last_event(
    story: Project, target: str, subject: str, change: str
) -> None:
    seq = last_event_about(story, subject)
    damage(target, change)
    verification = story.verify()
    assert verification.broken is not None
    assert verification.broken.seq == seq
    assert subject in verification.broken.problem


@invariant("INV-23")
@pytest.mark.parametrize("subject", ["entry", "decision"])
def test_an_earlier_version_changed_directly_is_found(story: Project, target: str, subject: str) -> None:
    with raw(target) as connection:
        rows = connection.execute("SELECT subject_id, CAST(body AS TEXT) FROM revisions WHERE subject = ?", (subject,))
        for subject_id, body in rows.fetchall():
            forged = json.dumps(json.loads(body) | {"content": "forged"})
            connection.execute("UPDATE revisions SET body = ? WHERE subject_id = ?", (forged, subject_id))
    assert not story.verify().ok


@invariant("INV-23")
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM revisions",
        "DELETE FROM revisions WHERE subject = 'decision'",
        "UPDATE revisions SET valid_until = valid_until - 1",
        "UPDATE revisions SET valid_from = 0",
        "UPDATE revisions SET changed_by_key = 'neo'",
        "UPDATE revisions SET version = version + 10",
        "UPDATE revisions SET body = '\"nonsense\"'",
        "UPDATE revisions SET body = '[]'",
    ],
)
def test_earlier_versions_that_were_taken_away_or_moved_in_time_are_found(
    story: Project, target: str, change: str
) -> None:
    damage(target, change)
    assert not story.verify().ok


@invariant("INV-23")
@on_sqlite
def test_an_earlier_version_that_is_no_json_is_found(story: Project, target: str) -> None:
    damage(target, "UPDATE revisions SET body = 'nonsense'")
    assert not story.verify().ok


@invariant("INV-23")
@on_postgres
def test_a_server_takes_no_earlier_version_that_is_no_json(story: Project, target: str) -> None:
    with raw(target) as connection, pytest.raises(psycopg.DataError):
        connection.execute("UPDATE revisions SET body = 'nonsense'")
    damage(target, "ALTER TABLE revisions ALTER body TYPE TEXT", "UPDATE revisions SET body = 'nonsense'")
    assert not story.verify().ok


@invariant("INV-23")
def test_a_record_nobody_made_is_found(story: Project, target: str) -> None:
    damage(
        target,
        "INSERT INTO decisions SELECT project_id, 'forged', 99, type, title, content, rationale, tags, applies_to,"
        " author_key, decided_by_key, status, superseded_by, entry_id, run_id, version, created_at, updated_at, salt,"
        " amended_by_key, cleared FROM decisions WHERE number = 2",
    )
    broken = story.verify().broken
    assert broken is not None
    assert "forged" in broken.problem


ALTERED = {
    "a function that no longer refuses": "CREATE OR REPLACE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql"
    " AS $$ BEGIN RETURN NEW; END $$",
    "a trigger of another table": "DROP TRIGGER events_are_never_changed ON events;"
    " CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON ratings FOR EACH ROW EXECUTE FUNCTION refuse('x')",
    "a trigger with a condition": "DROP TRIGGER events_are_never_changed ON events; CREATE TRIGGER"
    " events_are_never_changed BEFORE UPDATE ON events FOR EACH ROW WHEN (false) EXECUTE FUNCTION refuse('x')",
    "a trigger that is switched off": "ALTER TABLE events DISABLE TRIGGER events_are_never_changed",
    "a trigger more": "CREATE TRIGGER more AFTER INSERT ON memories FOR EACH ROW EXECUTE FUNCTION refuse('x')",
    "a rule": "CREATE RULE nothing AS ON DELETE TO revisions DO INSTEAD NOTHING",
    "an index that is not unique": "DROP INDEX sessions_one_open;"
    " CREATE INDEX sessions_one_open ON sessions (project_id) WHERE ended_at IS NULL",
    "a unique key less": "ALTER TABLE inbox DROP CONSTRAINT inbox_project_id_slug_key",
    "a primary key less": "ALTER TABLE events DROP CONSTRAINT events_pkey",
    "a reference less": "ALTER TABLE memories DROP CONSTRAINT memories_project_id_agent_key_fkey",
    "a column that takes nothing": "ALTER TABLE memories ALTER access_count DROP NOT NULL",
    "a table that a crash empties": "ALTER TABLE ratings SET UNLOGGED",
}


@on_postgres
@invariant("INV-23")
@pytest.mark.parametrize("statement", ALTERED.values(), ids=ALTERED)
def test_a_schema_that_was_altered_on_the_server_is_found(story: Project, target: str, statement: str) -> None:
    with raw(target) as connection:
        connection.execute(statement)
    broken = story.verify().broken
    assert broken is not None
    assert broken.seq == 0


@on_postgres
@invariant("INV-23")
def test_who_may_not_make_a_schema_still_finds_what_is_missing(story: Project, target: str) -> None:
    with raw(target) as connection:
        connection.execute(
            "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA hansard TO reader;"
            " GRANT SELECT ON ALL TABLES IN SCHEMA hansard TO reader"
        )
        try:
            with Hansard.open(target.replace("postgres:@", "reader@", 1), settings=Settings(user="ana")) as hansard:
                assert hansard.project(story.key).verify().ok
                connection.execute("ALTER TABLE events DISABLE TRIGGER events_are_never_changed")
                assert not hansard.project(story.key).verify().ok
        finally:
            connection.execute("DROP OWNED BY reader; DROP ROLE reader")


@invariant("INV-23")
def test_a_project_that_lost_the_end_of_its_history_says_so_whatever_is_asked(
    hansard: Hansard, project: Project, target: str
) -> None:
    memory = project.remember("the sky is blue", agent="tank")
    with raw(target) as connection:
        connection.execute("DELETE FROM heads")
    calls: tuple[Callable[[], object], ...] = (
        lambda: project.remember("grass", agent="tank"),
        lambda: project.remember_many([{"content": "grass", "agent": "tank"}]),
        lambda: project.edit_memory(memory.id, agent="tank", content="grass"),
        lambda: project.forget(memory.id, agent="tank"),
        lambda: project.propose(slug="a", type="scope", content="c", agent="tank"),
        lambda: project.decide(type="scope", title="t", content="c"),
        lambda: project.recall("sky", agent="tank"),
        lambda: list(project.follow(idle_seconds=0.1)),
        lambda: list(project.follow(since=9, idle_seconds=0.1)),
        project.verify,
    )
    for call in calls:
        with pytest.raises(StoreCorrupt, match="has lost the end of its history"):
            call()


def test_a_change_stands_though_the_cleaning_after_it_fails(project: Project, target: str) -> None:
    memory = project.remember("the combination is 1234", agent="tank")
    sabotage(target, "UPDATE OF erasing ON heads WHEN NEW.erasing = 2")
    assert project.forget(memory.id, agent="tank").forgotten_at is not None
    assert project.remember("after it", agent="tank").content == "after it"
    with raw(target) as connection:
        assert connection.execute("SELECT erasing FROM heads").get == 1
    mend(target)
    project.remember("and later", agent="tank")
    with raw(target) as connection:
        assert connection.execute("SELECT erasing FROM heads").get == 0
