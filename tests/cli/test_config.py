"""`hansard config`: values, origins, and files that keep their comments."""

import re
from pathlib import Path

import pytest

from cli.conftest import Cli
from support import postgres
from support.fakes import fake_hex_token, fake_secret
from support.raw import raw


def _item(cli: Cli, name: str) -> tuple[object, str]:
    found = cli("config", "get", name, "--json").json
    return found["value"], found["origin"]


def test_each_layer_beats_the_one_below(
    project_cli: Cli, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _item(project_cli, "context.items_max") == (20, "default")
    project_cli("config", "set", "context.items_max", "21")
    assert _item(project_cli, "context.items_max") == (21, str(home / "config" / "hansard" / "config.yml"))
    project_cli("config", "set", "context.items_max", "22", "--for-project")
    assert _item(project_cli, "context.items_max") == (22, str(shop / ".hansard" / "config.yml"))
    monkeypatch.setenv("HANSARD_CONTEXT_ITEMS_MAX", "23")
    assert _item(project_cli, "context.items_max") == (23, "environment HANSARD_CONTEXT_ITEMS_MAX")


def test_setting_keeps_every_other_line(cli: Cli, home: Path) -> None:
    file = home / "config" / "hansard" / "config.yml"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\nuser: bo\ncontext.items_max: 7 # few\n")
    cli("config", "set", "context.items_max", "8")
    assert file.read_text() == "# mine\nuser: bo\ncontext.items_max: 8\n"
    cli("config", "unset", "context.items_max")
    assert file.read_text() == "# mine\nuser: bo\n"


def test_a_setting_inside_a_block_is_left_to_its_writer(cli: Cli, home: Path) -> None:
    file = home / "config" / "hansard" / "config.yml"
    file.parent.mkdir(parents=True)
    file.write_text("context:\n  items_max: 7\n")
    assert _item(cli, "context.items_max")[0] == 7
    assert cli("config", "set", "context.items_max", "8").code == 4
    assert file.read_text() == "context:\n  items_max: 7\n"


@pytest.mark.parametrize("value", ["0", "1001", "1.5", "many", "nan"])
def test_nonsense_is_refused_and_not_written(cli: Cli, home: Path, value: str) -> None:
    ran = cli("config", "set", "context.items_max", value)
    assert ran.code == 6
    assert "whole number from 1 to 1,000" in ran.err
    assert not (home / "config" / "hansard" / "config.yml").exists()


def test_a_project_file_cannot_choose_the_database(project_cli: Cli, shop: Path, tmp_path: Path) -> None:
    assert project_cli("config", "set", "db", "/tmp/x.db", "--for-project").code == 6
    (shop / ".hansard").mkdir()
    (shop / ".hansard" / "config.yml").write_text("db: /tmp/stolen.db\n")
    assert project_cli("decisions", "list").code == 6
    ran = project_cli("config", "list")
    assert ran.code == 0
    assert "db is personal" in ran.err
    assert _item(project_cli, "db") == (str(tmp_path / "cli.db"), "environment HANSARD_DB")


def test_a_bad_line_is_named_and_can_be_mended(project_cli: Cli, shop: Path, home: Path) -> None:
    theirs, mine = shop / ".hansard" / "config.yml", home / "config" / "hansard" / "config.yml"
    for file in (theirs, mine):
        file.parent.mkdir(parents=True, exist_ok=True)
    theirs.write_text("db: /tmp/stolen.db\ncontext.items_max: 7\n")
    mine.write_text("context.colour: red\ncontext.learnings_max: many\nuser: bo\n")
    found = project_cli("config", "list", "--json")
    assert found.code == 0
    assert len(found.json["problems"]) == 3
    assert _item(project_cli, "context.items_max") == (7, str(theirs))
    assert project_cli("decisions", "list").code == 6
    assert project_cli("config", "unset", "db", "--for-project").code == 0
    assert project_cli("config", "unset", "context.colour").code == 0
    assert project_cli("config", "set", "context.learnings_max", "3").code == 0
    assert project_cli("config", "list", "--json").json["problems"] == []
    assert theirs.read_text() == "context.items_max: 7\n"
    assert mine.read_text() == "user: bo\ncontext.learnings_max: 3\n"


def test_a_file_that_is_no_yaml_is_mended_by_its_own_line_or_left_alone(cli: Cli, home: Path) -> None:
    file = home / "config" / "hansard" / "config.yml"
    file.parent.mkdir(parents=True)
    file.write_text("context.items_max: [\n")
    ran = cli("config", "get", "context.items_max")
    assert (ran.code, ran.out) == (0, "20  (default)\n")
    assert "not valid YAML" in ran.err
    assert cli("config", "set", "context.learnings_max", "3").code == 6
    assert file.read_text() == "context.items_max: [\n"
    assert cli("config", "set", "context.items_max", "5").code == 0
    assert file.read_text() == "context.items_max: 5\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [("role", "king"), ("embedding.provider", "oracle"), ("memory.profile", "x"), ("project", "!!!"), ("user", "\x1b")],
)
def test_a_word_that_would_be_refused_later_is_refused_at_once(cli: Cli, home: Path, name: str, value: str) -> None:
    ran = cli("config", "set", name, value)
    assert ran.code == 6
    assert "[config.bad_setting]" in ran.err
    assert not (home / "config" / "hansard" / "config.yml").exists()


