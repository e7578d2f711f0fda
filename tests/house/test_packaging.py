"""Checks that what is installed is what was chosen: one version, few dependencies, each pinned and explained."""

import re
import tomllib
from typing import Any

import pytest

import hansard
from house.source import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)")
HASH = re.compile(r"^\s+--hash=sha256:[0-9a-f]{64}\s*\\?$")
HOST = re.compile(r"://|--(?:extra-)?index|--find-links|--trusted-host|--default-index")
REASON_WORDS_MIN = 5


def project_table() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        table: dict[str, Any] = tomllib.load(file)["project"]
    return table


def dependencies() -> list[str]:
    return [re.split(r"[^A-Za-z0-9._-]", one)[0].lower() for one in project_table()["dependencies"]]


def pins(lock: str) -> dict[str, list[str]]:
    """The locked packages with the lines that follow each."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        pinned = PIN.match(line)
        if pinned:
            name = pinned.group(1).lower()
            found[name] = []
        elif line.strip():
            found[name].append(line)
    return found


def versions(lock: str) -> dict[str, str]:
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    return {found.group(1): found.group(2) for line in lines if (found := PIN.match(line))}


def test_the_version_is_the_same_everywhere() -> None:
    assert project_table()["version"] == hansard.__version__


@pytest.mark.parametrize("name", dependencies())
def test_every_dependency_is_locked(name: str) -> None:
    assert name in pins("requirements.lock")


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_is_pinned_by_hash(lock: str) -> None:
    wrong = [name for name, lines in pins(lock).items() if not lines or not all(HASH.match(line) for line in lines)]

    assert wrong == []


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_names_an_index_or_a_host(lock: str) -> None:
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()

    assert [line for line in lines if HOST.search(line)] == []


def test_what_runs_and_what_is_tested_are_the_same_versions() -> None:
    running, testing = versions("requirements.lock"), versions("requirements-dev.lock")

    assert {name: version for name, version in testing.items() if name in running} == running


@pytest.mark.parametrize("name", dependencies())
def test_the_readme_says_why_every_dependency_is_there(name: str) -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    about = [line for line in lines if re.search(rf"`?\b{re.escape(name)}\b`?", line, re.IGNORECASE)]

    assert any(len(line.split()) > REASON_WORDS_MIN for line in about), f"README.md gives no reason for {name}"
