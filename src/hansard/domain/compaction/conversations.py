"""Owns the shapes that a conversation comes in: what each record says, who says it, and what is only machinery."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from hansard.domain.compaction import injected, torn
from hansard.domain.errors import Invalid


class Speaker(StrEnum):
    """Who says something. A document is the word of whoever hands it over."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    DOCUMENT = "document"


class Kind(StrEnum):
    """What a message is. Only a text and a state can state anything."""

    TEXT = "text"
    REASONING = "reasoning"
    CALL = "tool call"
    OUTPUT = "tool output"
    INJECTED = "injected context"
    ASIDE = "side conversation"
    ROLLED_BACK = "rolled back"
    STATE = "state"
    COMMENT = "comment"
    OTHER = "other record"
    UNREADABLE = "unreadable line"


class Message(NamedTuple):
    """One piece of a conversation; `paths` are the files that a tool call writes, `state` what is said by keys."""

    kind: Kind
    speaker: Speaker
    text: str
    tool: str = ""
    paths: tuple[str, ...] = ()
    state: Mapping[Any, Any] | None = None


class Reading(NamedTuple):
    """What was read: messages in their order, the mapping of a state file, or the mapping that messages stood in."""

    messages: tuple[Message, ...] = ()
    state: Mapping[Any, Any] | None = None


_ROLES = {
    "user": Speaker.USER,
    "human": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "model": Speaker.ASSISTANT,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
}
_TOOL_ROLES = frozenset({"tool", "function", "tool output", "tool result"})
_TURN = re.compile(
    r"^(?:#{1,6}[ \t]+(?:\*\*|__)?(?P<heading>user|human|assistant|system|tool(?: output| result)?)(?:\*\*|__)?:?"
    r"[ \t]*$"
    r"|(?:\*\*|__)?(?P<label>user|human|assistant|system|tool(?: output| result)?)(?:\*\*|__)?[ \t]*:(?:\*\*|__)?"
    r"(?:[ \t]+(?P<said>.*))?$)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_MARKDOWN_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S")
