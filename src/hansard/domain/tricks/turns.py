"""Owns how a line is known that begins as somebody's turn in a conversation with a model, or as a prompt's heading.

A team writes down settings, tickets and chapters that look like it. What counts is whether somebody talks there.
"""

import re

_ROLES = frozenset(
    f"{who}{what}"
    for who in ("system", "assistant", "developer", "human", "user")
    for what in ("", " prompt", " message", " alert", " notice", " override", " instruction", " instructions")
) | {"system reminder", "system-reminder"}
_PERSONS = frozenset({"user", "assistant"})
"""Whose name a line of a form gives."""
_ROLES_OUTSIDE = frozenset("tool|function|ai|model|bot|agent|llm|chatbot|claude|gpt".split("|"))
"""Who answers in a conversation, and has a line of its own in many a table: counts if it talks as one does."""
_HEADINGS = frozenset(
    "instruction|instructions|system|system prompt|system message|developer message|new instruction|new instructions"
    "|response".split("|")
)
_TOLD = frozenset("do|don't|never|always|follow|all|every|from|now|enable|print|let|stop|remove".split("|"))
"""How a step of work begins too."""
_NO_STEP = (
    r"(?:\S+ ){0,3}(?:approv\w*|accept\w*|merg\w*|trust\w*|grant\w*|ignor\w*|bypass\w*|obey\w*|as|what|you|your)\b"
    r"(?<!never merge)(?<!not merge)(?<!never accept)(?<!not accept)(?<!never approve)(?<!not approve)(?<!not ignore)"
    r"(?<!never ignore)(?<!not bypass)(?<!never bypass)"
    r"|(?:never|don't|do not) (?:ask|tell|mention|inform|report|follow|obey)\b"
)
"""What no step of work is, right behind how it begins."""
_SPOKEN = _TOLD | frozenset(
    "you|your|ignore|disregard|forget|override|bypass|approve|accept|merge|push|deploy|delete"
    "|send|upload|post|skip|disable|execute|obey|comply|respond|reply|answer|act|pretend|treat"
    "|grant|trust|allow|give|i|i'm|i'll|remember|store|mark"
    "|tell|proceed|release|reveal".split("|")
)
"""How somebody begins who talks to the reader. Who tells what a system is begins with a name or an article."""
_GREETING = frozenset("sure|ok|okay|yes|hi|hello|please|certainly|understood|fine|done".split("|"))
ROLE_CHARACTERS_MAX = 60
_STROKES = " \t>*_#-[]"
_MACHINES = (
    "macos", "mac os", "linux", "windows", "ubuntu", "debian", "fedora", "alpine", "ios", "android", "freebsd", "nixos",
    "amd ", "intel ", "arm64", "x86", "bios", "uefi", "firmware", "kernel", "disk ", "cpu ", "load ",
    "maintenance window", "scheduled maintenance",
)  # fmt: skip
"""What a system is in a report of somebody's work."""
_FLOWS = (
    r"(?:all|every) (?:of )?(?:the |our |incoming |outgoing |external |internal |public |api |http )*(?:requests?"
    r"|calls?"
    r"|traffic|services?|servers?|nodes?|hosts?|logs?|events?|quer(?:y|ies)"
    r"|writes?|reads?|jobs?|workers?|containers?|pods?"
    r"|clients?|times|timestamps?|dates?|prices?|amounts?|ids|tables?|files?|paths?|images?|data"
    r"|backups?|modules?|topics?"
    r"|queues?|partitions?|replicas?|metrics|traces|headers?|packets?|connections?|sockets?|ports?|clocks?)\b"
    r"(?!.*\b(?:must|should|shall|you|your|agents?|approv\w*|accept\w*|merg\w*|trust\w*|grant\w*|allow\w*|ignor\w*"
    r"|skip\w*"
    r"|review\w*|bypass\w*|without|never)\b)"
)
"""What runs through a system, and what no rule of a reader is."""
_REPORTED = (
    r"i (?:still |always |just |now |only |sometimes |keep |also )*(?:get|got|getting|see|saw|seeing|cannot|can't"
    r"|can not"
    r"|could not|couldn't|had|lost|tried|try|receive|received|click|clicked|expect|expected|was charged|am charged"
    r"|am logged out|was logged out|do not see|don't see|did not get|didn't get|do not get|don't get|have no|have a"
    r"|have an|have the|have two|entered|ordered|paid|opened|uploaded|changed|lose)\b"
    r"(?!.*\b(?:approv\w*|accept\w*|merg\w*|trust\w*|grant\w*|ignor\w*|skip\w*|bypass\w*|obey|you|your|rules?|agents?"
    r"|instructions?|decisions?|authori\w*|permission|push\w*|deploy\w*|delet\w*|send|upload)\b)"
)
"""What somebody says who reports a fault, in the ticket that an agent notes."""
_SETTING = r"[ \t]*(?:- )?(?:system|assistant|developer|human|user)[ \t]*"
_VALUE = (
    r"(?:(?=\W*\w)[\"']?[\w./:@{}$<>+~*&-]{1,200}[\"']?|[\"']{2}|\[[^\[\]]{0,200}\]"
    r"|\{[^{}]{0,200}\})(?:[ \t]+#[^\n]{0,200})?"
)
_NO_VALUE = frozenset(
    "approved|merged|granted|accepted|skipped|released|go|agreed|no|approves|merges|obeyed".split("|")
)
"""What answers somebody in one word, and sets nothing."""
_POWERS = frozenset(
    "override|overridden|unlocked|unrestricted|jailbroken|jailbreak|trusted|root|admin|administrator|enabled|disabled|off"
    "|authorised|authorized|privileged|unlimited|free|active|dan|god|developer|master|lifted|void".split("|")
)
"""What a system says in one word that gives somebody more than it had."""
_WANTED = (
    r"\b(?:you|your|yours|agents?|approv\w*|accept\w*|merg\w*|trust\w*|grant\w*|obey\w*|ignor\w*|disregard|forget"
    r"|bypass\w*"
    r"|skip\w*|push\w*|send|upload|deploy\w*|delet\w*|review\w*|authori[sz]\w*|permi\w+|allow\w*|disabl\w*"
    r"|instructions?"
    r"|rules?|deci(?:de|sion)\w*|boundar(?:y|ies)|secrets?|tokens?|passwords?|credentials?|system prompt|without|never"
    r"|from now|in charge|owners?|coordinators?|says|tells?|means? that"
    r"|must(?! be (?:escaped|closed|quoted|stripped|kept|written|rendered))|p-\d+)\b"
)
"""What is said to somebody, or of what they may do. Who tells of a machine, a log or a fault needs none of it."""
_STATES = (
    r"\b(?:ok|start(?:ed|ing)|stopp(?:ed|ing)|restarted|ready|failed|error|warning|up|down|done|full|exited|killed"
    r"|running"
    r"|loaded|mounted|boot(?:ed)?|timeout|timed out|completed?|finished|initiali[sz]ed|connected|disconnected|rebooted"
    r"|crashed|idle|online|offline)\b|\d ?%|\b\d+ ?(?:ms|s|kb|mb|gb)\b"
)
_NO_STATES = (
    r"[.!?;:,]\s|\b(?:all|every\w*|guards?|checks?|tests?|safety|security|limits?|polic(?:y|ies)|modes?|access|roots?"
    r"|admin\w*|override|quarantine|filters?|protections?|approvals?|new"
    r"|is|are|to|as|now|may|can|will)\b"
)
LOGGED_WORDS_MAX = 10
_SHOWN = r"\s*(?:show|display|ping|traceroute) [\w ./-]{1,80}"
_ITEM = r"[\w.+/-]{2,30}(?: v?\d[\w.-]{0,20})?"
_ITEMS = rf"{_ITEM}(?:[,;] (?:[A-Za-z]{{2,12}}: )?{_ITEM}){{0,6}}"
_PATH = (
    r"(?:(?:see|in|is in|lives in|kept in|stored in|it is in) )?[`'\"]?(?!\.\./|/|~|https?:)"
    r"(?=[\w./-]{0,120}prompt)(?![\w./-]{0,120}(?:vendor|download|node_modules|third.party|external|tmp/|temp/))"
    r"[\w.-]{1,60}(?:/[\w.-]{1,60}){0,8}"
    r"\.(?:md|txt|ya?ml|json|toml|j2|jinja2?|py|ts|js|rb|go|tmpl|prompt)[`'\"]?(?:, line \d{1,5})?\.?"
)
"""A file of the project that is called a prompt, or lies among prompts, and did not come from elsewhere."""
_OUTCOME = r"(?im)^[ \t*-]*(?:expected|actual|observed)(?: (?:result|answer|behaviou?r))?[ \t*]*:"
_AT_A_LOSS = r"i(?:'m| am)? (?:do not|don't|did not|didn't|cannot|can't|could not|couldn't|not|sorry)\b"
FAULT_CHARACTERS_MAX = 2_000
_FIELD = r"[ \t]*(?:- )?[\"']?[\w./-]{1,60}[\"']?[ \t]*:(?:[ \t]+(.*))?|[ \t]*- +(.*)|[ \t]*(?:#.*)?"
NESTED_LINES_MAX = 20
_ACCOUNTS = frozenset("deploy release push print run".split())
"""What a user of a machine may be called, and an order as well. Beside another setting it is no order."""
_BESIDE = r"[ \t]*(?:- )?(?!(?:user|assistant|system)\b)[a-z][\w ./-]{0,30}:[ \t]+[\w./@:~-]{1,80}"


