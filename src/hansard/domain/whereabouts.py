"""Owns what is told of places on this machine to somebody who is not at it: what they are, and not where."""

import re
from collections.abc import Iterable

FOLDER = "the project's folder"
ELSEWHERE = "…"
# An absolute path of two steps or more. What follows a letter, a dot or a colon is a part of something else.
_PATH = re.compile(r"""(?<![\w.:/~-])~?/[^\s/'"`,;:]+/[^\s'"`,;:]*[^\s'"`,;:.]""")


def without_places(text: str, folders: Iterable[str]) -> str:
    """The text without where these folders of a project are, and without any other path from the root of the disk."""
    for folder in sorted({one for one in folders if len(one) > 1}, key=len, reverse=True):
        at_start = text.startswith(folder)
        # A longer name that only begins alike is another place.
        text = re.sub(rf"{re.escape(folder)}(?![\w-])", FOLDER, text)
        text = FOLDER[0].upper() + text[1:] if at_start and text.startswith(FOLDER) else text
    return _PATH.sub(ELSEWHERE, text)
