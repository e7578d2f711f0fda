"""`hansard migrate-store` tells the truth: of an interruption, of tokens, and of what to do where it refuses."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard import Hansard
from hansard.settings import Settings
from support.older import make_older_file
from support.provider import Provider

ME = Settings(user="ana")


@pytest.fixture
def source(project_cli: Cli, tmp_path: Path) -> str:
    project_cli("memory", "record", "The proxy cuts uploads at five megabytes.", "--agent", "tank")
    return str(tmp_path / "cli.db")


@pytest.fixture
def copy(tmp_path: Path) -> str:
    return str(tmp_path / "copy.db")


def keys_in(place: str) -> list[str]:
    with Hansard.open(place, settings=ME) as opened:
        return [one.key for one in opened.projects()]


def test_whoever_stops_the_proof_of_a_copy_is_not_told_that_the_copy_is_undone(
    project_cli: Cli, copy: str, tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PROVIDER": "http", "BASE_URL": provider.url, "MODEL": "small", "DIMENSIONS": "16"}.items():
        monkeypatch.setenv(f"HANSARD_EMBEDDING_{name}", value)
    project_cli("memory", "record", "The proxy cuts uploads at five megabytes.", "--agent", "tank")
    # The first thing that a copy asks of a provider is a search, and searches are compared when the copy is kept.
    provider.script = [provider.slow]
    copying = subprocess.Popen(
        [sys.executable, "-m", "hansard", "migrate-store", str(tmp_path / "cli.db"), copy],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert provider.entered.wait(60)
    assert keys_in(copy) == ["web-shop"]
    copying.send_signal(signal.SIGINT)
    provider.release.set()

    told = copying.communicate(timeout=60)[1].splitlines()

    assert copying.returncode == 130
    assert told == [
        "0 projects done. The one in work is there whole or not at all, unproven; the same command does the rest.",
        "Stopped.",
    ]
    (item,) = project_cli("migrate-store", str(tmp_path / "cli.db"), copy, "--json").json["items"]
    assert (item["was_there"], item["searches"]) == (True, 1)


def test_the_help_says_what_is_compared_when(project_cli: Cli) -> None:
    told = " ".join(project_cli("migrate-store", "--help").out.split())

    assert "every row is compared before the copy is kept. Then the history of the copy is verified" in told
    assert "A project whose copy is interrupted is in the target whole or not at all" in told


def test_tokens_for_all_projects_that_stay_behind_are_told(project_cli: Cli, source: str, copy: str) -> None:
    with Hansard.open(source, settings=ME) as ours:
        ours.create_token(agent="tank", projects=["web-shop"])
        ours.create_token(agent="ana", role="human")
        ours.revoke_token(ours.create_token(agent="smith")[0].id)

    ran = project_cli("migrate-store", source, copy)

    assert ran.code == 0
    assert "1 token for all projects did not come along: a project brings only its own." in ran.out
    told = "hansard --db TARGET token create --agent NAME --role ROLE --all-projects"
    assert f"`{told}` makes a new one." in ran.out
    filled_in = {"TARGET": copy, "NAME": "ana", "ROLE": "human"}
    assert project_cli(*(filled_in.get(word, word) for word in told.split()[1:])).code == 0
    assert project_cli("migrate-store", source, copy, "--json").json["tokens_left_behind"] == 1


def test_where_no_token_stays_behind_nothing_is_said_of_tokens(project_cli: Cli, source: str, copy: str) -> None:
    with Hansard.open(source, settings=ME) as ours:
        ours.create_token(agent="tank", projects=["web-shop"])

    assert "token" not in project_cli("migrate-store", source, copy).out
    assert project_cli("migrate-store", source, copy, "--json").json["tokens_left_behind"] == 0


def test_another_project_of_the_same_key_is_told_with_what_to_do(project_cli: Cli, source: str, copy: str) -> None:
    assert project_cli("--db", copy, "init").code == 0

    ran = project_cli("migrate-store", source, copy)

    assert ran.code == 1
    assert "The target has another project 'web-shop'; it is left as it is." in ran.err
    assert "copy into a new database, before anybody runs `hansard init` there." in ran.err


def test_a_copy_that_alone_went_on_is_told_with_the_way_that_works(project_cli: Cli, source: str, copy: str) -> None:
    project_cli("migrate-store", source, copy)
    project_cli("--db", copy, "memory", "record", "The proxy was replaced.", "--agent", "tank")

    ran = project_cli("migrate-store", source, copy)

    assert ran.code == 1
    assert "copy the other way: `hansard migrate-store TARGET SOURCE --only web-shop`." in ran.err
    assert "new database" not in ran.err
    back = project_cli("migrate-store", copy, source, "--only", "web-shop")
    assert (back.code, back.err) == (0, "web-shop: brought on\n")


def test_where_both_went_on_no_way_is_promised(project_cli: Cli, source: str, copy: str) -> None:
    project_cli("migrate-store", source, copy)
    project_cli("memory", "record", "The source goes on.", "--agent", "tank")
    for words in ("The copy goes on.", "It goes further."):
        project_cli("--db", copy, "memory", "record", words, "--agent", "tank")

    ran = project_cli("migrate-store", source, copy)

    assert ran.code == 1
    assert "copy into a new database, and give up the old copy." in ran.err
    assert "the other way" not in ran.err


@pytest.mark.parametrize("served", ["https://foo", "HTTP://127.0.0.1:1"])
def test_the_address_of_a_hansard_that_serves_is_refused_as_what_it_is(
    project_cli: Cli, source: str, served: str
) -> None:
    for places in ((source, served), (served, source)):
        ran = project_cli("migrate-store", *places)
        assert ran.code == 6
        assert "SOURCE and TARGET are databases." in ran.err
        assert "settings" not in ran.err


def test_a_project_that_the_source_lacks_is_told_with_those_it_has(project_cli: Cli, source: str, copy: str) -> None:
    with Hansard.open(source, settings=ME) as ours:
        ours.project("farm", create=True)

    ran = project_cli("migrate-store", source, copy, "--only", "farm", "--only", "nope")

    assert ran.code == 3
    assert "The source has no project 'nope'; it has farm, web-shop." in ran.err
    assert "hansard init" not in ran.err
    assert not Path(copy).exists()


def test_of_many_projects_only_some_are_named(project_cli: Cli, source: str, copy: str) -> None:
    with Hansard.open(source, settings=ME) as ours:
        for number in range(25):
            ours.project(f"farm-{number:02}", create=True)

    ran = project_cli("migrate-store", source, copy, "--only", "nope")

    assert "farm-19, …." in ran.err
    assert "farm-20" not in ran.err


def test_a_source_of_an_older_version_is_brought_up_to_date_and_that_is_told(
    project_cli: Cli, copy: str, tmp_path: Path
) -> None:
    older = make_older_file(tmp_path / "older.db")
    said = (
        "The source had schema version 9 and was brought up to date first: an older Hansard does not open it any more."
    )

    told = [project_cli("migrate-store", older, copy) for _ in range(2)]

    assert [one.code for one in told] == [0, 0]
    assert [said in one.err.splitlines() for one in told] == [True, False]
