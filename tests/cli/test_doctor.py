"""`hansard doctor`: what it prints, when it fails, and what it does without a project, a database or good settings."""

from pathlib import Path

import psycopg
import pytest

from cli.conftest import Cli
from support import postgres
from support.older import OLDER_VERSION, make_older_file, make_older_server
from support.raw import raw
from support.servers import as_role


def test_a_healthy_project_has_nothing_wrong(project_cli: Cli) -> None:
    project_cli("memory", "record", "The proxy cuts uploads.", "--agent", "tank")
    ran = project_cli("doctor")
    assert (ran.code, ran.err) == (0, "")
    assert "web-shop: history: The history is whole" in ran.out
    assert ran.out.endswith("Nothing is wrong.\n")


def test_a_problem_comes_with_advice_and_exit_code_one(project_cli: Cli, tmp_path: Path) -> None:
    project_cli("memory", "record", "The proxy cuts uploads.", "--agent", "tank")
    with raw(tmp_path / "cli.db") as connection:
        connection.execute("UPDATE memories SET content = 'never'")
    ran = project_cli("doctor")
    assert ran.code == 1
    assert "problem  web-shop: history: The history is broken at event" in ran.out
    assert "-> Restore a backup with `hansard restore`" in ran.out
    assert "1 problem, 0 warnings." in ran.out


def test_a_warning_is_no_failure(project_cli: Cli, shop: Path) -> None:
    shop.chmod(0o755)
    shop.parent.chmod(0o777)
    ran = project_cli("doctor", "--json")
    assert (ran.code, ran.json["ok"], ran.json["warnings"]) == (0, True, 1)
    found = next(one for one in ran.json["items"] if one["severity"] == "warning")
    assert set(found) == {"check", "severity", "found", "advice", "project"}
    assert found["check"] == "permissions"
    assert "chmod o-w" in found["advice"]


