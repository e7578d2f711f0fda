"""Settings: layers, origins, bounds, and what a stranger's file may not say."""

from pathlib import Path

import pytest

from hansard import settings
from hansard.domain.errors import BadSetting
from hansard.settings import BY_NAME, SETTINGS, Settings, load

ITEMS = BY_NAME["context.items_max"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    file = tmp_path / "config" / "hansard" / "config.yml"
    file.parent.mkdir(parents=True)
    return file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / ".hansard").mkdir(parents=True)
    return folder


def project_file(root: Path) -> Path:
    return root / ".hansard" / "config.yml"


def test_without_any_layer_every_setting_has_its_default(environment: dict[str, str]) -> None:
    loaded = load(environment=environment)
    assert loaded == Settings()
    assert {loaded.origin(setting) for setting in SETTINGS} == {"default"}
    assert [loaded.value(setting) for setting in SETTINGS] == [setting.default for setting in SETTINGS]


def test_each_layer_beats_the_one_before_it_and_says_so(
    environment: dict[str, str], user_file: Path, root: Path
) -> None:
    user_file.write_text("context:\n  items_max: 3\n")
    loaded = load(environment=environment)
    assert (loaded.context_items_max, loaded.origin(ITEMS)) == (3, str(user_file))
    project_file(root).write_text("context.items_max: 4\n")
    loaded = load(environment=environment, project_root=root)
    assert (loaded.context_items_max, loaded.origin(ITEMS)) == (4, str(project_file(root)))
    environment["HANSARD_CONTEXT_ITEMS_MAX"] = " 5 "
    loaded = load(environment=environment, project_root=root)
    assert (loaded.context_items_max, loaded.origin(ITEMS)) == (5, "environment HANSARD_CONTEXT_ITEMS_MAX")
    loaded = load(environment=environment, project_root=root, flags={"context.items_max": "6", "db": None})
    assert (loaded.context_items_max, loaded.origin(ITEMS)) == (6, "flag --context.items_max")


@pytest.mark.parametrize(("written", "meant"), [("on", "on"), ("off", "off"), ("'OFF'", "off"), ("true", "on")])
def test_a_switch_may_be_written_as_yaml_reads_it(
    environment: dict[str, str], user_file: Path, written: str, meant: str
) -> None:
    user_file.write_text(f"mirror:\n  auto: {written}\n")
    assert load(environment=environment).mirror_auto == meant


@pytest.mark.parametrize("written", ["maybe", "1", "[]"])
def test_a_switch_is_on_or_off(environment: dict[str, str], user_file: Path, written: str) -> None:
    user_file.write_text(f"mirror.auto: {written}\n")
    with pytest.raises(BadSetting, match=r"mirror\.auto"):
        load(environment=environment)


def test_a_blank_environment_variable_is_no_value(environment: dict[str, str]) -> None:
    assert load(environment=environment | {"HANSARD_AGENT": "  "}).agent is None


@pytest.mark.parametrize("name", [setting.name for setting in SETTINGS if setting.personal])
def test_personal_settings_are_refused_from_the_projects_file(
    name: str, environment: dict[str, str], root: Path
) -> None:
    project_file(root).write_text(f"{name}: mallory\n")
    with pytest.raises(BadSetting, match="personal"):
        load(environment=environment, project_root=root)


def test_the_database_and_the_caller_are_personal() -> None:
    assert {setting.name for setting in SETTINGS if setting.personal} >= {"db", "agent", "role", "user"}


@pytest.mark.parametrize("value", ["0", "-1", "1001", "1.5", "many", "nan", "inf", "1e400", "true"])
def test_a_number_out_of_bounds_is_refused_with_its_place(value: str, environment: dict[str, str]) -> None:
    with pytest.raises(BadSetting, match=r"environment HANSARD_CONTEXT_ITEMS_MAX.* from 1 to 1,000"):
        load(environment=environment | {"HANSARD_CONTEXT_ITEMS_MAX": value})


@pytest.mark.parametrize("value", ["true", "[1, 2]", "2026-01-01", ".inf", "1" * 400])
def test_a_number_of_the_wrong_yaml_type_is_refused(value: str, environment: dict[str, str], user_file: Path) -> None:
    user_file.write_text(f"context.items_max: {value}\n")
    with pytest.raises(BadSetting):
        load(environment=environment)


def test_an_unknown_setting_is_refused_by_name(environment: dict[str, str], user_file: Path) -> None:
    user_file.write_text("colour: blue\n")
    with pytest.raises(BadSetting, match=r"config\.yml: there is no setting 'colour'"):
        load(environment=environment)


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c",
        "[1, 2]",
        "just words",
        "a: [",
        "a: \x01",
        "context.items_max: 2026-13-45",
        "context.items_max: " + "1" * 5_000,
        "context: &loop\n  again: *loop\n",
        "{" * 5_000,
        "a: !!python/object:os.system x",
    ],
    ids=["colons", "list", "scalar", "open", "control", "bad date", "huge number", "loop", "deep", "object"],
)
def test_bad_yaml_is_one_clear_error(text: str, environment: dict[str, str], user_file: Path) -> None:
    user_file.write_text(text)
    with pytest.raises(BadSetting):
        load(environment=environment)


def test_a_file_that_cannot_be_read_is_one_clear_error(environment: dict[str, str], user_file: Path) -> None:
    user_file.write_bytes(b"db: \xff\xfe")
    with pytest.raises(BadSetting, match="cannot be read"):
        load(environment=environment)
    user_file.unlink()
    user_file.mkdir()
    with pytest.raises(BadSetting, match=r"cannot be read: it must be a plain file of .*; move it away\.$"):
        load(environment=environment)