_MAPPING_LINE = re.compile(r"^(?:([\w-]+):(?:\s.*)?|\s.*|-(?:\s.*)?|#.*|)$")
_HASH = re.compile(r"(?:^|\s)#")
_COMMENT_LINE = re.compile(r"^#.*$", re.MULTILINE)
_YAML_NAMES = (".yml", ".yaml")
_MARKDOWN_NAMES = (".md", ".markdown", ".mdx")
_CONTAINERS = ("messages", "items", "input", "conversation", "history", "transcript")
_REQUEST_KEYS = frozenset({"system", "tools", "functions", "response_format"})
"""What a request has beside its messages. The schema of a tool has keys of its own, which state nothing."""
_RECORD_KEYS = frozenset({"role", "type", "content", "parts", "payload", "message", "tool_calls", "reasoning_content"})
"""By these a mapping is known for a piece of a conversation. Without any of them it is a state."""
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text", "refusal", "markdown", "plain_text", "paragraph"})
_REASONING = frozenset({"thinking", "redacted_thinking", "reasoning", "agent_reasoning"})
_CALLS = frozenset({"tool_use", "server_tool_use", "function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"tool_result", "function_call_output", "custom_tool_call_output", "web_search_tool_result"})
_WRITERS = re.compile(r"write|edit|create|patch|replace|notebook", re.IGNORECASE)
_PATH_KEYS = ("file_path", "path", "filename", "notebook_path", "target_file")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.{1,400})$", re.MULTILINE)


def normal(text: str) -> str:
    """Text with one kind of line break and nothing that cannot be encoded."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8") if _has_surrogate(text) else text
    return text


def read(text: str) -> Reading:
    """The messages of a conversation, or the state that a file holds. Raises Invalid for JSON that is too deep.

    Also raises it for JSON that is torn before anything in it is whole.
    """
    text = normal(text)
    if not _looks_like_json(text):
        return Reading(tuple(_of_markdown(text)))
    try:
        return _of_json(torn.loads(text))
    except ValueError:
        deep = False
    except RecursionError:
        deep = True
    lines = torn.lines(text)
    if _are_records(lines, text):
        return Reading(tuple(_of_records(torn.with_texts(lines))))
    if deep:
        raise Invalid("The JSON is nested too deeply to be a conversation or a state.")
    begun = torn.begun(text)
    if begun is not None and _is_told(begun.value):
        return _torn_off(_of_json(begun.value), text[begun.end :], apart=begun.whole)
    if torn.begins(text) and not any(_is_written(one) for one in lines if isinstance(one, str)):
        raise Invalid("The JSON is torn before the end of its first value, so that nothing of it can be read.")
    return Reading(tuple(_of_markdown(text)))


def _torn_off(reading: Reading, rest: str, *, apart: bool) -> Reading:
    """The reading with what stands behind it: a text of its own, or pieces that are nobody's words for certain."""
    if apart:
        left = list(_of_markdown(rest)) if rest.strip() else []
    else:
        # That it is torn is said even if nothing stands behind the tear.
        pieces = [line for line in rest.split("\n") if line.strip()] or [""]
        left = [Message(Kind.UNREADABLE, Speaker.DOCUMENT, one) for one in pieces]
    return reading._replace(messages=(*reading.messages, *left))


def _is_told(value: Any) -> bool:
    """Whether a value may be a conversation or a state: `[1]` in front of a text is a footnote."""
    return bool(value) and (isinstance(value, dict) or any(isinstance(one, dict) for one in value))


def _are_records(lines: Sequence[Any], text: str) -> bool:
    """Whether the lines of a text are records, and not a text with some JSON in it."""
    if not any(isinstance(one, dict) for one in lines):
        return False
    written = text.split("\n")
    inside = fenced(written)
    if any(inside):
        lines = torn.lines("\n".join(line for line, hidden in zip(written, inside, strict=True) if not hidden))
    words = [one for one in lines if not isinstance(one, dict)]
    if any(isinstance(one, str) and _is_written(one) for one in words):
        # Whoever writes turns or headings shows JSON in them; but a few stray lines do not make a log a text.
        return 2 * sum(isinstance(one, dict) and _is_record(one) for one in lines) > len(lines)
    if 2 * (len(lines) - len(words)) >= len(lines):
        return True
    return all(isinstance(one, str) and torn.is_fragment(one) for one in words)


def _is_written(line: str) -> bool:
    """Whether a line is a turn or a heading of Markdown."""
    return _TURN.match(line) is not None or _MARKDOWN_HEADING.match(line) is not None


def is_mapping(text: str, name: str = "") -> bool:
    """Whether a text may be read as a YAML mapping without losing anything: each key once, and no prose between.

    To YAML what stands behind a `#` is a comment. Only the `name` of a YAML file says that this is meant, and that of
    a Markdown file says that it is not.
    """
    if name.lower().endswith(_MARKDOWN_NAMES):
        return False
    comments = name.lower().endswith(_YAML_NAMES)
    seen: set[str] = set()
    for line in normal(text).split("\n"):
        found = _MAPPING_LINE.match(line)
        if (found is None and line.strip() != "---") or (not comments and _HASH.search(line)):
            return False
        key = found.group(1) if found else None
        if key is not None:
            if key in seen or key.lower() in _ROLES or key.lower() in _TOOL_ROLES:
                return False
            seen.add(key)
    return bool(seen)


def with_comments(reading: Reading, text: str) -> Reading:
    """The reading with the comment lines of its YAML, which state nothing and are counted."""
    found = [Message(Kind.COMMENT, Speaker.DOCUMENT, line) for line in _COMMENT_LINE.findall(normal(text))]
    return reading._replace(messages=(*found, *reading.messages))


def fenced(lines: Sequence[str]) -> bytearray:
    """For each line whether it is inside a fence or is its mark. A fence that nobody closes is none."""
    marks = bytearray(len(lines))
    fence, start = "", 0
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if found is None:
            continue
        run, info = found.groups()
        if not fence:
            if run[0] == "~" or "`" not in info:
                fence, start = run, number
        elif run.startswith(fence) and not info.strip():
            marks[start : number + 1] = b"\1" * (number + 1 - start)
            fence = ""
    return marks


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _looks_like_json(text: str) -> bool:
    begins = text.lstrip()[:1]
    # The first line of a transcript may be torn.
    return begins in {"{", "["} or '\n{"' in text[:200_000]


def _of_json(whole: Any) -> Reading:
    if isinstance(whole, list):
        return Reading(tuple(_of_records(whole)))
    if not isinstance(whole, dict):
        return Reading(tuple(_of_markdown(normal(str(whole)))))
    return of_mapping(whole)


def of_mapping(whole: Mapping[Any, Any]) -> Reading:
    """A state, or a conversation. What stands beside the messages of one is a state too, whatever the list is named."""
    for name in _CONTAINERS:
        if isinstance(whole.get(name), list):
            first = [{"role": "system", "content": whole["system"]}] if whole.get("system") else []
            return _beside(_of_records([*first, *whole[name]]), whole, {name, *_REQUEST_KEYS})
    choices = whole.get("choices")
    if isinstance(choices, list):
        told = [one.get("message") if isinstance(one, dict) else one for one in choices]
        return _beside(_of_records(told), whole, {"choices", *_REQUEST_KEYS})
    if not _is_record(whole):
        return Reading(state=whole)
    if isinstance(whole.get("type"), str):
        # One line of a transcript: what stands beside its message is the host's, tool output among it.
        return Reading(tuple(_of_records([whole])))
    return _beside(_of_records([whole]), whole, _RECORD_KEYS)


def _is_record(whole: Mapping[Any, Any]) -> bool:
    role = str(whole.get("role") or "").lower()
    payload, message = whole.get("payload"), whole.get("message")
    if isinstance(payload, dict) and isinstance(payload.get("type"), str):
        return True
    return role in _ROLES or role in _TOOL_ROLES or (isinstance(message, dict) and "content" in message)


def _beside(messages: Sequence[Message], whole: Mapping[Any, Any], read: Collection[str]) -> Reading:
    left = {key: value for key, value in whole.items() if key not in read}
    return Reading(tuple(messages), left or None)


def _of_records(records: Sequence[Any]) -> list[Message]:
    has_items = any(_payload_type(one, "response_item") == "message" for one in records)
    names: dict[str, str] = {}
    found: list[Message] = []
    standing: list[int] = []
    for record in records:
        turns = _rolled_back(record) if isinstance(record, dict) else 0
        if turns:
            _roll_back(found, standing, turns)
            continue
        before = len(found)
        try:
            if isinstance(record, dict):
                found += _of_record(record, names, has_items=has_items)
            elif isinstance(record, torn.Bare):
                found.append(Message(Kind.TEXT, Speaker.DOCUMENT, record))
            else:
                found.append(Message(Kind.UNREADABLE, Speaker.DOCUMENT, _text(record)))
        except RecursionError:
            # Parsed, but nested deeper than this can follow.
            found.append(Message(Kind.UNREADABLE, Speaker.DOCUMENT, ""))
        standing += range(before, len(found))
    return found


def _payload_type(record: Any, wanted: str) -> str | None:
    payload = record.get("payload") if isinstance(record, dict) and record.get("type") == wanted else None
    kind = payload.get("type") if isinstance(payload, dict) else None
    return kind if isinstance(kind, str) else None


def _rolled_back(record: Mapping[str, Any]) -> int:
    if _payload_type(record, "event_msg") != "thread_rolled_back":
        return 0
    turns = record["payload"].get("num_turns")
    return turns if isinstance(turns, int) and turns > 0 else 0


def _roll_back(found: list[Message], standing: list[int], turns: int) -> None:
    """Marks the last turns of those that stand as taken back. Each begins with what the user said."""
    while standing:
        place = standing.pop()
        one = found[place]
        found[place] = one._replace(kind=Kind.ROLLED_BACK)
        if one.kind is Kind.TEXT and one.speaker is Speaker.USER:
            turns -= 1
            if not turns:
                return


def _of_record(record: Mapping[str, Any], names: dict[str, str], *, has_items: bool) -> list[Message]:
    payload, message = record.get("payload"), record.get("message")
    if isinstance(payload, dict):
        return _of_rollout(record, payload, names, has_items=has_items)
    if isinstance(message, dict):
        spoken = {**message, "role": message.get("role") or record.get("type")}
        found = list(_spoken(spoken, names))
        if record.get("isCompactSummary"):
            # The host has the user say it, but a model wrote it.
            found = [one._replace(speaker=Speaker.ASSISTANT) for one in found]
        aside = record.get("isMeta") or record.get("isSidechain")
        return [one._replace(kind=Kind.ASIDE) for one in found] if aside else found
    if record.get("type") == "summary" and isinstance(record.get("summary"), str):
        return [Message(Kind.TEXT, Speaker.ASSISTANT, normal(record["summary"]))]
    if record and _RECORD_KEYS.isdisjoint(record):
        return [Message(Kind.STATE, Speaker.DOCUMENT, torn.dumped(record), state=record)]
    return list(_spoken(record, names))


def _of_rollout(
    record: Mapping[str, Any], payload: Mapping[str, Any], names: dict[str, str], *, has_items: bool
) -> list[Message]:
    """A line of a rollout. What was said stands there twice, as an item and as an event; one of them counts."""
    kind = record.get("type")
    if kind == "response_item":
        return list(_spoken(payload, names))
    if kind == "compacted":
        return [Message(Kind.TEXT, Speaker.ASSISTANT, normal(_text(payload.get("message"))))]
    speaker = {"user_message": Speaker.USER, "agent_message": Speaker.ASSISTANT}.get(str(payload.get("type")))
    if kind == "event_msg" and speaker is not None:
        return [] if has_items else _said(speaker, normal(_text(payload.get("message"))))
    return [Message(Kind.OTHER, Speaker.DOCUMENT, "")]


def _spoken(record: Mapping[str, Any], names: dict[str, str]) -> Iterator[Message]:
    role = str(record.get("role") or "").lower()
    kind = str(record.get("type") or "")
    if role in _TOOL_ROLES:
        yield _output(record, names)
        return
    if kind in _REASONING or kind in _CALLS or kind in _OUTPUTS:
        yield from _block(record, _ROLES.get(role, Speaker.ASSISTANT), names)
        return
    speaker = _ROLES.get(role)
    content = next((record[key] for key in ("content", "parts", "text") if record.get(key) is not None), None)
    if speaker is None:
        yield Message(Kind.OTHER, Speaker.DOCUMENT, _text(content))
        return
    if isinstance(record.get("reasoning_content"), str):
        yield Message(Kind.REASONING, speaker, normal(record["reasoning_content"]))
    for block in _blocks(content):
        if isinstance(block, dict):
            yield from _block(block, speaker, names)
        elif _text(block).strip():
            yield from _said(speaker, normal(_text(block)))
    calls = record.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            inner = call.get("function")
            yield _called(call, inner if isinstance(inner, dict) else call, names)


def _blocks(content: Any) -> Iterator[Any]:
    """The pieces of a content, whatever lists they are wrapped in."""
    if isinstance(content, dict) and "type" not in content and isinstance(content.get("parts"), list):
        content = content["parts"]
    if isinstance(content, list):
        for one in content:
            yield from _blocks(one)
    else:
        yield content


def _block(block: Mapping[str, Any], speaker: Speaker, names: dict[str, str]) -> list[Message]:
    kind = str(block.get("type") or ("text" if "text" in block else ""))
    if kind in _TEXT_BLOCKS:
        return _said(speaker, normal(_text(block.get("text"))))
    if kind in _REASONING:
        told = block.get("thinking") or block.get("text") or block.get("summary") or block.get("content")
        return [Message(Kind.REASONING, speaker, normal(_text(told)))]
    if kind in _CALLS:
        return [_called(block, block, names)]
    if kind in _OUTPUTS:
        return [_output(block, names)]
    # Nobody knows whose words these are, so that they state nothing.
    return [Message(Kind.OTHER, speaker, _text(block))]


def _said(speaker: Speaker, text: str) -> list[Message]:
    """What somebody says. Of the user's message, the parts in the tags of a host are the host's."""
    if speaker is not Speaker.USER:
        return [Message(Kind.TEXT, speaker, text)]
    parts, said = injected.parted(text)
    found = [Message(Kind.INJECTED, speaker, one) for one in parts]
    return [*found, Message(Kind.TEXT, speaker, said)] if said.strip() or not found else found


def _called(call: Mapping[str, Any], inner: Mapping[str, Any], names: dict[str, str]) -> Message:
    name = str(inner.get("name") or call.get("type") or "tool")[:200]
    told = next((inner[key] for key in ("arguments", "input", "action") if inner.get(key) is not None), "")
    for key in ("call_id", "id"):
        if isinstance(call.get(key), str):
            names[call[key]] = name
    return Message(Kind.CALL, Speaker.ASSISTANT, _text(told), name, _written(name, told))


def _written(name: str, told: Any) -> tuple[str, ...]:
    """The files that a call writes, by what its arguments say."""
    if not _WRITERS.search(name):
        return ()
    if isinstance(told, str):
        try:
            parsed = json.loads(told)
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict):
            return tuple(_PATCHED.findall(normal(told)))
        told = parsed
    if not isinstance(told, dict) or told.get("command") == "view":
        return ()
    patch = next((told[key] for key in ("patch", "input") if isinstance(told.get(key), str)), "")
    return (*(told[key] for key in _PATH_KEYS if isinstance(told.get(key), str)), *_PATCHED.findall(normal(patch)))