def speaks_as_another(shown: str, *, outside: bool) -> bool:
    """Whether a line begins as the turn of somebody in a conversation, or is the heading of a prompt."""
    lines = shown.split("\n")
    reported = not outside and _reports_a_fault(shown, lines)
    spoken: set[str] = set()
    for place, line in enumerate(lines):
        head, colon, rest = line[:ROLE_CHARACTERS_MAX].partition(":")
        who = _speaker(head) if len(head) < ROLE_CHARACTERS_MAX else ""
        if colon and rest[:1] in {"", " ", "*", "_", "\t"} and (who in _ROLES or (outside and who in _ROLES_OUTSIDE)):
            told = rest.strip(f"{_STROKES}|") or "".join(lines[place + 1 : place + 3]).strip(_STROKES)
            if who not in _ROLES:
                if talks(told):
                    return True
                continue
            if told.lower().startswith(_MACHINES) or (not outside and _sets(lines, place)):
                continue
            if not outside and who == "user" and _is_account(lines, place):
                continue
            if (reported and who in _PERSONS) or (not outside and _points(who, lines, place)):
                continue
            spoken.add(who)
            if outside and spoken <= _PERSONS and len(spoken) == 1 and _is_name(line.partition(":")[2]):
                continue
            loud = head.strip(_STROKES).isupper() and not (who == "system" and _lists(line.partition(":")[2]))
            if outside or len(spoken) > 1 or not who.isalpha() or loud:
                return True
            if talks(told) and not _tells(who, line.partition(":")[2]):
                return True
        if head.startswith("#") and not rest.strip() and who in _HEADINGS:
            if not outside and not colon and _is_chapter(who, head, lines, place):
                continue
            return who != "response" or head.startswith("##")
    return False


