"""What stands at each address, and the prompts around a turn."""

from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from hansard.domain.protocol import END_OF_CHILD_TURN, END_OF_TURN, MEMORY_PROTOCOL, start_of_turn
from hansard.domain.turns import Mode
from hansard.interfaces.mcp.context import CHILD_ONLY
from hansard.project import Project
from mcp_server.conftest import Seat
from support.fakes import fake_secret
from support.mcp_client import Desk, used


def test_what_can_be_read_is_listed(tank: Desk, ana: Desk) -> None:
    ana("submit_decision", type="scope", title="No mobile app", content="We build no app.")

    listed = used(tank.server, lambda client: client.list_resources()).resources
    forms = used(tank.server, lambda client: client.list_resource_templates()).resource_templates

    assert [one.uri for one in listed] == ["memory://root", "memory://root/MEMORY.md", "memory://decisions/1"]
    assert {one.uri_template for one in forms} == {
        "memory://decisions/{number}", "memory://inbox/{slug}", "memory://memories/{id}",
        "memory://root/skills/{name}/SKILL.md",
    }  # fmt: skip


def test_decisions_proposals_and_memories_are_read_at_their_addresses(tank: Desk, ana: Desk) -> None:
    ana("submit_decision", type="scope", title="No mobile app", content="We build no app.", rationale="No budget.")
    tank("submit_inbox_entry", slug="use-x", type="process", content="Use X.")
    memory = tank("record_memory", content="Uploads over 5 MB time out.").document["address"]

    assert "### No mobile app" in tank.read("memory://decisions/1")
    assert "No budget." in tank.read("MEMORY://decisions/D-1/")
    assert "Use X." in tank.read("memory://inbox/use-x")
    assert "Use X." in tank.read("memory://inbox/P-1")
    assert "Uploads over 5 MB" in tank.read(memory)


def test_a_forgotten_memory_leaves_its_tombstone(tank: Desk) -> None:
    made = tank("record_memory", content="Gone soon.").document
    tank("memory_delete", memory_id=made["id"])

    assert tank.read(made["address"]) == f"- [forgotten] {made['address']}\n"


@pytest.mark.parametrize(
    "address", ["memory://root", "memory://root/MEMORY.md", "memory://root/skills/deploy/SKILL.md"]
)
def test_what_was_not_consolidated_yet_says_so_and_what_to_do(tank: Desk, address: str) -> None:
    text = tank.read(address)

    assert text.startswith("Not available yet")
    assert "What to do" in text


def test_an_address_that_is_a_secret_is_not_repeated(tank: Desk) -> None:
    address = f"memory://root/skills/{fake_secret()}/SKILL.md"
    (content,) = used(tank.server, lambda client: client.read_resource(address)).contents

    assert content.uri == "memory://root/skills/[REDACTED:github_token]/SKILL.md"


def test_consolidated_memory_is_read_under_its_rules(tank: Desk, project: Project, home: Path) -> None:
    folder = home / "data" / "hansard" / "projects" / project.id
    folder.mkdir(parents=True)
    (folder / "memory_summary.md").write_text("# Forged heading\nDeploys happen on Tuesdays.\n", encoding="utf-8")

    text = tank.read("memory://root")

    assert "It proves nothing about the repository as it is now" in text
    assert "Deploys happen on Tuesdays." in text
    assert "\n# Forged" not in text


@pytest.mark.parametrize(
    "address",
    [
        "memory://decisions/99", "memory://inbox/nothing", "memory://memories/nothing", "memory://else", "file:///etc/passwd",
        "memory://inbox/../../etc/passwd", "memory://root/../../secret", "", "memory://decisions/", "x" * 5_000,
        "memory://memories/%00", "memory://root/skills/../../x/SKILL.md%00",
    ],
)  # fmt: skip
def test_where_nothing_stands_the_protocol_says_so(tank: Desk, address: str) -> None:
    with pytest.raises(MCPError) as refused:
        tank.read(address)

    assert refused.value.error.data["hint"]
    assert "Traceback" not in str(refused.value)


def test_a_memory_of_another_agent_is_not_there(tank: Desk, desk_of: Seat) -> None:
    address = tank("record_memory", content="Mine alone.").document["address"]

    with pytest.raises(MCPError, match=r"no memory|There is no"):
        desk_of("neo").read(address)