def test_a_bad_setting_is_a_problem_and_the_rest_is_examined(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSARD_CONTEXT_ITEMS_MAX", "many")
    ran = project_cli("doctor", "--json")
    assert ran.code == 1
    assert [one["check"] for one in ran.json["items"] if one["severity"] == "problem"] == ["settings"]
    assert "history" in {one["check"] for one in ran.json["items"]}


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_settings_of_the_project_that_cannot_be_read_are_told_with_what_mends_them(
    project_cli: Cli, shop: Path, kind: str
) -> None:
    file = shop / ".hansard/config.yml"
    file.parent.mkdir(exist_ok=True)
    if kind == "folder":
        file.mkdir()
    else:
        file.symlink_to(file)
    ran = project_cli("doctor", "--json")
    [found] = [one for one in ran.json["items"] if one["severity"] == "problem"]
    assert (ran.code, found["check"]) == (1, "settings")
    assert found["found"].startswith(f"{file} cannot be read: ")
    assert found["found"].endswith("move it away.")
    assert found["advice"].startswith("Do what is said there")
    refused = project_cli("session", "start", "Auth")
    assert refused.code == 6
    assert "move it away. [config.bad_setting]" in refused.err
    file.rename(shop / "aside")
    assert project_cli("session", "start", "Auth").code == 0
    assert project_cli("doctor").code == 0


def test_a_plain_file_named_hansard_stops_no_write_and_the_doctor_names_it(project_cli: Cli, shop: Path) -> None:
    project_cli("export")
    for one in sorted((shop / ".hansard").rglob("*"), reverse=True):
        one.rmdir() if one.is_dir() else one.unlink()
    (shop / ".hansard").rmdir()
    (shop / ".hansard").write_text("mine\n")
    assert project_cli("session", "start", "Auth").code == 0
    ran = project_cli("export")
    assert ran.code == 1
    told = ".hansard is a link or a file, not a folder; nothing is read or written there"
    assert f"Failed: .hansard/mirror.lock: {told}" in ran.out
    assert not (shop / ".squad/identity/now.md").exists(), "without its lock no file is written"
    assert told in project_cli("doctor").out
    (shop / ".hansard").unlink()
    assert project_cli("export").code == 0
    assert (shop / ".squad/identity/now.md").exists()


def test_a_folder_without_a_project_has_its_database_examined(
    project_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    ran = project_cli("doctor")
    assert ran.code == 0
    assert "Only the database was examined" in ran.out
    assert "history" not in ran.out
    assert "web-shop: history" in project_cli("doctor", "--all").out
    assert "web-shop: history" in project_cli("doctor", "--project", "web-shop").out
    assert project_cli("doctor", "--project", "nobody").code == 3


@pytest.mark.parametrize("content", [None, b"a letter to a friend " * 100], ids=["missing", "text"])
def test_a_database_that_cannot_be_opened_is_a_problem(cli: Cli, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "cli.db").write_bytes(content)
    ran = cli("doctor", "--json")
    assert ran.code == 1
    assert [one["check"] for one in ran.json["items"] if one["severity"] == "problem"] == ["database"]
    assert (tmp_path / "cli.db").exists() == (content is not None)


def test_a_server_that_is_down_is_a_problem(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSARD_STORE_BUSY_SECONDS", "0")
    ran = cli("doctor", "--db", "postgresql://ana:s3cret@127.0.0.1:1/team")
    assert ran.code == 1
    assert "problem  database: PostgreSQL team at 127.0.0.1:1 cannot be reached" in ran.out
    assert "s3cret" not in ran.out


def test_every_index_is_looked_at_on_request(project_cli: Cli, tmp_path: Path) -> None:
    with raw(tmp_path / "cli.db") as connection:
        connection.execute("PRAGMA foreign_keys = OFF; INSERT INTO memory_tags VALUES ('nobody', 'a', 'b')")
    assert project_cli("doctor").code == 0
    assert project_cli("doctor", "--full").code == 1


def test_a_list_of_projects_that_cannot_be_read_is_a_problem(project_cli: Cli, tmp_path: Path) -> None:
    with raw(tmp_path / "cli.db") as connection:
        connection.execute("PRAGMA foreign_keys = OFF; DROP TABLE project_roots")
    ran = project_cli("doctor", "--json")
    assert ran.code == 1
    assert {"integrity", "folders"} <= {one["check"] for one in ran.json["items"] if one["severity"] == "problem"}


def test_a_file_of_an_older_version_is_told_and_not_brought_up_to_date(cli: Cli, tmp_path: Path, shop: Path) -> None:
    make_older_file(tmp_path / "cli.db")
    for asked in ((), ("--all",)):
        ran = cli("doctor", *asked)
        assert ran.code == 1
        assert f"problem  schema: The schema has version {OLDER_VERSION}; this Hansard needs" in ran.out
        assert "1 problem, 0 warnings." in ran.out
    with raw(tmp_path / "cli.db") as connection:
        assert connection.execute("PRAGMA user_version").get == OLDER_VERSION
    assert cli("projects").code == 0
    assert cli("doctor").code == 0


def test_a_server_of_an_older_version_is_told_and_not_brought_up_to_date(cli: Cli) -> None:
    url = make_older_server(postgres.empty_database())
    ran = cli("doctor", "--all", "--db", url)
    assert ran.code == 1
    assert f"problem  schema: The schema has version {OLDER_VERSION}; this Hansard needs" in ran.out
    with raw(url) as connection:
        assert connection.execute("SELECT version FROM schema_version").get == OLDER_VERSION
    postgres.drop(url)


@pytest.mark.parametrize("asked", [(), ("--all",), ("--project", "shop")])
def test_a_table_that_somebody_locks_is_busy_and_no_verdict(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, shop: Path, asked: tuple[str, ...]
) -> None:
    url = postgres.fresh_database()
    assert cli("init", "--project", "shop", "--db", url).code == 0
    monkeypatch.setenv("HANSARD_STORE_BUSY_SECONDS", "0.2")
    with psycopg.connect(url) as connection:
        connection.execute("LOCK TABLE hansard.memories IN ACCESS EXCLUSIVE MODE")
        ran = cli("doctor", "--db", url, *asked)
        assert (ran.code, ran.out) == (cli("history", "verify", "--db", url).code, "")
        assert "[store.busy]" in ran.err
        connection.execute("LOCK TABLE hansard.projects, hansard.schema_version IN ACCESS EXCLUSIVE MODE")
        assert "[store.busy]" in cli("doctor", "--db", url, *asked).err
    assert cli("doctor", "--db", url, *asked).code == 0
    postgres.give_back(url)


def test_a_user_without_rights_is_advised_to_get_them_and_not_to_restore_a_backup(cli: Cli) -> None:
    url = postgres.fresh_database()
    with raw(url) as connection:
        connection.execute("CREATE ROLE visitor LOGIN")
        ran = cli("doctor", "--db", as_role(url, "visitor"))
        connection.execute("DROP ROLE visitor")
    assert ran.code == 1
    assert "Let the owner run grants.sql" in ran.out
    assert "-> Do what is said there, and look again." in ran.out
    assert "backup" not in ran.out
    postgres.drop(url)
