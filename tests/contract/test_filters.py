"""Filters: a list is narrowed by text of any script, whatever its case, and alike on every engine."""

import pytest

from hansard.project import Project

TEXTS = (
    "The Proxy Cuts Uploads", "ÜBERGRÖSSE im Straßenverkehr", "ОШИБКА Сервера", "ΟΔΟΣ ΑΘΗΝΩΝ", "İstanbul bürosu",
    "会议纪要", "100%_sure\\maybe",
)  # fmt: skip


def found(project: Project, text: str) -> list[str]:
    return [one.content for one in project.list_memories(text=text).items]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("proxy cuts", 0), ("PROXY", 0), ("übergröße".replace("ß", "ss"), 1), ("STRAßE", 1), ("ошибка", 2),
        ("сЕРВЕР", 2), ("αθην", 3), ("οδος", 3), ("İSTANBUL", 4), ("İstanbul", 4), ("BÜRO", 4), ("纪要", 5), ("%_S", 6),
        ("E\\M", 6),
    ],
)  # fmt: skip
def test_text_is_found_whatever_its_case(project: Project, text: str, place: int) -> None:
    project.remember_many([{"content": one, "agent": "tank"} for one in TEXTS])
    assert found(project, text) == [TEXTS[place]]


@pytest.mark.parametrize("text", ["proxy_cuts", "proxy%uploads", "%proxy", "\\", "istanbul%"])
def test_what_is_a_sign_of_patterns_is_a_letter_like_any_other(project: Project, text: str) -> None:
    project.remember("The Proxy Cuts Uploads", agent="tank")
    assert found(project, text) == []
