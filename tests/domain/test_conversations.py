"""The shapes of conversations: who says what, and what is only machinery."""

import json
import time

import pytest

from hansard.domain.conversations import Kind, Message, Speaker, fenced, is_mapping, normal, read
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
        ("phase: a\nblockers:\n- b\n  - c\n# comment\n", True),
        ("---\nphase: a\n", True),
        ("blocker: a\nblocker: b", False),
        ("phase: a\nSome prose.", False),
        ("User: hi", False),
        ("# only a comment", False),
    ],
)
def test_yaml_is_taken_for_a_state_only_if_nothing_can_get_lost(text: str, expected: bool) -> None:
    assert is_mapping(text) is expected


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