def test_the_start_of_a_turn_has_the_protocol_and_the_block(tank: Desk, ana: Desk) -> None:
    ana("submit_decision", type="scope", title="No mobile app", content="We build no app.")

    text = tank.prompt("start_of_turn", task="build")

    assert text.startswith(MEMORY_PROTOCOL)
    assert "### No mobile app" in text


def test_a_child_is_never_told_the_protocol(tank: Desk, desk_of: Seat, ana: Desk) -> None:
    ana("submit_decision", type="scope", title="No mobile app", content="We build no app.")
    child = desk_of("tank", child=True)

    for text in (tank.prompt("start_of_turn", mode="child"), child.prompt("start_of_turn"), child("get_context").text):
        assert "Memory Protocol" not in text
        assert "### No mobile app" in text
    assert start_of_turn("", Mode.CHILD) == ""
    assert used(child.server, _instructions, mode="legacy") is None


@pytest.mark.parametrize("mode", ["full", "coordinator", "ignore"])
def test_a_child_is_told_its_decisions_and_nothing_else_whatever_it_asks_for(
    tank: Desk, desk_of: Seat, ana: Desk, mode: str
) -> None:
    ana("submit_decision", type="scope", title="No mobile app", content="We build no app.")
    tank("record_memory", content="Sessions expire after an hour.", importance="high")
    tank("start_session", focus="Auth rework")
    child = desk_of("tank", child=True)
    assert "Sessions expire" in tank("get_context", mode="full").text

    answered = child("get_context", mode=mode, task="fix the session")

    assert answered.document["receipt"]["mode"] == "child"
    assert answered.document["note"] == CHILD_ONLY
    for text in (answered.text, child.prompt("start_of_turn", mode=mode, task="fix the session")):
        assert text.endswith(f"({CHILD_ONLY})\n")
        assert "### No mobile app" in text
        for kept_back in ("Memory Protocol", "Sessions expire", "Auth rework"):
            assert kept_back not in text


def test_a_child_that_asks_for_child_mode_is_told_nothing_about_modes(desk_of: Seat) -> None:
    child = desk_of("tank", child=True)

    for asked in ({}, {"mode": "child"}):
        assert child("get_context", **asked).document["note"] is None
        assert CHILD_ONLY not in child.prompt("start_of_turn", **asked)
    assert child("get_context", mode="loud").code == "input.unknown_value"


def test_the_end_of_a_childs_turn_asks_for_nothing_to_be_kept(tank: Desk, desk_of: Seat) -> None:
    tank("start_session", focus="Auth")

    text = desk_of("tank", child=True).prompt("end_of_turn")

    assert text == END_OF_CHILD_TURN
    for asked in ("propose", "record", "rate", "submit_decision", "update_session"):
        assert asked not in text.lower()


def test_the_end_of_a_turn_says_what_to_leave_behind(tank: Desk) -> None:
    assert "No session is open" in tank.prompt("end_of_turn")
    tank("start_session", focus="Auth")
    assert tank.prompt("end_of_turn") == END_OF_TURN


def test_an_unknown_prompt_is_answered_with_those_that_are_known(tank: Desk) -> None:
    with pytest.raises(MCPError, match="start_of_turn, end_of_turn"):
        tank.prompt("nothing")


def test_arguments_are_completed_from_the_record(tank: Desk, ana: Desk) -> None:
    ana("submit_decision", type="scope", title="No mobile app", content="We build no app.")
    tank("submit_inbox_entry", slug="use-x", type="process", content="Use X.")

    assert _completed(tank, "memory://decisions/{number}", "number", "") == ["1"]
    assert _completed(tank, "memory://inbox/{slug}", "slug", "use") == ["use-x"]
    assert _completed(tank, "memory://inbox/{slug}", "slug", "zzz") == []
    assert _completed(tank, "memory://else/{what}", "what", "") == []


def test_the_protocol_is_short_and_says_what_never_to_save() -> None:
    assert len(MEMORY_PROTOCOL.splitlines()) <= 8
    assert len(MEMORY_PROTOCOL) <= 1_500
    assert "Never save secrets" in MEMORY_PROTOCOL


async def _instructions(client: object) -> str | None:
    return client.instructions  # type: ignore[attr-defined, no-any-return]


def _completed(desk: Desk, template: str, argument: str, typed: str) -> list[str]:
    from mcp.types import ResourceTemplateReference

    asked = {"name": argument, "value": typed}
    reference = ResourceTemplateReference(uri=template)
    return used(desk.server, lambda client: client.complete(reference, asked)).completion.values
