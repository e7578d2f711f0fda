"""`hansard receipts`: what was kept is listed, shown and deleted."""

import pytest

from cli.conftest import Cli


@pytest.fixture
def receipt(project_cli: Cli) -> str:
    project_cli("decisions", "create", "--title", "Use Postgres", "--type", "architectural", "--content", "All data.")
    return str(project_cli("context", "--agent", "tank", "--keep", "--json").json["receipt"]["id"])


def test_kept_receipts_are_listed(project_cli: Cli, receipt: str) -> None:
    ran = project_cli("receipts", "list")
    assert ran.code == 0
    assert receipt in ran.out
    (item,) = project_cli("receipts", "list", "--author", "tank", "--json").json["items"]
    assert (item["id"], item["agent"], item["mode"]) == (receipt, "tank", "full")
    assert "body" not in item
    assert project_cli("receipts", "list", "--author", "neo", "--json").json["items"] == []


def test_a_receipt_is_shown_line_by_line(project_cli: Cli, receipt: str) -> None:
    ran = project_cli("receipts", "show", receipt)
    assert ran.code == 0
    assert f"Receipt {receipt} of a block for tank" in ran.out
    assert "boundaries" in ran.out
    document = project_cli("receipts", "show", receipt, "--json").json
    assert document["id"] == receipt
    assert [line["kind"] for line in document["lines"]] == ["decision"]


def test_another_agent_finds_no_such_receipt(project_cli: Cli, receipt: str) -> None:
    ran = project_cli("receipts", "show", receipt, "--agent", "neo", "--json")
    assert ran.code == 3
    assert ran.json["error"]["code"] == "receipt.unknown"


def test_purging_asks_first_and_deletes_what_is_old(project_cli: Cli, receipt: str) -> None:
    assert project_cli("receipts", "purge", "--dry-run", "--json").json == {"old": 0, "purged": False}
    assert project_cli("receipts", "purge").out == "0 old receipts deleted.\n"
    assert "1 old receipt found." in project_cli("receipts", "purge", "--days", "0", "--dry-run").out
    refused = project_cli("receipts", "purge", "--days", "0")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert receipt in project_cli("receipts", "list").out
    assert project_cli("receipts", "purge", "--days", "0", "--yes", "--json").json == {"old": 1, "purged": True}
    assert project_cli("receipts", "list").out.startswith("No receipt is kept.")
