"""The doctor: every kind of damage is found, named, and comes with what to do about it."""

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from hansard import Actor, Hansard
from hansard.domain.findings import Finding, Severity, warning
from hansard.project import Project
from hansard.services import doctor
from hansard.settings import Settings, load
from support import postgres
from support.archives import unhinge
from support.clock import FakeClock
from support.engines import on_postgres, on_sqlite
from support.raw import drop_trigger, everything, raw, triggers, unguard

ME = Settings(user="ana")
PROBLEM, WARNING, OK = Severity.PROBLEM, Severity.WARNING, Severity.OK


@pytest.fixture
def filled(project: Project) -> Project:
    for number in range(20):
        project.remember(f"zeppelin {number} lands at gate {number % 7}", agent="tank", tags=["air"])
    entry = project.propose(agent="tank", slug="helium", type="architectural", content="Helium only.")
    project.merge(entry.id, by="ana")
    return project


def of(findings: tuple[Finding, ...], check: str) -> tuple[Severity, str]:
    """How bad the worst finding of a check is, and all that was said."""
    about = [one for one in findings if one.check == check]
    assert all(bool(one.advice) == (one.severity is not OK) for one in about), "what is not ok says what to do"
    worst = max(about, key=lambda one: [OK, WARNING, PROBLEM].index(one.severity))
    return worst.severity, " ".join(one.found for one in about)


def risky(findings: tuple[Finding, ...]) -> set[str]:
    return {one.check for one in findings if one.severity is not OK}


def test_a_healthy_store_has_nothing_wrong_and_is_not_changed(
    filled: Project, hansard: Hansard, target: str, engine: str
) -> None:
    before = everything(target)
    for full in (False, True):
        findings = hansard.doctor(full=full)
        assert {one.check for one in findings} >= {"integrity", "schema", "history", "vectors", "folders"}
        # The tests' own server keeps nothing for the case of a loss of power, and is told so.
        assert risky(findings) == ({"integrity"} if engine == "postgres" else set())
        assert PROBLEM not in {one.severity for one in findings}
        assert {one.project for one in findings} == {None, "shop"}
    assert everything(target) == before
    assert {one.project for one in filled.doctor()} == {"shop"}


def test_all_projects_are_examined_or_those_that_are_named(filled: Project, hansard: Hansard) -> None:
    hansard.project("zoo", create=True)
    assert {one.project for one in hansard.doctor()} == {None, "shop", "zoo"}
    assert {one.project for one in hansard.doctor(["zoo"])} == {None, "zoo"}
    assert {one.project for one in hansard.doctor(())} == {None}


def test_an_agent_may_ask_about_its_project(filled: Project, hansard: Hansard) -> None:
    assert of(hansard.project("shop", actor=Actor("tank", role="agent")).doctor(), "history")[0] is OK


@on_sqlite
def test_a_row_that_breaks_a_rule_is_found_at_once(filled: Project, hansard: Hansard, target: str) -> None:
    with raw(target) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON; UPDATE runs SET outcome = 'x'")
        connection.execute("UPDATE memories SET scope = 'wrong' WHERE content LIKE 'zeppelin 3 %'")
    severity, told = of(hansard.doctor(()), "integrity")
    assert severity is PROBLEM
    assert "memories" in told


@on_sqlite
def test_a_reference_that_leads_nowhere_is_found_by_a_full_examination(
    filled: Project, hansard: Hansard, target: str
) -> None:
    with raw(target) as connection:
        connection.execute("PRAGMA foreign_keys = OFF; INSERT INTO memory_tags VALUES ('nobody', 'a', 'b')")
    assert of(hansard.doctor(()), "integrity")[0] is OK
    severity, told = of(hansard.doctor((), full=True), "integrity")
    assert (severity, "1 rows of memory_tags point to memories that are gone" in told) == (PROBLEM, True)


@on_sqlite
def test_a_row_that_its_index_does_not_know_is_found_by_a_full_examination(
    filled: Project, hansard: Hansard, target: str
) -> None:
    hansard.close()
    unhinge(Path(target), "units_by_stamp", "UPDATE units SET stamp = stamp + 1000")
    with Hansard.open(target, settings=ME) as damaged:
        assert of(damaged.doctor(()), "integrity")[0] is OK
        severity, told = of(damaged.doctor((), full=True), "integrity")
    assert (severity, "units_by_stamp" in told) == (PROBLEM, True)


