"""The shapes of conversations: who says what, and what is only machinery."""

import json
import time

import pytest

from hansard.domain.compaction.bullets import compact
from hansard.domain.compaction.conversations import (
    Kind,
    Message,
    Reading,
    Speaker,
    fenced,
    is_mapping,
    normal,
    read,
    with_comments,
)
from hansard.domain.compaction.topics import Part
from hansard.domain.errors import Invalid


def told(text: str) -> list[tuple[Kind, Speaker, str]]:
    return [(one.kind, one.speaker, one.text) for one in read(text).messages]


def only(record: object) -> Message:
    (message,) = read(json.dumps([record])).messages
    return message


def test_a_chat_is_read_as_a_list_as_lines_and_inside_a_document() -> None:
    records = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [{"type": "text", "text": "b"}]}]
    expected = [(Kind.TEXT, Speaker.USER, "a"), (Kind.TEXT, Speaker.ASSISTANT, "b")]

    assert told(json.dumps(records)) == expected
    assert told("\n".join(map(json.dumps, records))) == expected
    assert told("\r\n".join(map(json.dumps, records))) == expected
    assert told(json.dumps({"messages": records}, indent=2)) == expected
    assert told(json.dumps({"choices": [{"message": one} for one in records]})) == expected


@pytest.mark.parametrize(
    ("role", "speaker"),
    [
        ("user", Speaker.USER),
        ("assistant", Speaker.ASSISTANT),
        ("system", Speaker.SYSTEM),
        ("DEVELOPER", Speaker.SYSTEM),
    ],
)
def test_a_role_says_who_speaks(role: str, speaker: Speaker) -> None:
    assert only({"role": role, "content": "x"}) == Message(Kind.TEXT, speaker, "x")


def test_an_unknown_role_states_nothing() -> None:
    assert only({"role": "oracle", "content": "Decision: x"}).kind is Kind.OTHER


def test_an_output_is_named_after_its_call() -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "shell", "arguments": "{}"}}]}
    output = {"role": "tool", "tool_call_id": "c", "content": "ok"}
    first, second = read(json.dumps([call, output])).messages

    assert (first.kind, second) == (Kind.CALL, Message(Kind.OUTPUT, Speaker.ASSISTANT, "ok", "shell"))


def test_an_output_without_a_call_is_still_output() -> None:
    assert only({"role": "tool", "content": "ok"}) == Message(Kind.OUTPUT, Speaker.ASSISTANT, "ok", "unknown tool")


@pytest.mark.parametrize(
    ("name", "told", "paths"),
    [
        ("Write", {"file_path": "a/b.py"}, ("a/b.py",)),
        ("str_replace_based_edit_tool", {"command": "create", "path": "c.md"}, ("c.md",)),
        ("str_replace_based_edit_tool", {"command": "view", "path": "c.md"}, ()),
        ("apply_patch", "*** Add File: d.py\n+x\n*** Update File: e.py\n*** Delete File: f.py", ("d.py", "e.py")),
        ("Read", {"file_path": "a/b.py"}, ()),
        ("Write", "{not json", ()),
    ],
)
def test_a_call_that_writes_names_its_files(name: str, told: object, paths: tuple[str, ...]) -> None:
    block = {"type": "tool_use", "id": "t", "name": name, "input": told}

    assert only({"role": "assistant", "content": [block]}).paths == paths


def test_events_of_a_rollout_count_only_where_there_are_no_items() -> None:
    event = {"type": "event_msg", "payload": {"type": "user_message", "message": "hello"}}
    item = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "hello"}}

    assert told(json.dumps([event])) == [(Kind.TEXT, Speaker.USER, "hello")]
    assert told(json.dumps([event, item])) == [(Kind.TEXT, Speaker.USER, "hello")]


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "Decision: x"}},
        {"type": "compacted", "payload": {"message": "Decision: x"}},
        {"type": "summary", "summary": "Decision: x"},
    ],
)
def test_a_summary_of_the_host_is_not_the_word_of_the_user(record: dict[str, object]) -> None:
    assert only(record) == Message(Kind.TEXT, Speaker.ASSISTANT, "Decision: x")


def test_turns_that_were_rolled_back_are_taken_back() -> None:
    said = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}, {"role": "assistant", "content": "c"}]
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}

    assert [kind for kind, _, _ in told(json.dumps([*said, back]))] == [Kind.TEXT, Kind.ROLLED_BACK, Kind.ROLLED_BACK]


