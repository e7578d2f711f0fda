"""Every tool, used by the official client, which checks each answer against the schema that was advertised."""

from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import StoreBusy
from hansard.interfaces.mcp.refusals import unknown_tool
from hansard.interfaces.mcp.tools import TOOLS, offered
from hansard.project import Project
from mcp_server.conftest import Seat
from support.fakes import fake_hex_token, fake_secret
from support.marks import invariant
from support.mcp_client import Desk, actor, seated, told, used

NAMES = {
    "record_memory", "submit_inbox_entry", "submit_decision", "list_inbox", "merge_inbox_entry", "reject_inbox_entry",
    "list_decisions", "start_session", "update_session", "export_memory", "get_context", "memory_search", "memory_get",
    "memory_delete", "memory_rate", "inject_learning",
}  # fmt: skip
ALIASES = {"memory-search", "memory-get", "memory-delete", "inject-learning"}


def test_every_tool_is_told_with_a_title_hints_and_schemas(tank: Desk) -> None:
    listed = used(tank.server, lambda client: client.list_tools()).tools

    assert {tool.name for tool in listed} == NAMES
    for tool in listed:
        assert all((tool.title, tool.description, tool.output_schema))
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is not None
        assert tool.annotations.destructive_hint is not None
        assert tool.annotations.idempotent_hint is not None


def test_hints_say_which_tools_only_read_and_which_destroy() -> None:
    # Only on request does get_context store a receipt, but hosts go by the hint of the tool and not of the call.
    assert {tool.name for tool in TOOLS if tool.told()["annotations"]["readOnlyHint"]} == {
        "list_inbox", "list_decisions", "memory_search", "memory_get",
    }  # fmt: skip
    assert {tool.name for tool in TOOLS if tool.reads and tool.keeps} == {"get_context"}
    assert offered(aliases=False)["get_context"].told()["annotations"]["idempotentHint"] is False
    assert "count of its reads" in offered(aliases=False)["memory_get"].about
    # As with get_context: of update_session only `end` and `replace` undo something, but hosts cannot tell.
    assert {tool.name for tool in TOOLS if tool.told()["annotations"]["destructiveHint"]} == {
        "memory_delete", "merge_inbox_entry", "reject_inbox_entry", "start_session", "update_session",
    }  # fmt: skip
    assert not [tool.name for tool in TOOLS if tool.reads and tool.destroys]


def test_aliases_are_there_when_the_setting_says_so(desk_of: Seat) -> None:
    assert ALIASES.isdisjoint(offered(aliases=False))
    assert set(offered(aliases=True)) == NAMES | ALIASES

    swarm = desk_of("tank", aliases=True)
    made = swarm("record_memory", content="Uploads over 5 MB time out.").document
    found = swarm("memory-search", query="uploads time out", intent="fix the upload")
    assert [one["id"] for one in found.document["items"]] == [made["id"]]
    assert (
        swarm("memory-get", memoryId=made["id"], intent="read it").document["content"] == "Uploads over 5 MB time out."
    )
    assert swarm("memory-delete", memoryId=made["id"]).document["forgotten"] is True


def test_a_memory_is_recorded_found_read_rated_and_deleted(tank: Desk, desk_of: Seat) -> None:
    made = tank(
        "record_memory", content="The API needs a Bearer prefix.", scope="team", importance="high", tags=["api"]
    )
    assert not made.is_error
    identity = made.document["id"]
    assert f"memory://memories/{identity}" in made.text

    again = tank("record_memory", content="The API needs a Bearer prefix.", scope="team")
    assert again.document["duplicate"] is True

    neo = desk_of("neo")
    found = neo("memory_search", query="Which prefix does the API need?")
    assert [one["id"] for one in found.document["items"]] == [identity]
    assert neo("memory_get", memory_id=f"memory://memories/{identity}").document["tags"] == ["api", "cross-team"]
    assert neo("memory_rate", memory_id=identity, useful=True, note="It was that.").document["counts"] is True
    assert neo("memory_delete", memory_id=identity).code == "policy.denied"
    assert tank("memory_delete", memory_id=identity).document == {"id": identity, "forgotten": True, "still_in": None}
    assert neo("memory_search", query="Which prefix does the API need?").document["items"] == []


def test_a_private_memory_of_another_agent_is_missing(tank: Desk, desk_of: Seat) -> None:
    made = tank("record_memory", content="Mine alone.")

    refused = desk_of("neo")("memory_get", memory_id=made.document["id"])

    assert refused.code == "memory.unknown"
    assert "Mine alone" not in refused.text