@on_sqlite
def test_a_file_with_damaged_pages_is_a_finding_and_no_failure(filled: Project, hansard: Hansard, target: str) -> None:
    hansard.close()
    with raw(target) as connection:
        page = int(connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'vectors'").get)
    whole = bytearray(Path(target).read_bytes())
    whole[(page - 1) * 4096 : page * 4096] = bytes(4096)
    Path(target).write_bytes(whole)
    with Hansard.open(target, settings=ME) as damaged:
        for full in (False, True):
            assert of(damaged.doctor((), full=full), "integrity")[0] is PROBLEM


@on_postgres
def test_a_store_that_cannot_be_examined_is_a_finding_and_no_failure(
    filled: Project, hansard: Hansard, target: str
) -> None:
    with raw(target) as connection:
        connection.execute("ALTER SCHEMA hansard RENAME TO elsewhere")
    findings = hansard.doctor()
    assert of(findings, "integrity")[0] is PROBLEM
    assert of(findings, "projects")[0] is PROBLEM


def test_a_trigger_that_is_gone_is_found(filled: Project, hansard: Hansard, target: str) -> None:
    with raw(target) as connection:
        drop_trigger(connection, *triggers(connection)[0])
    severity, told = of(hansard.doctor(()), "integrity")
    assert (severity, "trigger" in told) == (PROBLEM, True)


@on_postgres
def test_an_index_or_a_rule_that_the_server_does_not_keep_is_found(
    filled: Project, hansard: Hansard, target: str
) -> None:
    with raw(target) as connection:
        connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'units_by_stamp'::regclass")
        connection.execute("ALTER TABLE runs ADD CONSTRAINT always CHECK (true) NOT VALID")
    severity, told = of(hansard.doctor(()), "integrity")
    assert severity is PROBLEM
    assert "the index units_by_stamp is not valid" in told
    assert "the rule always of runs was never checked" in told


@on_postgres
def test_a_server_that_may_lose_what_it_confirmed_is_a_warning(hansard: Hansard, target: str) -> None:
    with psycopg.connect(target, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {postgres.name_of(target)} SET synchronous_commit = off")
    postgres.spoil(target)
    with Hansard.open(target, settings=ME) as fresh:
        severity, told = of(fresh.doctor(()), "integrity")
    assert (severity, "synchronous_commit is off" in told) == (WARNING, True)
    assert "PostgreSQL 1" in told


def test_a_schema_that_somebody_else_has_changed_meanwhile_is_a_problem(
    filled: Project, hansard: Hansard, target: str, engine: str
) -> None:
    with raw(target) as connection:
        connection.execute(
            "PRAGMA user_version = 99" if engine == "sqlite" else "UPDATE schema_version SET version = 99"
        )
    severity, told = of(hansard.doctor(()), "schema")
    assert (severity, "version 99" in told) == (PROBLEM, True)


def test_a_disk_that_is_nearly_full_is_told() -> None:
    place, megabyte = Path("hansard.db"), 1024 * 1024
    assert doctor.space(place, free=99 * megabyte, size=megabyte).severity is PROBLEM
    assert doctor.space(place, free=500 * megabyte, size=300 * megabyte).severity is WARNING
    assert doctor.space(place, free=500 * megabyte, size=200 * megabyte).severity is OK


@on_sqlite
def test_the_disk_of_the_file_is_looked_at(hansard: Hansard, monkeypatch: pytest.MonkeyPatch) -> None:
    assert of(hansard.doctor(()), "disk")[0] is OK
    monkeypatch.setattr(doctor, "DISK_FREE_BYTES_MIN", 1 << 62)
    assert of(hansard.doctor(()), "disk")[0] is PROBLEM


@on_sqlite
def test_a_file_or_a_folder_that_everybody_may_write_is_a_warning(hansard: Hansard, target: str) -> None:
    for place, mode, severity in (
        (Path(target), 0o666, WARNING),
        (Path(target), 0o600, OK),
        (Path(target).parent, 0o777, WARNING),
        (Path(target).parent, 0o1777, OK),
    ):
        place.chmod(mode)
        assert of(hansard.doctor(()), "permissions")[0] is severity


@on_sqlite
def test_a_database_that_others_may_read_is_a_warning(hansard: Hansard, target: str) -> None:
    file = Path(target)
    for mode, folder, severity in (
        (0o644, 0o755, WARNING),
        (0o640, 0o750, WARNING),
        (0o644, 0o700, OK),
        (0o600, 0o755, OK),
    ):
        file.chmod(mode)
        file.parent.chmod(folder)
        found = of(hansard.doctor(()), "permissions")
        assert found[0] is severity
        assert (str(file) in found[1]) is (severity is WARNING)


def test_a_record_ahead_of_the_clock_is_a_warning(target: str, clock: FakeClock) -> None:
    ahead = FakeClock()
    ahead.advance(days=3)
    with Hansard.open(target, settings=Settings(user="ana"), clock=ahead) as hansard:
        assert of(hansard.project("shop", create=True).doctor(), "clock")[0] is OK
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as hansard:
        found = of(hansard.project("shop").doctor(), "clock")
        assert found[0] is WARNING
        assert "4,3" in found[1]  # minutes of three days
        assert "minutes ahead of this clock" in found[1]


@on_sqlite
def test_a_secret_that_others_may_read_is_a_warning(target: str, home: Path) -> None:
    file = home / "config" / "hansard" / "config.yml"
    file.parent.mkdir(parents=True)
    file.write_text("embedding.key: s3cret\n")
    for mode, severity in ((0o644, WARNING), (0o640, WARNING), (0o600, OK)):
        file.chmod(mode)
        with Hansard.open(target, settings=load(environment={"XDG_CONFIG_HOME": str(home / "config")})) as hansard:
            findings = hansard.doctor(())
        assert of(findings, "permissions")[0] is severity
        assert "s3cret" not in repr(findings)


def test_a_history_that_was_altered_is_a_problem(filled: Project, target: str) -> None:
    with raw(target) as connection:
        connection.execute("UPDATE memories SET content = 'never' WHERE content LIKE 'zeppelin 3 %'")
    severity, told = of(filled.doctor(), "history")
    assert (severity, "broken at event" in told) == (PROBLEM, True)


@pytest.fixture
def long(filled: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose history is too long to be walked at every visit."""
    monkeypatch.setattr(doctor, "CHAIN_EVENTS_QUICK", 5)
    return filled


def test_of_a_long_history_the_end_is_checked_and_the_whole_on_request(long: Project, target: str) -> None:
    severity, told = of(long.doctor(), "history")
    assert (severity, "a full examination" in told) == (OK, True)
    with raw(target) as connection:
        connection.execute("UPDATE memories SET content = 'never' WHERE content LIKE 'zeppelin 3 %'")
    assert of(long.doctor(), "history")[0] is OK
    assert of(long.doctor(full=True), "history")[0] is PROBLEM


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET action = 'nothing.happened' WHERE seq = (SELECT max(seq) FROM events)",
        "UPDATE events SET previous_hash = hash WHERE seq = (SELECT max(seq) - 1 FROM events)",
        "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)",
    ],
)
def test_damage_at_the_end_of_a_long_history_is_found_at_once(long: Project, target: str, damage: str) -> None:
    with raw(target) as connection:
        unguard(connection)
        connection.execute(damage)
    assert of(long.doctor(), "history")[0] is PROBLEM


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM vectors WHERE memory_seq = (SELECT min(memory_seq) FROM vectors)",
        "UPDATE vectors SET vector = substr(vector, 1, 7) WHERE memory_seq = (SELECT min(memory_seq) FROM vectors)",
    ],
)
def test_a_vector_that_is_missing_or_damaged_is_found_and_made_again(filled: Project, target: str, damage: str) -> None:
    with raw(target) as connection:
        connection.execute(damage)
    severity, told = of(filled.doctor(), "vectors")
    assert (severity, "1 of 21 units" in told or "1 of 20 units" in told) == (WARNING, True)
    filled.reembed()
    assert of(filled.doctor(), "vectors")[0] is OK


def test_vectors_of_another_model_than_the_configured_one_are_a_warning(filled: Project, target: str) -> None:
    other = ME._replace(embedding_provider="http", embedding_base_url="http://127.0.0.1:1/v1", embedding_model="m")
    with Hansard.open(target, settings=other) as hansard:
        severity, told = of(hansard.project("shop").doctor(), "vectors")
    assert (severity, "the settings ask for" in told) == (WARNING, True)
    with Hansard.open(target, settings=ME._replace(embedding_provider="none")) as hansard:
        assert of(hansard.project("shop").doctor(), "vectors")[0] is OK


def test_a_provider_that_cannot_be_used_is_a_problem_of_the_settings(filled: Project, target: str) -> None:
    with Hansard.open(target, settings=ME._replace(embedding_provider="http")) as hansard:
        severity, told = of(hansard.project("shop").doctor(), "settings")
    assert (severity, "embedding.base_url" in told) == (PROBLEM, True)


def test_an_erasure_that_waits_is_a_warning(filled: Project, target: str) -> None:
    assert of(filled.doctor(), "erasures")[0] is OK
    with raw(target) as connection:
        connection.execute("UPDATE heads SET erasing = 1")
    assert of(filled.doctor(), "erasures")[0] is WARNING


def test_boundaries_over_the_budget_are_a_warning_with_the_largest_named(project: Project) -> None:
    small = project.decide(type="scope", title="Small", content="x" * 3_000, by="ana")
    severity, told = of(project.doctor(), "decisions")
    assert severity is OK
    assert told.startswith("The 1 boundary that heads every block has ")
    large = project.decide(type="architectural", title="Large", content="y " * 15_000, by="ana")
    findings = project.doctor()
    assert of(findings, "decisions")[0] is WARNING
    advice = next(one.advice for one in findings if one.check == "decisions")
    assert advice.index(large.ref) < advice.index(small.ref)


def test_of_one_and_of_none_it_is_told_as_of_one_and_of_none(project: Project) -> None:
    findings = project.doctor()
    assert "No boundary heads every block yet." in of(findings, "decisions")[1]
    assert "1 event, 0 records." in of(findings, "history")[1]
    project.remember("zeppelin", agent="tank")
    findings = project.doctor()
    assert "2 events, 1 record." in of(findings, "history")[1]
    assert "1 unit, none of them damaged." in of(findings, "index")[1]
    assert "Every unit has a vector: 1 unit." in of(findings, "vectors")[1]
    assert not [one.found for one in findings if re.search(r"\b1 (events|records|units|boundaries)\b", one.found)]


def test_a_folder_that_vanished_is_a_warning(hansard: Hansard, tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    project = hansard.project("shop", create=True, root=root)
    assert of(project.doctor(), "folders")[0] is OK
    root.rmdir()
    severity, told = of(project.doctor(), "folders")
    assert (severity, str(root) in told) == (WARNING, True)


def test_a_check_that_cannot_look_is_a_problem_and_the_others_go_on(filled: Project, target: str) -> None:
    with raw(target) as connection:
        unguard(connection)
        connection.execute("DELETE FROM heads")
    findings = filled.doctor()
    assert of(findings, "history")[0] is PROBLEM
    assert {one.check for one in findings} >= {"decisions", "folders"}


def test_a_new_check_is_one_function(filled: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def drift(look: doctor.Look) -> Iterator[Finding]:
        yield warning("mirror", f"The mirror of {look.seat.project.key} is behind.", "Export it.")

    monkeypatch.setitem(doctor.PROJECT_CHECKS, "mirror", drift)
    assert of(filled.doctor(), "mirror") == (WARNING, "The mirror of shop is behind.")


def test_progress_is_told_to_the_last_check(filled: Project, hansard: Hansard) -> None:
    told: list[tuple[int, int]] = []
    hansard.doctor(full=True, progress=lambda _, done, total: told.append((done, total)))
    total = 1 + len(doctor.STORE_CHECKS) + len(doctor.PROJECT_CHECKS)
    assert told == [(number, total) for number in range(1, total + 1)]


def test_a_write_to_a_record_ahead_of_the_clock_warns_once(
    target: str, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    ahead = FakeClock()
    ahead.advance(seconds=3600)
    with Hansard.open(target, settings=Settings(user="ana"), clock=ahead) as hansard:
        hansard.project("shop", create=True)
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as hansard:
        project = hansard.project("shop")
        assert project.list_memories().items == ()
        assert "ahead of this clock" not in caplog.text
        for number in range(2):
            project.remember(f"zeppelin {number}", agent="tank")
    assert caplog.text.count("minutes ahead of this clock") == 1
    assert "`hansard doctor` says what to do." in caplog.text
