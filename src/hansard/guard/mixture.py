"""Owns how mixed a run of characters is: turns that no word and no program has, against letters that make words."""

import re

JUMBLED_CHARACTERS_MIN = 12
JUDGED_CHARACTERS_MAX = 256
JUMBLED_SCORE_MIN = 0.0
"""Of random letters and digits, one in twenty of twelve characters has less, and one in a hundred of thirty-two. Of all
identifiers with a digit and both cases, one in fifteen has more, and hardly any that people write of in sentences."""
SCORE_PER_CHARACTER = 0.06
"""A longer value needs less: by chance it differs less from the rest, and so do names."""
SHORT_CHARACTERS_MIN = 10
SHORT_SCORE_MIN = 1.0
"""What a shorter one needs, where it is the value of a password. Hardly any name of that size has it."""
LOOSELY_SAID_SCORE_MIN = 2.0
"""Needed where nothing says that it is the value of what is named before it."""
NAME_SCORE_MAX = -3.2
"""What stands behind the head of a token is a name if it has less. Two in a thousand random ones have."""
ODD = re.compile(
    r"[0-9](?=[A-Za-z])|[a-z](?=[A-Z](?![a-z]))|[A-Z]{2}(?=[a-z])|(?<=[A-Za-z0-9])[!@#$%^&*?~|;<>](?=[A-Za-z0-9])"
)
PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_WINDOW = 16
_ODD_PAIR = re.compile(r"[!@#$%^&*?~|;<>+](?=[!-/:-@\[-\x60{-~])|[_=,.:()\[\]{}-](?=[!@#$%^&*?~|;<>+])")
_UNIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]")
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")
_SHORTHANDS = re.compile(
    r"[Ii]18n|[Ll]10n|[Aa]11y|[Kk]8s|B2[BC]|IPv[46]|OAuth2?|OIDC|(?:RS|ES|HS|PS)(?:256|384|512)|[Ww]pa[23]|U?Int(?:8|16|32|64)"
    r"|[Uu]tf(?:8|16|32)|[Aa]es(?:128|192|256)|[Ss]ha(?:1|256|384|512)|S3|EC2|V[0-9]|H[12]"
)
"""Words of engineers that are as mixed as a password, each read as one word."""


def is_jumbled(value: str, least: float = JUMBLED_SCORE_MIN, shortest: int = JUMBLED_CHARACTERS_MIN) -> bool:
    """Whether letters and digits alone are so mixed that nobody reads them as words in one: a small letter, a capital
    and a digit at least, in no order that a name or a version has. Of a long one the beginning says it."""
    value = value[:JUDGED_CHARACTERS_MAX]
    if len(value) < shortest or not value.isascii() or not value.isalnum():
        return False
    if value.islower() or value.isupper() or value.isalpha() or value.isdigit():
        return False
    least -= (len(value) - JUMBLED_CHARACTERS_MIN) * SCORE_PER_CHARACTER
    if score(value) < least:
        return False
    spelled_out = _SHORTHANDS.sub("Word", value)
    return spelled_out == value or score(spelled_out) >= least


def score(value: str) -> float:
    """How mixed it is: more for turns that no word and no program has, less for letters that make words."""
    size = len(value)
    odd = float(len(ODD.findall(value)))
    if not value.isalnum():
        odd += 0.7 * len(_ODD_PAIR.findall(value)) + _unpaired(value)
    units = len(_UNIT.findall(value)) / size
    return odd * _WINDOW / max(size, _WINDOW) + 8 * (units - 0.5) - 5 * (_share_of_words(value) - 0.4)


def _share_of_words(value: str) -> float:
    letters = sum(map(str.isalpha, value))
    return sum(map(len, _WORD.findall(value))) / letters if letters else 0.0


def _unpaired(value: str) -> int:
    """How many brackets are not closed, or not opened; less one for each pair, as in a program."""
    waiting: list[str] = []
    odd = 0
    for one in value:
        if one in "([{<":
            waiting.append(one)
        elif one in PAIRS:
            if waiting and waiting[-1] == PAIRS[one]:
                waiting.pop()
                odd -= 1
            else:
                odd += 1
    return odd + len(waiting)