def test_a_lesson_is_handed_on_by_a_lead_only(tank: Desk, desk_of: Seat) -> None:
    tank("record_memory", content="I was here.")
    lesson = {"agent": "tank", "learning": "Run the migrations first.", "category": "best-practice"}

    assert desk_of("neo")("inject_learning", **lesson).code == "policy.denied"
    assert desk_of("morpheus", "coordinator")("inject_learning", **lesson).document["agent"] == "tank"


def test_what_an_agent_decides_is_a_proposal_and_what_a_person_decides_is_decided(tank: Desk, ana: Desk) -> None:
    wanted = {"type": "architectural", "title": "Use PostgreSQL", "content": "All data lives in PostgreSQL."}

    proposed = tank("submit_decision", **wanted, rationale="One store.")
    decided = ana("submit_decision", **wanted)

    assert proposed.document["outcome"] == "created"
    assert proposed.document["entry"]["slug"] == "use-postgresql"
    assert decided.document["outcome"] == "decided"
    assert decided.document["decision"]["ref"] == "D-1"


@pytest.mark.parametrize("title", ["使用 PostgreSQL", "一切数据都在一处", "12", "P-7", "Long " * 60])
def test_a_title_of_any_letters_makes_a_slug(tank: Desk, title: str) -> None:
    first = tank("submit_decision", type="process", title=title, content="Keep to it.")
    again = tank("submit_decision", type="process", title=title, content="Keep to it, please.")

    assert first.document["outcome"] == "created"
    assert again.document["outcome"] == "updated"
    assert first.document["entry"]["slug"] == again.document["entry"]["slug"]


@invariant("INV-20")
@pytest.mark.parametrize(
    "secret",
    [fake_secret(), fake_hex_token(), f"postgres://app:{fake_secret()[4:]}@db"],
    ids=["github", "digitalocean", "url"],
)
def test_a_slug_is_made_of_a_title_without_its_secrets(tank: Desk, ana: Desk, secret: str) -> None:
    made = tank("submit_decision", type="process", title=f"Rotate {secret}", content="Keep to it.")

    slug = made.document["entry"]["slug"]
    assert "redacted" in slug
    assert secret[-20:-4].lower() not in (ana("list_inbox", status="all").text + slug).lower()


def test_a_person_who_names_an_agent_proposes_for_it(ana: Desk) -> None:
    made = ana("submit_decision", type="scope", title="No mobile app", content="We build no app.", agent="tank")

    assert made.document["entry"]["author"] == "tank"


def test_the_same_slug_again_updates_the_own_proposal(tank: Desk) -> None:
    first = tank("submit_inbox_entry", slug="use-x", type="learning", content="Use X.")
    second = tank("submit_inbox_entry", slug="use-x", type="learning", content="Use X and Y.")

    assert (first.document["outcome"], second.document["outcome"]) == ("created", "updated")
    assert [one["version"] for one in tank("list_inbox").document["items"]] == [2]


def test_proposals_are_listed_in_short_and_read_in_full(tank: Desk) -> None:
    content = "A first line.\n" + ", ".join(["and more of it"] * 50)
    tank("submit_inbox_entry", slug="long", type="process", content=content, rationale="Because.")

    listed = tank("list_inbox", status="all", type="process")

    assert len(listed.text) < 400
    assert listed.document["items"][0]["address"] == "memory://inbox/long"
    assert content in tank.read("memory://inbox/long")


def test_a_binding_proposal_is_not_accepted_by_an_agent_whatever_it_tries(tank: Desk, desk_of: Seat, ana: Desk) -> None:
    for kind in ("architectural", "scope"):
        tank("submit_decision", type=kind, title=f"A {kind} rule", content="Keep to it.")
    neo = desk_of("neo")

    for caller in (tank, neo, desk_of("cron", "service")):
        for reference in ("P-1", "P-1@1", "a-architectural-rule", "2"):
            refused = caller("merge_inbox_entry", reference=reference, note="The user told me to.")
            assert refused.is_error
            assert refused.code == "policy.denied"
            assert "person or a coordinator" in refused.text or "review" in refused.text
            assert "Do not try another way" in refused.text
    assert [one["status"] for one in tank("list_inbox").document["items"]] == ["pending", "pending"]
    assert ana("merge_inbox_entry", reference="P-1").document["ref"] == "D-1"


def test_a_routine_proposal_is_accepted_by_an_agent(tank: Desk) -> None:
    tank("submit_inbox_entry", slug="learned", type="learning", content="Tests need Redis.")

    assert tank("merge_inbox_entry", reference="learned").document["type"] == "learning"
    assert tank("merge_inbox_entry", reference="learned").code == "inbox.already_reviewed"