def test_another_word_for_a_role_is_written_as_the_role(cli: Cli) -> None:
    assert cli("config", "set", "role", "Lead").code == 0
    assert _item(cli, "role")[0] == "coordinator"


@pytest.mark.parametrize("arguments", [("set", "context.items_max", "5"), ("unset", "context.items_max")])
def test_nothing_is_written_for_a_project_where_there_is_none(
    cli: Cli, shop: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ran = cli("config", *arguments, "--for-project")
    assert ran.code == 3
    assert "hansard init" in ran.err
    assert list(shop.iterdir()) == []
    assert not (tmp_path / "cli.db").exists()
    cli("projects")
    assert cli("config", *arguments, "--for-project").code == 3
    assert list(shop.iterdir()) == []


def test_the_database_in_use_is_shown_even_if_nobody_chose_it(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HANSARD_DB")
    place = str(home / "data" / "hansard" / "hansard.db")
    assert _item(cli, "db") == (place, "default")
    assert {"name": "db", "value": place, "origin": "default"}.items() <= cli("config", "list", "--json").json["items"][
        0
    ].items()


def test_unset_says_whether_anything_was_removed(cli: Cli) -> None:
    cli("config", "set", "context.items_max", "5")
    assert "was removed from" in cli("config", "unset", "context.items_max").out
    ran = cli("config", "unset", "context.items_max")
    assert ran.code == 0
    assert "nothing was changed" in ran.out
    assert cli("config", "unset", "context.items_max", "--json").json["removed"] is False
    assert cli("config", "unset", "context.colour").code == 6


def test_an_unknown_setting_is_named(cli: Cli) -> None:
    ran = cli("config", "get", "context.colour")
    assert ran.code == 6
    assert "no setting 'context.colour'" in ran.err


def test_the_list_shows_every_value_and_its_origin(cli: Cli) -> None:
    items = {one["name"]: one for one in cli("config", "list", "--json").json["items"]}
    assert items["user"]["value"] == "ana"
    assert items["user"]["origin"] == "environment HANSARD_USER"
    assert "context.items_max" in cli("config", "list").out


def test_a_linked_settings_folder_is_not_written_through(cli: Cli, shop: Path, tmp_path: Path) -> None:
    assert cli("init").code == 0
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop / ".hansard").symlink_to(outside)
    ran = cli("config", "set", "context.items_max", "3", "--for-project")
    assert ran.code == 6
    assert "leads out of" in ran.err
    assert list(outside.iterdir()) == []


def test_the_password_of_an_address_is_never_printed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    address = "postgresql://ana:s3cret@db.example/team"
    assert "s3cret" not in cli("config", "set", "db", address).out
    monkeypatch.delenv("HANSARD_DB")
    for more in ((), ("--json",)):
        ran = cli("config", "list", *more)
        assert "postgresql://ana:(set)@db.example/team" in ran.out
        assert "s3cret" not in ran.out + ran.err


@pytest.mark.parametrize("name", ["embedding.base_url", "embedding.model", "context.ignore_phrases"])
def test_a_value_with_a_secret_is_refused_and_not_written(cli: Cli, home: Path, name: str) -> None:
    secret = "https://ana:" + "Gr4vel9Xq" + "@vectors.example/v1" if name.endswith("url") else fake_secret()
    ran = cli("config", "set", name, secret)
    assert ran.code == 6
    assert "there is a secret in the value" in ran.err
    assert not (home / "config" / "hansard" / "config.yml").exists()


def test_the_key_of_a_provider_may_be_set(cli: Cli) -> None:
    assert cli("config", "set", "embedding.key", fake_secret()).code == 0


def test_config_tells_the_strictest_layer_of_the_guard(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    project_cli("config", "set", "guard.secrets", "block", "--for-project")
    monkeypatch.setenv("HANSARD_GUARD_SECRETS", "redact")
    assert _item(project_cli, "guard.secrets")[0] == "block"


def test_a_value_that_something_else_overrules_says_so(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    project_cli("config", "set", "guard.secrets", "block", "--for-project")
    looser = project_cli("config", "set", "guard.secrets", "redact")
    monkeypatch.setenv("HANSARD_CONTEXT_ITEMS_MAX", "9")
    hidden = project_cli("config", "set", "context.items_max", "30")
    plain = project_cli("config", "set", "context.learnings_max", "7")

    assert looser.code == hidden.code == 0
    assert re.search(r"block stays in force, from .*config\.yml\.", looser.err)
    assert "9 stays in force, from environment HANSARD_CONTEXT_ITEMS_MAX." in hidden.err
    assert "stays in force" not in plain.err


def test_a_setting_for_a_project_makes_no_hansard_in_an_empty_server(cli: Cli, shop: Path) -> None:
    url = postgres.empty_database()
    assert cli("config", "set", "context.items_max", "3", "--for-project", "--db", url).code == 3
    with raw(url) as connection:
        assert connection.execute("SELECT to_regnamespace('hansard')").get is None
    postgres.drop(url)


@pytest.mark.parametrize("secret", [fake_secret(), fake_hex_token()])
def test_a_secret_is_no_project_of_a_settings_file(secret: str, cli: Cli) -> None:
    ran = cli("config", "set", "project", secret)

    assert (ran.code, "there is a secret in the value of project" in ran.err) == (6, True)
    assert secret[7:].lower() not in ran.err.lower()
