"""Makes texts and questions for benchmarks: real words, as often as words come in English, the same in every run."""

import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hansard.domain.questions import STOP_WORDS

AGENT = "agent-3"
AGENTS = 20
TEAM_SHARE = 0.6
STOP_SHARE = 0.45
TOPIC_SHARE = 0.25
TOPICS = 500
TOPIC_WORDS = 300
TEXT_WORDS = (8, 40)
QUESTION_WORDS = (3, 8)
CONVERSATION_TURNS = 40
VOCABULARY_WORDS_MAX = 40_000
_SOURCE_FILES_MAX = 3_000
_SOURCE_BYTES_MAX = 200_000
_EXPLAINED = re.compile(r'"""(.*?)"""|#([^\n]*)', re.DOTALL)
_WORD = re.compile(r"[a-z]{3,18}")
_OPENINGS = ("what about the", "when did we change the", "why does the", "how do we", "where is the", "who wrote about")


@cache
def vocabulary() -> tuple[str, ...]:
    """The telling words of the documentation inside the installed Python packages, most frequent first."""
    counted: Counter[str] = Counter()
    folders = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py")) if "encodings" not in file.parts]
    for file in files[:_SOURCE_FILES_MAX]:
        text = file.read_text(encoding="utf-8", errors="ignore")[:_SOURCE_BYTES_MAX]
        for explained in _EXPLAINED.findall(text):
            counted.update(_WORD.findall(" ".join(explained).lower()))
    return tuple(word for word, _ in counted.most_common(VOCABULARY_WORDS_MAX) if word not in STOP_WORDS)


def items(count: int) -> list[dict[str, Any]]:
    """Memories of several agents, most of them the team's; every second conversation has a source and positions."""
    random = np.random.default_rng(count)
    agents = random.integers(0, AGENTS, count).tolist()
    shared = (random.random(count) < TEAM_SHARE).tolist()
    made: list[dict[str, Any]] = []
    for place, content in enumerate(texts(count)):
        item: dict[str, Any] = {
            "content": content,
            "agent": f"agent-{agents[place]}",
            "scope": "team" if shared[place] else "agent",
        }
        conversation, turn = divmod(place, CONVERSATION_TURNS)
        if conversation % 2:
            item |= {"source_ref": f"chat-{conversation}", "position": turn}
        made.append(item)
    return made


def texts(count: int) -> Iterator[str]:
    random = np.random.default_rng(7)
    words = np.array(vocabulary(), dtype=object)
    stop = np.array(sorted(STOP_WORDS, key=len), dtype=object)
    topics = _topics()
    lengths = random.integers(TEXT_WORDS[0], TEXT_WORDS[1] + 1, count).tolist()
    for length, topic in zip(lengths, random.integers(0, TOPICS, count).tolist(), strict=True):
        kind = random.random(length)
        chosen = words[_zipf(random, len(words), length, 20)]
        of_topic = kind < STOP_SHARE + TOPIC_SHARE
        chosen[of_topic] = words[topics[topic][_zipf(random, TOPIC_WORDS, int(of_topic.sum()), 3)]]
        is_stop = kind < STOP_SHARE
        chosen[is_stop] = stop[_zipf(random, len(stop), int(is_stop.sum()), 2)]
        yield " ".join(chosen)


def questions(count: int, *, seed: int) -> list[str]:
    """Questions of a few telling words of one topic, opened as people ask."""
    random = np.random.default_rng(seed)
    words, topics = vocabulary(), _topics()
    asked: list[str] = []
    for _ in range(count):
        length = int(random.integers(QUESTION_WORDS[0], QUESTION_WORDS[1] + 1))
        of_topic = topics[int(random.integers(0, TOPICS))][_zipf(random, TOPIC_WORDS, length, 3)]
        opening = _OPENINGS[int(random.integers(0, len(_OPENINGS)))]
        asked.append(f"{opening} {' '.join(words[place] for place in of_topic)}?")
    return asked


@cache
def _topics() -> NDArray[np.int64]:
    random = np.random.default_rng(11)
    size = len(vocabulary())
    # Many more than needed are drawn, so that enough different ones are among them.
    drawn = (random.permutation(np.unique(_zipf(random, size, TOPIC_WORDS * 8, 60))) for _ in range(TOPICS))
    return np.stack([words[:TOPIC_WORDS] for words in drawn])


def _zipf(random: np.random.Generator, size: int, count: int, offset: int) -> NDArray[np.int64]:
    """Ranks whose chance falls as one over rank plus offset, by inverting the distribution."""
    high = np.log((size + offset) / offset)
    ranks = offset * np.exp(random.random(count) * high) - offset
    return np.minimum(np.asarray(ranks, np.int64), size - 1)