def _points(who: str, lines: list[str], place: int) -> bool:
    """Whether a record says in which file of the project its prompt is, and nothing else."""
    if who != "system prompt" or any(line.strip() for at, line in enumerate(lines) if at != place):
        return False
    head, _, told = lines[place].partition(":")
    return not head.isupper() and re.fullmatch(_PATH, told.strip(_STROKES)) is not None


def _lists(told: str) -> bool:
    """Whether a line says of what a system is made, and no more: names, each with its version."""
    told = told.strip()
    words = {one.strip(",;:") for one in told.lower().split()}
    return (
        re.fullmatch(_ITEMS, told) is not None
        and not wants(told)
        and words.isdisjoint(_SPOKEN | _GREETING | _NO_VALUE | _POWERS)
    )


def _reports_a_fault(shown: str, lines: list[str]) -> bool:
    """Whether a conversation is the one of a fault: somebody asked, nobody consented, and what was expected follows."""
    if len(shown) > FAULT_CHARACTERS_MAX or not re.search(_OUTCOME, shown) or wants(shown):
        return False
    for line in lines:
        head, _, told = line.partition(":")
        who, said = _speaker(head), " ".join(told.lower().replace("’", "'").split())
        if who == "user" and not said.endswith("?") and not _tells(who, told):
            return False
        if who == "assistant" and not re.match(_AT_A_LOSS, said) and (talks(said) or _first(said)[1] in _NO_VALUE):
            return False
    return True


def is_logged(mark: str, told: str) -> bool:
    """Whether what stands behind `[SYSTEM]` is the line of a log, or behind `system>` what somebody typed there."""
    if wants(told):
        return False
    if mark.endswith("system>"):
        return re.fullmatch(_SHOWN, told) is not None
    words = told.lower().split()
    return (
        mark == "[system]"
        and 0 < len(words) <= LOGGED_WORDS_MAX
        and re.search(_STATES, told.lower()) is not None
        and re.search(_NO_STATES, told.lower()) is None
        and not talks(told)
    )


