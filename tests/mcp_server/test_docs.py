"""The page about MCP names everything that a host can use."""

import json
import re
import tomllib

import pytest

from hansard.interfaces.mcp.prompts import PROMPTS
from hansard.interfaces.mcp.refusals import OWN_CODES
from hansard.interfaces.mcp.resources import ROOTS
from hansard.interfaces.mcp.tools import TOOLS
from house.source import ROOT

PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        *(tool.name for tool in TOOLS),
        *(tool.alias for tool in TOOLS if tool.alias),
        *(prompt.name for prompt in PROMPTS),
        *(root.address for root in ROOTS),
    ],
)
def test_everything_a_host_can_use_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("code", [code for code, _ in OWN_CODES])
def test_the_codes_of_tools_are_among_the_errors(code: str) -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")

    assert f"`{code}`" in page.partition("## Only of a tool over MCP")[2]


def test_every_example_of_settings_can_be_read() -> None:
    found = re.findall(r"^```(json|toml)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)

    read = [json.loads(text) if kind == "json" else tomllib.loads(text) for kind, text in found]

    assert len(read) == 5
    assert all("hansard" in next(iter(one.values())) for one in read)