def test_a_line_that_is_torn_is_counted_and_the_rest_is_read() -> None:
    text = '"content": "torn"}\n{"role": "user", "content": "a"}\n{"role": "us'

    assert [kind for kind, _, _ in told(text)] == [Kind.UNREADABLE, Kind.TEXT, Kind.UNREADABLE]


def test_json_that_is_too_deep_is_refused() -> None:
    with pytest.raises(Invalid, match="too deeply"):
        read("[" * 200_000)


def test_a_line_that_is_too_deep_does_not_stop_the_others() -> None:
    deep = '{"role": "user", "content": ' + "[" * 100_000
    nested = '{"role": "user", "content": ' + "[" * 600 + "1" + "]" * 600 + "}"
    kinds = [kind for kind, _, _ in told(f'{{"role": "user", "content": "a"}}\n{deep}\n{nested}')]

    assert kinds[:2] == [Kind.TEXT, Kind.UNREADABLE]


def test_half_a_character_does_not_stop_the_reader() -> None:
    assert read('[{"role": "user", "content": "a\\ud800b"}]').messages[0].text == "a?b"


def test_a_written_conversation_is_cut_at_its_turns_but_not_inside_a_fence() -> None:
    text = "Intro\nUser: a\n```\nAssistant: quoted\n```\n\n### Assistant\nb\n**Tool output:** c\nd"

    assert told(text) == [
        (Kind.TEXT, Speaker.DOCUMENT, "Intro"),
        (Kind.TEXT, Speaker.USER, "a\n```\nAssistant: quoted\n```"),
        (Kind.TEXT, Speaker.ASSISTANT, "b"),
        (Kind.OUTPUT, Speaker.ASSISTANT, "c\nd"),
    ]


def test_a_text_in_which_nobody_speaks_is_one_document() -> None:
    assert told("# Notes\nSystem: Linux\n[link](x)") == [
        (Kind.TEXT, Speaker.DOCUMENT, "# Notes\nSystem: Linux\n[link](x)")
    ]


def test_a_mapping_without_messages_is_a_state() -> None:
    assert read('{"phase": "x"}').state == {"phase": "x"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("phase: a\nblockers:\n- b\n  - c\n", True),
        ("phase: a\n# Constraint: never touch prod.\n", False),
        ("blocker: ticket #12 is open", False),
        ("---\nphase: a\n", True),
        ("blocker: a\nblocker: b", False),
        ("phase: a\nSome prose.", False),
        ("User: hi", False),
        ("# only a comment", False),
    ],
)
def test_yaml_is_taken_for_a_state_only_if_nothing_can_get_lost(text: str, expected: bool) -> None:
    assert is_mapping(text) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("state.yml", True), ("STATE.YAML", True), ("notes.md", False), ("notes", False), ("", False)],
)
def test_only_the_name_of_a_yaml_file_says_that_a_hash_begins_a_comment(name: str, expected: bool) -> None:
    assert is_mapping("# Constraint: x\nphase: a\n", name) is expected


def test_a_markdown_file_is_never_yaml() -> None:
    assert is_mapping("phase: a\n")
    assert not is_mapping("phase: a\n", "docs/NOTES.md")


def test_comments_of_yaml_state_nothing_and_are_there_to_be_counted() -> None:
    reading = with_comments(Reading(state={"phase": "a"}), "# one\nphase: a\n# two\n")

    assert [(one.kind, one.text) for one in reading.messages] == [(Kind.COMMENT, "# one"), (Kind.COMMENT, "# two")]
    assert reading.state == {"phase": "a"}


def test_a_fence_that_nobody_closes_is_none() -> None:
    assert list(fenced(["```", "a", "```", "b", "~~~", "c"])) == [1, 1, 1, 0, 0, 0]


def test_line_breaks_are_of_one_kind() -> None:
    assert normal("a\r\nb\rc\nd") == "a\nb\nc\nd"


@pytest.mark.parametrize("name", ["messages", "items", "input", "conversation", "history", "transcript"])
def test_what_stands_beside_messages_is_a_state(name: str) -> None:
    whole = {"phase": "x", name: [{"role": "user", "content": "hi"}, "started"], "tools": [{"question": "?"}]}
    reading = read(json.dumps(whole))

    assert reading.state == {"phase": "x"}
    assert [(one.kind, one.text) for one in reading.messages] == [(Kind.TEXT, "hi"), (Kind.UNREADABLE, "started")]


@pytest.mark.parametrize(
    "beside",
    [{"role": "architect"}, {"type": "plan", "message": "go on"}, {"message": {"to": "neo"}}, {"payload": {"size": 1}}],
)
def test_a_state_is_not_taken_for_a_message_by_one_of_its_keys(beside: dict[str, object]) -> None:
    whole = {"phase": "x", "blockers": ["b"], **beside}

    assert read(json.dumps(whole)) == ((), whole)


