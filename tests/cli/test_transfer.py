"""`hansard migrate-store`: from a file to a server and back, and what it says of wrong addresses."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard import Hansard
from hansard.settings import Settings
from support import postgres
from support.raw import raw, unguard
from support.terminals import seen_by_a_person


@pytest.fixture
def filled(project_cli: Cli, tmp_path: Path) -> str:
    project_cli("memory", "record", "The proxy cuts uploads at five megabytes.", "--agent", "tank")
    return str(tmp_path / "cli.db")


def test_a_project_moves_to_a_server_and_back(project_cli: Cli, filled: str, tmp_path: Path) -> None:
    url, back = postgres.empty_database(), str(tmp_path / "back.db")
    try:
        ran = project_cli("migrate-store", filled, url)
        assert (ran.code, ran.err) == (0, "web-shop: made\n")
        assert "1 project compared row by row: records and history are the same in both." in ran.out
        again = project_cli("migrate-store", filled, url, "--json").json["items"]
        assert [(one["was_there"], one["searches"]) for one in again] == [(True, 1)]
        assert project_cli("migrate-store", url, back).code == 0
        for place in (url, back):
            found = project_cli("--db", place, "memory", "search", "upload limit", "--agent", "tank", "--json").json
            assert len(found["items"]) == 1
            assert project_cli("--db", place, "history", "verify").code == 0
    finally:
        postgres.drop(url)


def test_a_wrong_address_is_told(project_cli: Cli, filled: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.db")
    ran = project_cli("migrate-store", missing, str(tmp_path / "x.db"))
    assert ran.code == 3
    assert f"SOURCE has no Hansard to copy: {missing} is missing or empty. Nothing was made." in ran.err
    assert "hansard init" not in ran.err
    assert not Path(missing).exists()
    assert not (tmp_path / "x.db").exists()
    assert project_cli("migrate-store", filled, filled).code == 6
    ran = project_cli("migrate-store", filled, "postgresql://ana:s3cret@127.0.0.1:1/team")
    assert ran.code == 1
    assert "127.0.0.1" in ran.err
    assert "s3cret" not in ran.err
    assert project_cli("migrate-store", filled, str(tmp_path / "y.db"), "--agent", "tank").code == 5
    assert project_cli("migrate-store", filled, str(tmp_path / "z.db"), "--only", "nobody").code == 3
    assert not (tmp_path / "z.db").exists()
    assert project_cli("migrate-store", filled, ":memory:").code == 6


def test_one_database_under_two_names_is_one(project_cli: Cli, filled: str, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(filled)
    (tmp_path / "hard.db").hardlink_to(filled)
    url = postgres.fresh_database()
    try:
        for one, other in (
            (filled, str(tmp_path / "link.db")),
            (filled, str(tmp_path / "hard.db")),
            (filled, str(tmp_path / "." / "cli.db")),
            (url, url.replace("postgresql:", "postgres:", 1)),
            (url, f"{url}&application_name=x"),
        ):
            ran = project_cli("migrate-store", one, other)
            assert (ran.code, "the same database" in ran.err) == (6, True)
    finally:
        postgres.drop(url)


def test_addresses_that_look_alike_may_be_two_databases_and_others_one(
    project_cli: Cli, filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = postgres.empty_database(), postgres.empty_database()
    services = tmp_path / "services.conf"
    folder = one.partition("host=")[2]
    services.write_text(
        "".join(
            f"[{name}]\nhost={folder}\nuser=postgres\ndbname={postgres.name_of(url)}\n"
            for name, url in (("one", one), ("two", two))
        ),
        encoding="utf-8",
    )
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    try:
        assert project_cli("migrate-store", filled, one).code == 0
        ran = project_cli("migrate-store", "postgresql://?service=one", "postgresql://?service=two")
        assert (ran.code, ran.err) == (0, "web-shop: made\n")
        ran = project_cli("migrate-store", one, "postgresql://?service=one")
        assert (ran.code, "the same database" in ran.err) == (6, True)
    finally:
        postgres.drop(one)
        postgres.drop(two)


def test_a_project_that_fails_and_a_folder_that_is_taken_are_told(
    project_cli: Cli, filled: str, tmp_path: Path
) -> None:
    place = str(tmp_path / "other.db")
    with Hansard.open(place, settings=Settings(user="ana")) as there:
        there.project("bank", create=True, root=tmp_path / "home")
    with Hansard.open(filled, settings=Settings(user="ana")) as here:
        key = here.projects()[0].key
        here.project("farm", create=True, root=tmp_path / "home")
    with raw(filled) as connection:
        connection.execute("UPDATE memories SET content = 'forged'")
    ran = project_cli("migrate-store", filled, place)
    assert ran.code == 1
    assert f"{key} failed: the history of the source breaks at event 2: the memory" in ran.err
    assert f"farm: the folder {tmp_path / 'home'} belongs to another project of the target and was left out." in ran.out
    ran = project_cli("migrate-store", filled, place, "--json")
    assert ran.code == 1
    assert [(one["project"], one["left_out"]) for one in ran.json["items"]] == [("farm", [str(tmp_path / "home")])]
    assert [(one["project"], one["code"]) for one in ran.json["failed"]] == [(key, "copy.differs")]


def test_what_is_wrong_with_the_whole_source_is_told_once_and_for_every_project(
    project_cli: Cli, filled: str, tmp_path: Path
) -> None:
    with Hansard.open(filled, settings=Settings(user="ana")) as here:
        for key in ("bank", "farm"):
            here.project(key, create=True)
    with raw(filled) as connection:
        unguard(connection)
        connection.execute("UPDATE events SET at = at + 1 WHERE seq = 2")
    ran = project_cli("migrate-store", filled, str(tmp_path / "other.db"))
    told = [line for line in ran.err.splitlines() if " failed: " in line]
    assert ran.code == 1
    assert len(told) == 1
    assert "bank, farm, web-shop failed: the source is not sound: the tables, indexes and triggers are not" in told[0]
    assert ran.err.count("not what they should be") == 1


def test_a_target_that_takes_no_writes_refuses_all_projects_in_one_line(project_cli: Cli, filled: str) -> None:
    with Hansard.open(filled, settings=Settings(user="ana")) as here:
        here.project("bank", create=True)
    place = postgres.fresh_database()
    try:
        ran = project_cli("migrate-store", filled, f"{place}&options=-c%20default_transaction_read_only%3Don")
    finally:
        postgres.drop(place)
    assert ran.code == 1
    assert "bank, web-shop failed: PostgreSQL " in ran.err
    assert ran.err.count("takes no writes") == 1


def test_a_person_sees_a_bar_for_the_whole_and_one_for_the_project_and_a_program_none(
    project_cli: Cli, filled: str, tmp_path: Path
) -> None:
    shown = seen_by_a_person("migrate-store", filled, str(tmp_path / "shown.db"))
    assert "1 project" in shown
    for step in ("web-shop: ", "100%"):
        assert step in shown
    assert seen_by_a_person("migrate-store", filled, str(tmp_path / "quiet.db"), "--json") == ""


def test_whoever_stops_a_copy_is_told_how_far_it_is_and_can_go_on(project_cli: Cli, tmp_path: Path) -> None:
    source, target = str(tmp_path / "many.db"), str(tmp_path / "copy.db")
    with Hansard.open(source, settings=Settings(user="ana")) as ours:
        for number in range(300):
            ours.project(f"shop-{number}", create=True)
    copying = subprocess.Popen(
        [sys.executable, "-m", "hansard", "migrate-store", source, target], stderr=subprocess.PIPE, text=True
    )
    assert copying.stderr is not None
    assert copying.stderr.readline() == "shop-0: made\n"
    copying.send_signal(signal.SIGINT)
    *made, told, stopped = copying.communicate(timeout=60)[1].splitlines()
    assert copying.returncode == 130
    done = int(told.split()[0])
    assert done - len(made) in {0, 1}
    assert told.endswith(
        " done. The one in work is there whole or not at all, unproven; the same command does the rest."
    )
    assert stopped == "Stopped."
    again = project_cli("migrate-store", source, target, "--json").json["items"]
    assert len(again) == 300
    # One may be whole in the target and not told of yet.
    assert sum(one["was_there"] for one in again) - done in {0, 1}


@pytest.mark.parametrize(
    ("flags", "told"),
    [(("--project", "web-shop"), "--only KEY"), (("--db", "x.db"), "SOURCE and TARGET say which databases")],
)
def test_a_flag_that_would_be_passed_over_is_refused_with_what_to_write_instead(
    project_cli: Cli, filled: str, tmp_path: Path, flags: tuple[str, str], told: str
) -> None:
    target = tmp_path / "target.db"
    for line in (("migrate-store", filled, str(target), *flags), (*flags, "migrate-store", filled, str(target))):
        ran = project_cli(*line)
        assert ran.code == 2
        assert told in ran.err
    assert not target.exists()


def test_why_no_searches_were_compared_is_told(project_cli: Cli, tmp_path: Path) -> None:
    source = str(tmp_path / "cli.db")
    ran = project_cli("migrate-store", source, str(tmp_path / "copy.db"))
    assert "web-shop: no searches were compared: it has no memories that a search finds." in ran.out
    assert "changed meanwhile" not in ran.out


def test_what_becomes_of_the_index_of_a_new_model_is_told(
    project_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, own = (str(tmp_path / name) for name in ("cli.db", "copy.db", "own.db"))
    monkeypatch.setenv("HANSARD_EMBEDDING_PROVIDER", "none")
    project_cli("memory", "record", "The proxy cuts uploads at five megabytes.", "--agent", "tank")
    for copy in (target, own):
        assert project_cli("migrate-store", source, copy).code == 0
    monkeypatch.delenv("HANSARD_EMBEDDING_PROVIDER")
    assert project_cli("--db", own, "memory", "reindex").code == 0
    ran = project_cli("migrate-store", source, own)
    assert ran.code == 0
    assert "web-shop: no searches were compared: the two are not indexed alike." in ran.out
    assert project_cli("memory", "reindex").code == 0
    ran = project_cli("migrate-store", source, target)
    assert (ran.code, ran.err) == (0, "web-shop: was there\n")
    assert "web-shop: the index was brought over: the source has got another model for searches." in ran.out
    (item,) = project_cli("migrate-store", source, target, "--json").json["items"]
    assert (item["index_brought"], item["searches"]) == (False, 1)


def test_the_help_says_that_the_environment_chooses_no_project(project_cli: Cli) -> None:
    assert "HANSARD_DB and HANSARD_PROJECT have no effect here" in project_cli("migrate-store", "--help").out


def test_later_changes_are_told(project_cli: Cli, filled: str, tmp_path: Path) -> None:
    target = str(tmp_path / "copy.db")
    project_cli("migrate-store", filled, target)
    project_cli("memory", "record", "The proxy was replaced.", "--agent", "tank")
    ran = project_cli("migrate-store", filled, target)
    assert (ran.code, ran.err) == (0, "web-shop: brought on\n")
    assert "web-shop: 1 later event brought over." in ran.out
    (item,) = project_cli("migrate-store", filled, target, "--json").json["items"]
    assert (item["was_there"], item["brought_on"], item["searches"]) == (True, 0, 2)
