"""The run of the official conformance suite knows a scenario by its folder, at any time of any day."""

import json
import runpy
from pathlib import Path

import pytest

from house.source import ROOT

OUTCOME = runpy.run_path(str(ROOT / "scripts" / "conformance.py"))["outcome"]


@pytest.mark.parametrize("at", ["2026-11-16T09-00-00-000Z", "2026-11-20T09-20-20-200Z", "2026-12-31T23-59-59-999Z"])
@pytest.mark.parametrize("scenario", ["ping", "tools-call-simple-text", "server-20-times"])
def test_a_scenario_is_known_by_its_folder(tmp_path: Path, scenario: str, at: str) -> None:
    folder = tmp_path / f"server-{scenario}-{at}"
    folder.mkdir()
    (folder / "checks.json").write_text(json.dumps([{"status": "SUCCESS"}]))

    assert OUTCOME(folder / "checks.json").scenario == scenario
