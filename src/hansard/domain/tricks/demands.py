"""Owns what a demand of words from outside is: what it wants, and how it is looked for."""

import re
from typing import NamedTuple

from hansard.domain.tricks.sequences import Link, follow

EXFILTRATION = "an order to send secrets away"
COMMAND = "an order to run something at once"
CONCEALMENT = "an order to keep something from people"
OVERRIDE = "a demand to drop earlier instructions"
NEW_IDENTITY = "a new identity for the reader"
PROMOTION = "a bid for rank, trust or reach"
STEERING = "an order how to answer others"
FOREIGN_VOICE = "a role marker"
TOOL_CALL = "the markup of a tool call"

SECRETS = (
    r"(?:secrets?|credentials?|(?:api|aws|access|ssh|private|signing)[ -]?keys?|tokens?|passwords?|\.env\b"
    r"|env(?:ironment)? "
    r"var|`env`|id_rsa|id_ed25519|~/\.(?:ssh|aws|kube|netrc)|\$\(|system prompt|session cookies?)"
)
HOST = (
    r"\b[\w-]{1,63}+\.(?:com|net|org|io|example|xyz|ru|cn|info|biz|site|online|top|onion|link|club"
    r"|live)(?![\w.-]*\w@)\b"
)
"""An address without its scheme. Endings that files have too are left out."""
AWAY = (
    rf"(?:https?://|\w@[\w-]{{1,64}}\.|{HOST}"
    r"|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|webhook|pastebin|\bgist\b|ngrok|telegram|netcat"
    r"|attacker|\bevery (?:answer|reply|bug report|issue|commit|pull request)\b|\bcommit message\b)"
)
READER = (
    r"(?:ai|ais|llms?|assistants?|language models?|ai (?:assistants?|agents?|models?|tools?|systems?)|agents?"
    r"|chatbots?"
    r"|bots?|copilots?|coding (?:agents?|tools?)|claude|chatgpt|gemini)"
)
PEOPLE = (
    r"(?:anyone|anybody|users?|humans?|people|reviewers?|operators?|owners?|maintainers?|developers?|the team|them"
    r"|customers?)"
)
MASTERS = (
    "operator", "owner", "master", "administrator", "admin", "principal", "coordinator", "supervisor", "developer",
    "commander", "creator",
)  # fmt: skip
MASTER = rf"(?:{'|'.join(MASTERS)})"
"""Who has a say over a reader."""
LAW = r"(?:rules?|instructions?|guidelines?|guidance|directives?|orders|boundaries|decisions|prompts?|restrictions)"
CLAUSE = r"(?:^|[.!?;:,] |\band |\bthen )(?:now |then |please |also |just |you must |you should )*"
"""Where somebody begins who wants something done. Who tells what others do begins with them."""


class Demand(NamedTuple):
    """What such words want, the words of which a text must have one, and the pattern."""

    sign: str
    words: tuple[str, ...]
    pattern: str | tuple[Link, ...]


def is_there(one: Demand, plain: str) -> bool:
    if isinstance(one.pattern, str):
        return re.search(one.pattern, plain) is not None
    return follow(plain, one.pattern)