def test_a_proposal_is_rejected_with_a_reason(tank: Desk, ana: Desk, desk_of: Seat) -> None:
    tank("submit_inbox_entry", slug="no", type="technical", content="Rewrite it.")

    assert desk_of("neo")("reject_inbox_entry", reference="no").code == "policy.denied"
    assert ana("reject_inbox_entry", reference="P-1", reason="Not now.").document["status"] == "rejected"


def test_decisions_are_listed_page_by_page(ana: Desk) -> None:
    for number in range(3):
        ana("submit_decision", type="process", title=f"Rule {number}", content="Keep to it.")

    first = ana("list_decisions", limit=2)
    rest = ana("list_decisions", limit=2, cursor=first.document["next_cursor"])

    assert [one["ref"] for one in first.document["items"]] == ["D-3", "D-2"]
    assert [one["ref"] for one in rest.document["items"]] == ["D-1"]
    assert f"cursor {first.document['next_cursor']}" in first.text


def test_a_session_is_started_updated_and_ended(tank: Desk) -> None:
    assert tank("update_session", summary="Too early.").code == "session.none_open"
    assert tank("start_session", focus="Auth rework", issues=["#12"]).document["focus"] == "Auth rework"
    assert tank("update_session", summary="Login works.").document["summary"] == "Login works."
    assert tank("update_session", summary="Logout too.").document["summary"] == "Login works.\nLogout too."
    assert tank("update_session", summary="All done.", replace=True).document["summary"] == "All done."
    assert tank("update_session").code == "input.invalid"
    assert tank("update_session", end=True).document["ended_at"] is not None


def test_a_session_that_starts_says_which_one_it_ended_if_there_was_one(tank: Desk) -> None:
    first = tank("start_session", focus="Auth rework")
    second = tank("start_session", focus="Billing")

    assert "ended" not in first.text
    assert f"; {first.document['id']}, which was open, has ended." in second.text


def test_a_short_memory_is_told_once_and_a_long_one_in_full(tank: Desk) -> None:
    short = tank("record_memory", content="The API needs a Bearer prefix.").document["id"]
    content = "The first line.\nAnd a second one."
    long = tank("record_memory", content=content).document["id"]

    for text in (tank("memory_get", memory_id=short).text, tank.read(f"memory://memories/{short}")):
        assert text.count("The API needs a Bearer prefix.") == 1
    for text in (tank("memory_get", memory_id=long).text, tank.read(f"memory://memories/{long}")):
        assert content in text


@pytest.mark.parametrize("tool", ["list_inbox", "list_decisions"])
def test_a_status_that_is_not_known_is_answered_with_all_that_are(tank: Desk, tool: str) -> None:
    assert ", all; 'some' is not." in tank(tool, status="some").text


def test_the_context_is_the_block_with_a_short_receipt(tank: Desk, ana: Desk) -> None:
    assert tank("get_context").text.startswith("Nothing is told: no boundaries")
    assert tank("get_context", mode="ignore").text.startswith("Nothing is told this turn.")
    ana("submit_decision", type="scope", title="No mobile app", content="We build no app.")
    tank("record_memory", content="Sessions expire after an hour.", importance="high")

    full = tank("get_context", task="fix the session", keep=True)

    assert full.text.startswith("## Boundaries and Decisions")
    assert full.document["receipt"]["mode"] == "full"
    assert full.document["receipt"]["id"]
    assert "lines" not in full.document["receipt"]
    assert "Sessions expire" not in tank("get_context", mode="ignore").text
    assert "Sessions expire" not in tank("get_context", prompt="Please ignore your memory here.").text


def test_an_agent_is_told_its_own_context_only(tank: Desk) -> None:
    assert tank("get_context", agent="neo").code == "policy.impersonation"
    assert tank("record_memory", content="As another.", agent="neo").code == "policy.impersonation"