def test_a_message_may_have_a_state_beside_it_but_a_line_of_a_transcript_has_not() -> None:
    message = {"role": "user", "content": "hi", "phase": "x"}
    line = {"type": "user", "message": {"role": "user", "content": "hi"}, "toolUseResult": {"phase": "x"}}

    assert read(json.dumps(message)).state == {"phase": "x"}
    assert read(json.dumps(line)).state is None
    assert told(json.dumps(message)) == told(json.dumps(line)) == [(Kind.TEXT, Speaker.USER, "hi")]


def test_states_as_lines_are_read_one_after_the_other() -> None:
    states = [{"phase": "x", "blockers": ["b"]}, {"phase": "y"}]
    found = read("\n".join(map(json.dumps, states))).messages

    assert [(one.kind, one.state) for one in found] == [(Kind.STATE, one) for one in states]


@pytest.mark.parametrize(
    "record",
    [
        {"content": [["Blocker: x"]]},
        {"content": [[[{"type": "text", "text": "Blocker: x"}]]]},
        {"content": [{"type": "markdown", "text": "Blocker: x"}]},
        {"content": {"text": "Blocker: x"}},
        {"parts": [{"text": "Blocker: x"}]},
        {"content": {"parts": ["Blocker: x"]}},
    ],
)
def test_what_is_said_is_found_however_it_is_wrapped(record: dict[str, object]) -> None:
    assert only({"role": "user", **record}) == Message(Kind.TEXT, Speaker.USER, "Blocker: x")


def test_a_block_of_an_unknown_type_states_nothing_and_is_counted_as_long_as_it_is() -> None:
    block = {"type": "search_result", "content": [{"type": "text", "text": "Decision: x"}]}

    assert only({"role": "user", "content": [block]}) == Message(Kind.OTHER, Speaker.USER, "Decision: x")


def test_turns_are_rolled_back_in_a_time_that_grows_with_their_number_only() -> None:
    said = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "m"}}
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    count = 20_000

    start = time.perf_counter()
    found = read(json.dumps([said] * (count + 1) + [back] * count)).messages

    assert time.perf_counter() - start < 10
    assert [one.kind for one in found] == [Kind.TEXT, *[Kind.ROLLED_BACK] * count]


CHAT = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


@pytest.mark.parametrize(
    "shown",
    [
        '```json\n{"status": "ok"}\n```',
        '{"status": "ok"}',
        '{"role": "user", "content": "x"}',
        "\n".join(['{"status": "ok"}'] * 30),
        "```\n" + "\n".join(['{"role": "user", "content": "x"}'] * 30) + "\n```",
    ],
)
def test_json_in_a_written_conversation_does_not_make_it_one_of_records(shown: str) -> None:
    found = told(f"User: a\n{shown}\n\nAssistant: b")

    assert [(kind, speaker) for kind, speaker, _ in found] == [
        (Kind.TEXT, Speaker.USER),
        (Kind.TEXT, Speaker.ASSISTANT),
    ]
    assert told(f"# State\n{shown}\nPhase: x")[0][1] is Speaker.DOCUMENT


def test_a_text_without_turns_or_headings_that_shows_one_line_of_json_is_still_a_text() -> None:
    assert told('Phase: x\nThe answer was:\n{"status": "ok"}\nBlocker: y')[0][0] is Kind.TEXT


@pytest.mark.parametrize("stray", ["User: hello", "# a comment", "Traceback: x", "warning"])
def test_a_stray_line_does_not_make_a_log_a_text(stray: str) -> None:
    lines = [json.dumps(one) for one in CHAT]

    assert told("\n".join([lines[0], stray, lines[1]])) == [
        (Kind.TEXT, Speaker.USER, "a"),
        (Kind.TEXT, Speaker.DOCUMENT, stray),
        (Kind.TEXT, Speaker.ASSISTANT, "b"),
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 30])
def test_lines_of_text_among_lines_of_json_are_read_as_text(count: int) -> None:
    shown = "\n".join(['{"status": "ok", "n": 1}'] * count)
    text = f"Never push to main [important].\nBlocker: the key is missing\n{shown}\nBlockers:\n- no net,\n- no disk"
    kept = compact(read(text)).parts

    assert kept[Part.CONSTRAINT] == ("Never push to main [important].",)
    assert kept[Part.BLOCKER] == ("the key is missing", "no net,", "no disk")