def test_a_plain_file_in_the_place_of_the_folder_has_no_settings(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / ".hansard").write_text("not a folder")
    assert load(environment=environment, project_root=tmp_path) == Settings()


@pytest.mark.parametrize("text", ["", "# nothing\n", "context:\n", "context.items_max: ~\n"])
def test_an_empty_file_says_nothing(text: str, environment: dict[str, str], user_file: Path) -> None:
    user_file.write_text(text)
    assert load(environment=environment) == Settings()


@pytest.mark.parametrize("value", ["", " ", "a\x00b"])
def test_a_word_must_not_be_blank_or_hold_a_nul(value: str) -> None:
    with pytest.raises(BadSetting, match="plain word or path"):
        settings.converted(BY_NAME["db"], value, "flag --db")


def test_the_folders_follow_the_environment(tmp_path: Path) -> None:
    assert settings.user_config_path({"XDG_CONFIG_HOME": "/c"}) == Path("/c/hansard/config.yml")
    assert settings.data_folder({"XDG_DATA_HOME": "/d"}) == Path("/d/hansard")
    assert settings.data_folder({"HOME": str(tmp_path)}) == tmp_path / ".local" / "share" / "hansard"
    assert settings.user_config_path({"HOME": str(tmp_path)}) == tmp_path / ".config" / "hansard" / "config.yml"


@pytest.mark.parametrize(("written", "meant"), [("show", "show"), ("omit", "omit"), ("off", "off"), ("Omit", "omit")])
def test_stale_memories_are_shown_or_omitted_or_not_looked_for(
    environment: dict[str, str], user_file: Path, written: str, meant: str
) -> None:
    user_file.write_text(f"context:\n  stale: {written}\n")
    assert load(environment=environment).context_stale == meant
    environment["HANSARD_CONTEXT_STALE"] = "omit"
    assert load(environment=environment).context_stale == "omit"


@pytest.mark.parametrize("written", ["on", "true", "hide", "1"])
def test_no_other_word_says_what_becomes_of_stale_memories(
    environment: dict[str, str], user_file: Path, written: str
) -> None:
    user_file.write_text(f"context.stale: {written}\n")
    with pytest.raises(BadSetting, match=r"context\.stale"):
        load(environment=environment)


def test_the_cache_has_a_folder_of_its_own(environment: dict[str, str], tmp_path: Path) -> None:
    assert settings.cache_folder(environment).name == "hansard"
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    assert settings.cache_folder(environment) == tmp_path / "cache" / "hansard"


def test_of_what_the_guard_is_told_the_strictest_layer_counts(
    environment: dict[str, str], user_file: Path, root: Path
) -> None:
    user_file.write_text("guard.secrets: ask\nguard.writes_per_minute: 50\nguard.pending_max: 7\n")
    project_file(root).write_text("guard.secrets: block\nguard.writes_per_minute: 20\nguard.pending_max: 9\n")
    weaker = {"HANSARD_GUARD_SECRETS": "redact", "HANSARD_GUARD_WRITES_PER_MINUTE": "0"}
    loaded = load(environment=environment | weaker, project_root=root)

    assert (loaded.guard_secrets, loaded.guard_writes_per_minute, loaded.guard_pending_max) == ("block", 20, 7)
    assert loaded.origin(BY_NAME["guard.secrets"]) == str(project_file(root))
    assert loaded.origin(BY_NAME["guard.pending_max"]) == str(user_file)
    stricter = {"HANSARD_GUARD_SECRETS": "block", "HANSARD_GUARD_WRITES_PER_MINUTE": "5"}
    assert load(environment=environment | stricter, project_root=root).guard_writes_per_minute == 5


def test_one_layer_alone_may_raise_a_limit_over_its_default(environment: dict[str, str]) -> None:
    assert load(environment=environment | {"HANSARD_GUARD_PENDING_MAX": "0"}).guard_pending_max == 0
    assert load(environment=environment | {"HANSARD_GUARD_PENDING_MAX": "20000"}).guard_pending_max == 20_000


def test_a_projects_folder_makes_the_guard_stricter_and_changes_nothing_else(
    environment: dict[str, str], root: Path
) -> None:
    here = load(environment=environment)
    assert settings.guarded(here, root) is here
    project_file(root).write_text("guard.secrets: block\ncontext.items_max: 3\n")
    there = settings.guarded(here, root)
    assert (there.guard_secrets, there.context_items_max) == ("block", 20)


def test_an_address_with_a_password_is_not_portable(environment: dict[str, str]) -> None:
    address = "https://ana:" + "Gr4vel9Xq" + "@vectors.example/v1"
    given = {"HANSARD_EMBEDDING_BASE_URL": address, "HANSARD_EMBEDDING_MODEL": "small"}
    assert load(environment=environment | given).portable() == {"embedding.model": "small"}
    given["HANSARD_EMBEDDING_BASE_URL"] = "https://vectors.example/v1"
    assert load(environment=environment | given).portable()["embedding.base_url"] == "https://vectors.example/v1"


def test_a_bound_is_told_as_people_write_it(environment: dict[str, str]) -> None:
    with pytest.raises(BadSetting, match=r"a whole number from 0 to 1,000,000; '-1' is not"):
        load(environment=environment | {"HANSARD_GUARD_WRITES_PER_MINUTE": "-1"})
