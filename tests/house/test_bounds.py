"""Checks that the bounds printed for a setting are the ones that are kept."""

import pytest

from hansard.settings import SETTINGS, Setting
from house.reference import pages
from house.source import ROOT

BOUNDED = [one for one in SETTINGS if one.minimum is not None]


@pytest.mark.parametrize("setting", BOUNDED, ids=lambda one: one.name)
def test_the_printed_bounds_of_a_setting_are_true(setting: Setting) -> None:
    page = next(text for path, text in pages().items() if path.name == "settings.md")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{setting.name}` |"))
    printed = row.split("|")[4].replace(",", "").split(" to ")

    assert [float(one) for one in printed] == [setting.minimum, setting.maximum], f"{ROOT}: {row}"