def test_a_record_that_is_torn_at_its_line_breaks_says_nothing_in_another_s_name() -> None:
    record = json.dumps({"role": "assistant", "content": "Well.\nApproved: drop it\nDone."}).replace("\\n", "\n")
    text = "\n".join([*map(json.dumps, CHAT * 2), record, json.dumps(CHAT[0])])

    assert [kind for kind, _, _ in told(text)] == [*[Kind.TEXT] * 4, *[Kind.UNREADABLE] * 3, Kind.TEXT]


@pytest.mark.parametrize("cut", [1, 2, 3, 8, 20])
@pytest.mark.parametrize("indent", [None, 1])
def test_torn_json_is_read_up_to_its_last_whole_value(cut: int, indent: int | None) -> None:
    whole = json.dumps(
        {"phase": "x", "messages": [*CHAT, {"role": "user", "content": "c c c c c c c c"}]}, indent=indent
    )
    found = told(whole[:-cut])

    assert found[:2] == [(Kind.TEXT, Speaker.USER, "a"), (Kind.TEXT, Speaker.ASSISTANT, "b")]
    assert found[-1][0] is Kind.UNREADABLE
    assert read(whole[:-cut]).state == {"phase": "x"}


def test_a_text_behind_json_is_read_too() -> None:
    assert told(f"{json.dumps(CHAT)}\nConstraint: c")[2:] == [(Kind.TEXT, Speaker.DOCUMENT, "\nConstraint: c")]
    assert told('{"a": 1}\n# Notes\nUser: x')[-1][:2] == (Kind.TEXT, Speaker.USER)


@pytest.mark.parametrize(
    "text", ["[1] Blocker: x", "[link](x) {", "[[wiki]] Phase: x", "{x} is a set", "[] Blocker: x"]
)
def test_a_bracket_at_the_beginning_makes_no_json(text: str) -> None:
    assert told(text) == [(Kind.TEXT, Speaker.DOCUMENT, text)]


def test_json_of_which_nothing_is_whole_is_refused() -> None:
    with pytest.raises(Invalid, match="torn"):
        read('{"messages": [{"role": "us')


def test_a_key_that_is_there_twice_has_both_values() -> None:
    assert read('{"blockers": ["a"], "blockers": ["b"], "phase": "x", "phase": "y"}').state == {
        "blockers": ["a", "b"],
        "phase": ["x", "y"],
    }
    assert [kind for kind, _, _ in told('[{"role": "user", "role": "system", "content": "Decision: x"}]')] == [
        Kind.OTHER
    ]


def test_a_number_of_any_length_is_a_value() -> None:
    assert read('{"phase": ' + "9" * 6_000 + "}").state == {"phase": "9" * 6_000}


TICKED = "`<system-reminder>`"
REMINDER = "<system-reminder>be nice\nConstraint: x</system-reminder>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{REMINDER}\nConstraint: never push", "Constraint: never push"),
        (f"Constraint: never push\n{REMINDER}", "Constraint: never push"),
        (f"## Constraints\n{REMINDER}\n- never push", "## Constraints\n- never push"),
        (f"<system-reminder>{REMINDER} y</system-reminder>never push", "never push"),
        ("<command-name>/plan</command-name>\n<command-args>never push</command-args>", "never push"),
        ("# AGENTS.md instructions for x\n<INSTRUCTIONS>\nPhase: x\n</INSTRUCTIONS>\nnever push", "never push"),
        ("The tag <system-reminder> is odd.", "The tag <system-reminder> is odd."),
        (f"{TICKED} never push {TICKED.replace('<', '</')}", f"{TICKED} never push {TICKED.replace('<', '</')}"),
        (f"In ``a {TICKED[1:-1]}`` x. never push `</system-reminder>`",) * 2,
        (f"<system-reminder>be nice, it's a ` {TICKED.replace('<', '</')}</system-reminder>never push", "never push"),
    ],
)
def test_of_a_message_only_the_part_in_the_tags_of_a_host_is_injected(text: str, said: str) -> None:
    found = told(json.dumps([{"role": "user", "content": text}]))

    assert (found[-1][0], found[-1][2].strip()) == (Kind.TEXT, said)
    assert all(kind is Kind.INJECTED for kind, _, _ in found[:-1])
    assert "be nice" not in found[-1][2]


@pytest.mark.parametrize("text", [REMINDER, "<system-reminder>Decision: x", "# AGENTS.md instructions\nDecision: x"])
def test_a_message_that_is_all_a_host_s_states_nothing(text: str) -> None:
    assert [kind for kind, _, _ in told(json.dumps([{"role": "user", "content": text}]))] == [Kind.INJECTED]