def is_plain(word: str) -> bool:
    """Whether one word behind a role neither answers nor orders nor allows anything."""
    return not wants(word) and word.lower() not in _SPOKEN | _GREETING | _NO_VALUE | _POWERS


def wants(told: str) -> bool:
    """Whether this speaks to somebody, or of what somebody may do."""
    return re.search(_WANTED, told.lower()) is not None


def _is_name(told: str) -> bool:
    """Whether a line says who somebody is, and no more: an account, or a first and a last name."""
    name = told.strip()
    return re.fullmatch(r"[a-z][a-z0-9_-]{1,30}|[A-Z][a-z]{1,30} [A-Z][a-z]{1,30}", name) is not None and not talks(
        name
    )


def _sets(lines: list[str], place: int) -> bool:
    """Whether a line is a setting, as a file of settings has it: a key with one value, or with more keys below it."""
    key, _, value = lines[place].partition(":")
    if not re.fullmatch(_SETTING, key):
        return False
    value = value.strip()
    if value:
        word = value.strip("\"'")
        return re.fullmatch(_VALUE, value) is not None and not talks(word) and word.lower() not in _NO_VALUE
    return _has_fields(lines, place)


def _is_account(lines: list[str], place: int) -> bool:
    """Whether a line names the user of a machine, beside other things that are set."""
    value = lines[place].partition(":")[2].strip()
    beside = [*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2]]
    return value in _ACCOUNTS and any(re.fullmatch(_BESIDE, one.lower()) for one in beside)


def _has_fields(lines: list[str], place: int) -> bool:
    """Whether only fields stand below a key, and nobody talks in one of them."""
    depth = _depth(lines[place])
    below = []
    for line in lines[place + 1 : place + 1 + NESTED_LINES_MAX]:
        if line.strip() and _depth(line) <= depth:
            break
        below.append(line)
    fields = [re.fullmatch(_FIELD, line) for line in below]
    if not any(line.strip() for line in below) or not all(fields):
        return False
    said = [(one[1] or one[2] or "").strip(" \t\"'|>-") for one in fields if one]
    return not any(talks(one) for one in said)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _tells(who: str, told: str) -> bool:
    """Whether who seems to talk reports a fault, or says what runs through a system."""
    said = " ".join(told.strip(_STROKES).lower().replace("’", "'").split())
    pattern = {"user": _REPORTED, "system": _FLOWS}.get(who)
    return pattern is not None and re.match(pattern, said) is not None


def _is_chapter(who: str, head: str, lines: list[str], place: int) -> bool:
    """Whether a heading of an agent's own words has what a document has below it: an answer behind its request, an
    inventory, steps of work. Who speaks as another begins to talk there."""
    if who == "response":
        return any(
            re.fullmatch(r"#{1,6} (?:example )?requests?", line.strip().lower())
            for line in lines[max(0, place - 40) : place]
        )
    if who not in {"system", "instructions"}:
        return False
    told = next((line for line in lines[place + 1 : place + 4] if line.strip()), "")
    first = re.sub(r"^\d{1,3}[.)] ", "", told.strip(_STROKES))
    if not first:
        # Nothing is said below it. Chats mark a system with three.
        return who == "instructions" or not head.startswith("###")
    return not talks(first) or (_is_step(first) if who == "instructions" else _tells(who, first))


def _is_step(told: str) -> bool:
    """Whether an order is one that work is made of."""
    return _first(told)[1] in _TOLD and re.match(_NO_STEP, told.lower().replace("’", "'")) is None


def _speaker(head: str) -> str:
    """Who stands before the colon, without the number of the line and what is said of the speaker in brackets."""
    who = " ".join(head.strip(_STROKES).split()).lower()
    if not who.isalpha():
        who = re.sub(r"^\d{1,3}[.)] ?|^\([a-z0-9]{1,3}\) | ?\([^()]*\)$", "", who).strip(_STROKES)
    return who


def talks(told: str) -> bool:
    """Whether this begins as somebody does who talks to the reader, and not as a list of names does."""
    first, word = _first(told)
    return word in _GREETING or (word in _SPOKEN and not first.endswith(","))


def commands(told: str) -> bool:
    """The same, for words among which a step of work is none."""
    first, word = _first(told)
    return word in _SPOKEN - _TOLD and not first.endswith(",")


def _first(told: str) -> tuple[str, str]:
    first, *_ = told.lower().replace("’", "'").split(maxsplit=1) or [""]
    return first, first.strip(".,;:!?*_`\"'")
