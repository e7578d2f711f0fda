"""Owns what a host puts into a message of the user: the parts in its tags, which are not the user's words."""

import re

_NAMES = (
    "environment_context", "user_instructions", "skill", "system-reminder", "command-name", "command-message",
    "local-command-stdout", "turn_aborted",
)  # fmt: skip
_TAG = re.compile(rf"(?!(?<=`)</?[a-z_-]+>`)<(/?)({'|'.join(_NAMES)})>")
"""A tag between back-ticks is shown and is none."""
_TAG_OR_CODE = re.compile(rf"(?<!`)(?:`[^`\n]+`|``[^`\n]+``)(?!`)|{_TAG.pattern}")
"""In the user's own words all code is shown. Inside a tag, the ticks are the host's, and may have no second one."""
_ARGUMENTS = re.compile(r"</?command-args>")
_INSTRUCTIONS = "# AGENTS.md instructions"
_INSTRUCTIONS_END = "</INSTRUCTIONS>"


def parted(text: str) -> tuple[list[str], str]:
    """The parts of a message that a host put in, and the words of the user that are left."""
    parts: list[str] = []
    if text.lstrip().startswith(_INSTRUCTIONS):
        end = text.rfind(_INSTRUCTIONS_END)
        if end < 0:
            return [text], ""
        end += len(_INSTRUCTIONS_END)
        parts, text = [text[:end]], text[end:]
    if "<" not in text:
        return parts, text
    spans = _spans(text)
    if not spans:
        return parts, text
    left: list[str] = []
    place = 0
    for start, end in spans:
        parts.append(text[start:end])
        left.append(text[place:start])
        place = end
    left.append(text[place:])
    said = "\n".join(one.strip("\n") for one in left if one.strip())
    # The arguments of a command are what the user typed behind it.
    return parts, _ARGUMENTS.sub("\n", said)


def _spans(text: str) -> list[tuple[int, int]]:
    """From where to where each tagged part goes. Tags of one name may stand inside each other.

    A tag that nobody closes is a word like any other, unless the message begins with it: then all of it is the host's.
    """
    spans: list[tuple[int, int]] = []
    name, start, depth = "", 0, 0
    place = 0
    while found := (_TAG if depth else _TAG_OR_CODE).search(text, place):
        place = found.end()
        closes = bool(found.group(1))
        if not depth:
            if found.group(2) and not closes:
                name, start, depth = found.group(2), found.start(), 1
        elif found.group(2) == name:
            depth += -1 if closes else 1
            if not depth:
                spans.append((start, found.end()))
    if depth:
        before = spans[-1][1] if spans else 0
        if not text[before:start].strip() and not text[: spans[0][0] if spans else start].strip():
            spans.append((start, len(text)))
    return spans
