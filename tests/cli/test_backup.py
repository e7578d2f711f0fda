"""`hansard backup` and `hansard restore`: what they print, what they refuse, and a bar for people."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from cli.conftest import Cli
from support import postgres
from support.fakes import fake_secret
from support.terminals import seen_by_a_person


@pytest.fixture
def filled(project_cli: Cli) -> Cli:
    project_cli("memory", "record", "The proxy cuts uploads at five megabytes.", "--agent", "tank")
    return project_cli


def test_a_backup_says_what_is_in_it_and_comes_back(filled: Cli, tmp_path: Path) -> None:
    file, new = str(tmp_path / "b.db"), str(tmp_path / "new.db")
    ran = filled("backup", file)
    assert (ran.code, ran.err) == (0, "")
    assert "web-shop" in ran.out
    assert f"The backup {file} (" in ran.out
    assert "was verified" in ran.out
    assert "every history whole." in ran.out
    ran = filled("restore", file, "--db", new)
    assert (ran.code, ran.err) == (0, "")
    assert f"{new} was restored from {file} and verified" in ran.out
    found = filled("--db", new, "memory", "search", "upload limit", "--agent", "tank", "--json").json
    assert len(found["items"]) == 1


def test_json_has_every_count(filled: Cli, tmp_path: Path) -> None:
    file, new = str(tmp_path / "b.db"), str(tmp_path / "new.db")
    made = filled("backup", file, "--json").json
    assert (made["place"], made["bytes"], made["verified"]) == (file, Path(file).stat().st_size, True)
    back = filled("restore", file, "--db", new, "--json").json
    assert (back["place"], back["verified"]) == (new, True)
    assert back["items"] == made["items"]
    assert made["items"][0]["project"] == "web-shop"
    assert min(made["items"][0]["rows"], made["items"][0]["events"]) > 0


def test_settings_are_in_a_backup_and_named_where_they_differ_but_no_key(
    filled: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "b.db")
    monkeypatch.setenv("HANSARD_CONTEXT_ITEMS_MAX", "7")
    monkeypatch.setenv("HANSARD_EMBEDDING_KEY", "xyzzy-plugh")
    made = filled("backup", file, "--json").json
    assert made["settings"]["context.items_max"] == "7"
    assert set(made["settings"]).isdisjoint({"db", "user", "agent", "embedding.key"})
    assert b"xyzzy-plugh" not in Path(file).read_bytes()
    same = filled("restore", file, "--db", str(tmp_path / "same.db"))
    assert "context.items_max" not in same.err
    monkeypatch.delenv("HANSARD_CONTEXT_ITEMS_MAX")
    other = filled("restore", file, "--db", str(tmp_path / "other.db"))
    assert "To set it: hansard config set context.items_max 7" in other.err
    assert filled("config", "get", "context.items_max", "--json").json["value"] == 20


def test_settings_that_a_backup_makes_up_are_not_passed_on(filled: Cli, tmp_path: Path) -> None:
    file = tmp_path / "b.db"
    filled("backup", str(file))
    with closing(apsw.Connection(str(file))) as connection:
        connection.executemany(
            "INSERT INTO archived_settings (name, value) VALUES (?, ?)",
            [("context.items_max", "x; rm -rf ."), ("no.such", "1"), ("embedding.key", "k"), ("db", "/else.db")],
        )
    ran = filled("restore", str(file), "--db", str(tmp_path / "new.db"), "--json")
    assert (ran.code, set(ran.json["settings"])) == (0, {"mirror.auto"})


def test_a_backup_moves_to_a_server_and_back(filled: Cli, tmp_path: Path) -> None:
    url = postgres.empty_database()
    try:
        first, second = str(tmp_path / "first.db"), str(tmp_path / "second.db")
        filled("backup", first)
        assert filled("--db", url, "restore", first).code == 0
        assert filled("--db", url, "backup", second).code == 0
        assert filled("--db", str(tmp_path / "new.db"), "restore", second).code == 0
        assert filled("--db", str(tmp_path / "new.db"), "history", "verify").code == 0
        again = filled("--db", url, "restore", first)
        assert (again.code, "[store.not_empty]" in again.err) == (4, True)
    finally:
        postgres.drop(url)


def test_a_file_that_is_there_needs_force(filled: Cli, tmp_path: Path) -> None:
    file = str(tmp_path / "b.db")
    filled("backup", file)
    ran = filled("backup", file)
    assert (ran.code, "[backup.exists]" in ran.err) == (4, True)
    assert filled("backup", file, "--force").code == 0


@pytest.mark.parametrize(
    ("name", "code", "exit_code"),
    [("missing.db", "store.missing", 3), ("text.db", "backup.broken", 1), (".", "store.unwritable", 1)],
)
def test_a_wrong_file_is_one_sentence(filled: Cli, tmp_path: Path, name: str, code: str, exit_code: int) -> None:
    (tmp_path / "text.db").write_text("a letter to a friend " * 100)
    ran = filled("restore", str(tmp_path / name), "--db", str(tmp_path / "new.db"))
    assert (ran.code, f"[{code}]" in ran.err, len(ran.err.splitlines())) == (exit_code, True, 1)
    assert not (tmp_path / "new.db").exists()


def test_a_place_with_a_project_is_refused(filled: Cli, tmp_path: Path) -> None:
    filled("backup", str(tmp_path / "b.db"))
    ran = filled("restore", str(tmp_path / "b.db"))
    assert (ran.code, "[store.not_empty]" in ran.err) == (4, True)


def test_an_agent_may_neither_back_up_nor_restore(filled: Cli, tmp_path: Path) -> None:
    filled("backup", str(tmp_path / "b.db"))
    assert filled("backup", str(tmp_path / "c.db"), "--agent", "tank").code == 5
    assert filled("restore", str(tmp_path / "b.db"), "--db", str(tmp_path / "c.db"), "--agent", "tank").code == 5
    assert not (tmp_path / "c.db").exists()


def test_a_backup_of_nothing_is_an_error_and_makes_nothing(cli: Cli, tmp_path: Path) -> None:
    assert cli("backup", str(tmp_path / "b.db")).code == 3
    assert not (tmp_path / "b.db").exists()
    assert not (tmp_path / "cli.db").exists()


@pytest.mark.parametrize("command", [("backup", "b.db"), ("doctor", "--full")], ids=" ".join)
def test_a_person_sees_how_far_it_is_and_a_program_does_not(filled: Cli, command: tuple[str, ...]) -> None:
    assert "100%" in seen_by_a_person(*command)
    assert seen_by_a_person(*command, "--json", *(["--force"] if command[0] == "backup" else [])) == ""


@pytest.mark.parametrize("side", ["-wal", "-shm", "-journal"])
def test_no_backup_takes_the_place_of_a_part_of_a_database(filled: Cli, tmp_path: Path, side: str) -> None:
    ran = filled("backup", "--force", str(tmp_path / f"cli.db{side}"))
    assert ran.code == 4
    assert f"would be a part of the database {tmp_path / 'cli.db'}" in ran.err
    assert filled("history", "verify").code == 0


def test_a_backup_goes_to_a_file_and_a_folder_that_is_made_is_told(filled: Cli, tmp_path: Path) -> None:
    ran = filled("backup", "-")
    assert ran.code == 2
    assert "goes to a file and to no stream" in ran.err
    ran = filled("backup", str(tmp_path / "new" / "b.db"))
    assert (ran.code, ran.err) == (0, f"The folder {tmp_path / 'new'} was made.\n")


def test_a_damaged_backup_is_told_to_be_the_backup(filled: Cli, tmp_path: Path) -> None:
    file = tmp_path / "b.db"
    filled("backup", str(file))
    data = bytearray(file.read_bytes())
    for place in (8_192, len(data) // 2, len(data) - 4_096):
        data[place : place + 64] = bytes(64)
    file.write_bytes(data)
    ran = filled("restore", str(file), "--db", str(tmp_path / "new.db"))
    assert ran.code == 1
    assert str(file) in ran.err
    assert "Use another one. [backup.broken]" in ran.err
    assert "doctor" not in ran.err


def test_a_secret_in_the_path_of_a_backup_is_shown_as_a_mark(filled: Cli, tmp_path: Path) -> None:
    secret = fake_secret()
    file, new = str(tmp_path / secret / f"{secret}.db"), str(tmp_path / "new.db")
    for words in (("backup", file), ("backup", file, "--force", "--json"), ("restore", file, "--db", new)):
        ran = filled(*words)
        assert ran.code == 0
        assert "[REDACTED:github_token].db" in ran.out
        assert secret not in ran.out + ran.err