def _output(record: Mapping[str, Any], names: Mapping[str, str]) -> Message:
    called = next((record[key] for key in ("tool_call_id", "tool_use_id", "call_id") if record.get(key)), None)
    name = names.get(str(called)) or str(record.get("name") or "unknown tool")[:200]
    content = record.get("output") if "output" in record else record.get("content")
    return Message(Kind.OUTPUT, Speaker.ASSISTANT, normal(_text(content)), name)


def _text(content: Any) -> str:
    """The words of a content, whatever its shape."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_text, content)))
    if isinstance(content, dict):
        inner = next((content[key] for key in ("text", "content", "output") if content.get(key) is not None), None)
        if inner is not None:
            return _text(inner)
    return torn.dumped(content)


def _of_markdown(text: str) -> Iterator[Message]:
    """The turns of a written conversation, or the one document that it is if nobody is named."""
    lines = text.split("\n")
    inside = fenced(lines)
    turns = [
        (number, found) for number, line in enumerate(lines) if not inside[number] and (found := _TURN.match(line))
    ]
    named = {(found["heading"] or found["label"]).lower() for _, found in turns}
    if not named & {"user", "human", "assistant"}:
        yield Message(Kind.TEXT, Speaker.DOCUMENT, text)
        return
    before = "\n".join(lines[: turns[0][0]])
    if before.strip():
        yield Message(Kind.TEXT, Speaker.DOCUMENT, before)
    ends = [number for number, _ in turns[1:]]
    for (number, found), end in zip(turns, [*ends, len(lines)], strict=True):
        role = (found["heading"] or found["label"]).lower()
        said = "\n".join([*filter(None, [found["said"]]), *lines[number + 1 : end]]).strip("\n")
        if role in _TOOL_ROLES:
            yield Message(Kind.OUTPUT, Speaker.ASSISTANT, said, "tool")
        elif said.strip():
            yield from _said(_ROLES[role], said)
