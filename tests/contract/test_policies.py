"""Policies of projects in a process that lasts: a file is followed, and one that is broken opens nothing."""

from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import BadSetting, GuardRefused, TooManyWrites
from hansard.project import Project
from hansard.services import configure
from hansard.settings import Settings, unguarded
from support.fakes import fake_secret

SECRET = f"The token is {fake_secret()}."


@pytest.fixture
def folder(hansard: Hansard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(configure, "BELIEVED_SECONDS", 0.0)
    root = tmp_path / "work"
    (root / ".hansard").mkdir(parents=True)
    hansard.project("shop", create=True, root=root)
    hansard.follow_policies()
    return root / ".hansard/config.yml"


def shop(hansard: Hansard) -> Project:
    return hansard.project("shop")


def test_a_policy_that_is_written_is_in_force_and_one_that_is_taken_back_is_not(hansard: Hansard, folder: Path) -> None:
    folder.write_text("guard.secrets: block\n")
    with pytest.raises(GuardRefused):
        shop(hansard).remember(SECRET, agent="tank")
    folder.write_text("")

    assert "REDACTED" in shop(hansard).remember(SECRET, agent="tank").content


def test_a_limit_is_in_force_in_its_own_project_only(hansard: Hansard, folder: Path) -> None:
    folder.write_text("guard.writes_per_minute: 1\n")
    shop(hansard).remember("One.", agent="tank")
    with pytest.raises(TooManyWrites):
        shop(hansard).remember("Two.", agent="tank")

    other = hansard.project("bank", create=True)
    assert [other.remember(text, agent="tank").content for text in ("One.", "Two.")] == ["One.", "Two."]


def test_a_file_that_is_broken_leaves_in_force_what_was(
    hansard: Hansard, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.write_text("guard.secrets: block\n")
    assert shop(hansard).get_setting("guard.secrets").value == "block"
    folder.write_text("guard.secrets: [block\n")
    with pytest.raises(GuardRefused):
        shop(hansard).remember(SECRET, agent="tank")

    assert "the policy of shop is not read anew" in caplog.text


def test_a_file_is_not_read_for_every_call(hansard: Hansard, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shop(hansard).get_setting("guard.secrets").value == "redact"
    monkeypatch.setattr(configure, "BELIEVED_SECONDS", 60.0)
    folder.write_text("guard.secrets: block\n")

    assert "REDACTED" in shop(hansard).remember(SECRET, agent="tank").content


def test_what_another_projects_file_said_at_the_start_is_not_every_projects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSARD_GUARD_PENDING_MAX", "7")
    started = Settings(guard_secrets="block", guard_pending_max=3, origins={"guard.secrets": "a/.hansard/config.yml"})

    found = unguarded(started)

    assert (found.guard_secrets, found.guard_pending_max) == ("redact", 7)
    assert found.origins == {"guard.pending_max": "environment HANSARD_GUARD_PENDING_MAX"}


def test_while_nobody_knows_what_is_to_be_in_force_nothing_is_done(hansard: Hansard, folder: Path) -> None:
    folder.write_text("guard.secrets: [block\n")
    with pytest.raises(BadSetting, match="cannot be read"):
        shop(hansard)
    folder.write_text("guard.secrets: block\n")

    assert shop(hansard).get_setting("guard.secrets").value == "block"
