"""`hansard config`: values, origins, and files that keep their comments."""

from pathlib import Path

import pytest

from cli.conftest import Cli


def _item(cli: Cli, name: str) -> tuple[object, str]:
    found = cli("config", "get", name, "--json").json
    return found["value"], found["origin"]


def test_each_layer_beats_the_one_below(cli: Cli, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _item(cli, "context.items_max") == (20, "default")
    cli("config", "set", "context.items_max", "21")
    assert _item(cli, "context.items_max") == (21, str(home / "config" / "hansard" / "config.yml"))
    cli("config", "set", "context.items_max", "22", "--for-project")
    assert _item(cli, "context.items_max") == (22, str(shop / ".hansard" / "config.yml"))
    monkeypatch.setenv("HANSARD_CONTEXT_ITEMS_MAX", "23")
    assert _item(cli, "context.items_max") == (23, "environment HANSARD_CONTEXT_ITEMS_MAX")


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
    assert "whole number from 1 to 1000" in ran.err
    assert not (home / "config" / "hansard" / "config.yml").exists()


def test_a_project_file_cannot_choose_the_database(cli: Cli, shop: Path) -> None:
    assert cli("config", "set", "db", "/tmp/x.db", "--for-project").code == 6
    (shop / ".hansard").mkdir()
    (shop / ".hansard" / "config.yml").write_text("db: /tmp/stolen.db\n")
    ran = cli("config", "list")
    assert ran.code == 6
    assert "db is personal" in ran.err


def test_an_unknown_setting_is_named(cli: Cli) -> None:
    ran = cli("config", "get", "context.colour")
    assert ran.code == 6
    assert "no setting 'context.colour'" in ran.err


def test_the_list_shows_every_value_and_its_origin(cli: Cli) -> None:
    items = {one["name"]: one for one in cli("config", "list", "--json").json["items"]}
    assert items["user"]["value"] == "ana"
    assert items["user"]["origin"] == "environment HANSARD_USER"
    assert "context.items_max" in cli("config", "list").out