def test_an_export_says_how_many_files_it_wrote(hansard: Hansard, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    hansard.project("web", create=True, root=tmp_path / "work")
    desk = Desk(lambda: hansard.project("web", actor=actor("ana", "human")))
    desk("submit_decision", type="scope", title="No mobile app", content="We build no app.")

    exported = desk("export_memory")

    assert exported.document["counts"]["written"] > 0
    assert exported.document["failed"] == []
    assert str(tmp_path) not in exported.text


def test_an_export_without_a_folder_says_what_the_user_can_run(ana: Desk) -> None:
    refused = ana("export_memory")

    assert refused.code == "project.no_folder"
    assert "hansard init --project" in refused.text
    for impossible in ("Name one", "arguments by the tool's schema"):
        assert impossible not in refused.text


def test_an_export_whose_folder_is_gone_blames_no_argument(hansard: Hansard, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    hansard.project("web", create=True, root=tmp_path / "work")
    (tmp_path / "work").rmdir()

    refused = Desk(lambda: hansard.project("web", actor=actor("ana", "human")))("export_memory")

    assert refused.code == "project.folder_gone"
    assert "No argument helps" in refused.text


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "told"),
    [
        ("update_session", {"summary": "x", "session_id": "no-such"}, "session.unknown", "Leave out session_id"),
        ("record_memory", {"content": "x", "run_id": "no-such"}, "run.unknown", "Leave out run_id"),
        (
            "inject_learning", {"agent": "nobody", "learning": "x", "category": "best-practice"},
            "agent.unknown", "`hansard agents`",
        ),
    ],
)  # fmt: skip
def test_what_is_not_known_is_answered_with_something_that_can_be_done(
    ana: Desk, tool: str, arguments: dict[str, str], code: str, told: str
) -> None:
    refused = ana(tool, **arguments)

    assert refused.code == code
    assert told in refused.text
    assert "list_inbox" not in refused.text, "no tool lists sessions, runs or agents"


def test_a_secret_is_taken_out_and_the_answer_says_so(tank: Desk) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    made = tank("record_memory", content=f"The deploy key is {key}.")

    assert made.document["redacted"]
    assert "Never save secrets" in made.text
    assert key not in made.text + str(made.document)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_get", {}),
        ("memory_get", {"memory_id": 3}),
        ("memory_get", {"memory_id": "x", "surprise": True}),
        ("memory_get", {"memory_id": "x", "memoryId": "y"}),
        ("memory_search", {"query": "x", "limit": 0}),
        ("memory_search", {"query": "x", "limit": "many"}),
        ("memory_search", {"query": "x", "limit": 1.5}),
        ("memory_search", {"query": "x", "limit": True}),
        ("memory_search", {"query": "x", "limit": 1e300}),
        ("memory_search", {"query": "x", "scope": "everything"}),
        ("memory_rate", {"memory_id": "x", "useful": "yes"}),
        ("record_memory", {"content": ""}),
        ("record_memory", {"content": "x", "tags": [1]}),
        ("record_memory", {"content": "x", "tags": {"a": "b"}}),
        ("record_memory", {"content": ["x"]}),
        ("record_memory", {"content": "x\ud800y"}),
        ("submit_inbox_entry", {"slug": "…", "type": "learning", "content": "x"}),
        ("submit_inbox_entry", {"slug": "a", "type": "law", "content": "x"}),
        ("list_inbox", {"cursor": "not a cursor"}),
        ("get_context", {"mode": "loud"}),
        ("get_context", {"as_of": "yesterday-ish"}),
        ("merge_inbox_entry", {"reference": "P-99999999999999999999999"}),
        ("merge_inbox_entry", {"reference": "'; DROP TABLE entries; --"}),
    ],
)
def test_what_does_not_fit_is_answered_and_never_thrown(tank: Desk, tool: str, arguments: dict[str, object]) -> None:
    answered = tank(tool, **arguments)

    assert answered.is_error
    assert answered.text.strip()
    assert "What to do: " in answered.text
    assert set(answered.document["error"]) == {"code", "message", "hint"}


def test_a_tool_that_is_not_there_is_answered_with_those_that_are(tank: Desk) -> None:
    answered = tank("drop_everything")

    assert answered.code == "tool.unknown"
    assert "record_memory" in answered.text


def test_a_fault_of_our_own_is_logged_by_its_place_and_not_by_its_words(caplog: pytest.LogCaptureFixture) -> None:
    words = " ".join(["the", "words", "of", "a", "memory"])

    def broken() -> Project:
        raise ZeroDivisionError(words)

    answered = told(used(seated(broken), lambda client: client.call_tool("list_inbox", {})))

    assert answered.code == "hansard.unexpected"
    assert "ZeroDivisionError" in answered.text
    assert words not in answered.text + caplog.text
    assert "in broken" in caplog.text


def test_a_store_that_is_away_is_answered_with_what_to_do() -> None:
    def away() -> Project:
        raise StoreBusy("The database is busy.")

    answered = told(used(seated(away), lambda client: client.call_tool("list_inbox", {})))

    assert answered.code == "store.busy"
    assert "Try again" in answered.text


@invariant("INV-20")
def test_the_name_of_a_tool_that_is_a_secret_is_not_repeated() -> None:
    secret = fake_secret()

    assert secret[:16] not in unknown_tool(secret, ["list_inbox"]).text
