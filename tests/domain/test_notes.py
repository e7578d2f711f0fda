"""Notes are cut at their headings, keep all their text, and are recognised again when they change."""

import time

import pytest

from hansard.domain.notes import (
    CHUNK_CHARACTERS_MAX,
    CONTENT_CHARACTERS_MAX,
    Known,
    align,
    chunks,
    readable,
)

LONG = "Some words about it. " * 30
"""Long enough to stand alone, short enough for one chunk."""


def bodies(document: str) -> list[str]:
    return [one.body for one in chunks(document)]


def paths(document: str) -> list[tuple[str, ...]]:
    return [one.path for one in chunks(document)]


def ink(text: str) -> str:
    return "".join(text.split())


def test_a_short_note_is_one_chunk_as_it_stands() -> None:
    assert bodies("Use statx, never stat.\n") == ["Use statx, never stat."]


def test_nothing_comes_of_nothing_but_blanks() -> None:
    assert chunks("") == chunks(" \r\n\t\n \n") == ()


def test_sections_are_chunks_that_know_what_they_stand_under() -> None:
    found = chunks(f"# Deploy\n\n{LONG}\n\n## Roll back\n\n{LONG}\n\n### By hand\n\n{LONG}\n")
    assert [one.path for one in found] == [
        ("Deploy",), ("Deploy", "Roll back"), ("Deploy", "Roll back", "By hand"),
    ]  # fmt: skip
    assert found[0].content.startswith("# Deploy\n")
    assert found[1].content.startswith("Deploy\n\n## Roll back\n")
    assert found[2].content.startswith("Deploy > Roll back\n\n### By hand\n")
    assert found[2].name("ops") == "ops: Deploy > Roll back > By hand"


def test_siblings_do_not_nest_whatever_level_the_note_starts_at() -> None:
    assert paths(f"## First\n{LONG}\n## Second\n{LONG}\n### Below\n{LONG}\n# Top\n{LONG}\n## Third\n{LONG}") == [
        ("First",), ("Second",), ("Second", "Below"), ("Top",), ("Top", "Third"),
    ]  # fmt: skip


def test_a_section_that_is_cut_says_its_headings_in_every_piece() -> None:
    found = chunks(f"# A\n\n## B\n\n{LONG * 8}")
    assert len(found) > 2
    assert found[0].content.startswith("# A\n\n## B\n\n")
    assert all(one.content.startswith("A > B\n\nSome words") for one in found[1:])


@pytest.mark.parametrize("fence", ["```", "~~~", "`````", "```python"])
def test_a_heading_in_a_fence_is_code(fence: str) -> None:
    close = fence.replace("python", "")
    assert paths(f"# Real\n{LONG}\n{fence}\n# install\n{LONG}\n{close}\n{LONG[:500]}") == [("Real",)]


def test_a_fence_ends_only_at_one_as_long_of_its_own_kind() -> None:
    document = f"# A\n````\n```\n# no\n~~~~\n# no\n```` not yet\n# no\n````\n\n# B\n{LONG}"
    assert chunks(document)[-1].path in {("A",), ("B",)}
    assert [path for path in paths(f"{document}\n# C\n{LONG}") if path == ("no",)] == []
    assert paths(f"{document}\n# C\n{LONG}")[-1] == ("C",)


def test_a_long_note_is_cut_beside_a_fence_and_not_in_it() -> None:
    code = "```\n" + "x = 1\n\n" * 60 + "```"
    found = bodies(f"{LONG}\n\n{LONG}\n\n{LONG}\n\n{code}\n\n{LONG}")
    assert [one.count("```") % 2 for one in found] == [0] * len(found)


def test_windows_line_ends_hide_no_heading() -> None:
    unix = f"# A\n\n{LONG}\n\n## B\n\n{LONG}\n"
    assert chunks(unix.replace("\n", "\r\n")) == chunks(unix.replace("\n", "\r")) == chunks(unix)


def test_underlined_headings_are_headings_and_tables_and_front_matter_are_not() -> None:
    assert paths(f"Top\n===\n{LONG}\n\nBelow\n---\n{LONG}") == [("Top",), ("Top", "Below")]
    assert paths(f"---\ntitle: x\n---\n{LONG}\n\n- item\n---\n{LONG}\na line\nanother\n---\n{LONG}")[0] == ()
    assert paths(f"#hashtag\n{LONG}\n    # code\n{LONG}\n#\n{LONG[:300]}") == [()]


def test_hashes_may_close_a_heading_and_belong_to_a_name() -> None:
    assert paths(f"## Closed ##\n{LONG}\n## C#\n{LONG}") == [("Closed",), ("C#",)]


def test_a_tiny_section_joins_its_neighbour() -> None:
    found = bodies(f"# A\n\nOne.\n\n# B\n\nTwo.\n\n# C\n\n{LONG}")
    assert len(found) == 1
    assert bodies(f"# A\n\n{LONG}\n\n# B\n\nTwo.") == [f"# A\n\n{LONG}\n\n# B\n\nTwo."]


def test_a_bare_heading_stays_with_what_it_heads() -> None:
    found = bodies(f"# One\n\n{LONG}\n\n# Two\n\n## Inner\n\n{LONG * 3}")
    assert found[1].startswith("# Two\n\n## Inner\n\nSome")


@pytest.mark.parametrize("length", [1_999, 2_000, 2_001, 2_199, 2_200, 2_400, 10_000])
def test_text_without_any_blank_is_cut_and_kept(length: int) -> None:
    found = bodies("x" * length)
    assert "".join(found) == "x" * length
    assert max(map(len, found)) <= CHUNK_CHARACTERS_MAX
    assert min(map(len, found)) >= 200


def test_text_is_cut_where_a_reader_would() -> None:
    paragraphs = bodies("\n\n".join(["word " * 100] * 10))
    assert all(one.startswith("word") and one.endswith("word") and len(one) > 1_400 for one in paragraphs[:-1])
    assert all(one.endswith("。") for one in bodies("今日は雨です。" * 900))
    assert all(one.endswith(".") for one in bodies("One more thing to know. " * 400))
    assert all(one in {"abcdefg", ""} for piece in bodies("abcdefg " * 900) for one in piece.split(" "))


def test_a_cut_parts_no_character_from_its_marks() -> None:
    found = bodies("e\u0301" * 3_000)
    assert [one for one in found if one.startswith("\u0301")] == []


def test_control_characters_become_pictures_of_themselves() -> None:
    assert readable("a\x1b[0m\x00b\x7f\x0cc\x9f") == "a␛[0m␀b␡\nc\ufffd"


def test_long_headings_leave_room_for_the_text() -> None:
    deep = "".join(f"{'#' * level} {'Very long heading ' * 20}\n" for level in range(1, 7))
    found = chunks(deep + LONG * 10)
    assert max(len(one.content) for one in found) <= CONTENT_CHARACTERS_MAX
    assert len(found[-1].name("長" * 200).encode()) <= 500


MEGABYTE = 1_000_000
HOSTILE = {
    "one word": "x" * MEGABYTE,
    "blanks": " " * MEGABYTE,
    "newlines": "\n" * MEGABYTE,
    "headings": "# a\n" * (MEGABYTE // 4),
    "hashes": "#\n" * (MEGABYTE // 2),
    "rules": "a\n---\n\n" * (MEGABYTE // 7),
    "fences": "```\nx\n```\n" * (MEGABYTE // 10),
    "open fence": "```\n" + "code\n\n" * (MEGABYTE // 6),
    "words": "a " * (MEGABYTE // 2),
    "characters": "漢字。" * (MEGABYTE // 3),
    "marks": "a" + "\u0301" * MEGABYTE,
    "closing": ".)" * (MEGABYTE // 2),
}


@pytest.mark.parametrize("document", HOSTILE.values(), ids=list(HOSTILE))
def test_a_megabyte_of_anything_is_cut_in_linear_time(document: str) -> None:
    started = time.process_time()
    found = chunks(document)
    # A second on an idle machine; what must not be is an hour.
    assert time.process_time() - started < 3
    assert ink("".join(one.body for one in found)) == ink(document)


def known(*texts: str, ended: bool = False) -> list[Known]:
    return [Known(text, place, ended) for place, text in enumerate(texts)]


WORDS = {
    "a": "alpha mounts are slow under overlay",
    "b": "billing closes every month on Friday",
    "c": "caches are warmed after each deploy",
    "d": "databases get a backup at midnight",
    "B": "billing closes every quarter on Friday",
    "C": "caches are warmed before each deploy",
    "X": "zebras",
    "Y": "penguins",
    "Z": "giraffes",
}
"""Texts by a letter; the large one of a known letter is an edit of it, and the others are about something else."""


def said(letters: str) -> list[str]:
    return [WORDS[letter] for letter in letters]


@pytest.mark.parametrize(
    ("before", "after", "links"),
    [
        ("abc", "abc", [0, 1, 2]),
        ("abc", "aBc", [0, 1, 2]),
        ("abc", "XaBc", [None, 0, 1, 2]),
        ("abc", "XBaC", [None, 1, 0, 2]),
        ("abcd", "XaYCZ", [None, 0, None, 2, None]),
        ("abc", "ab", [0, 1]),
        ("abc", "cba", [2, 1, 0]),
        ("aab", "aaab", [0, 1, None, 2]),
        ("aaa", "a", [0]),
        ("", "ab", [None, None]),
        ("ab", "", []),
        ("ab", "XY", [None, None]),
        ("abc", "aXc", [0, None, 2]),
        ("bb", "BBB", [0, 1, None]),
    ],
)
def test_chunks_are_recognised_by_their_text_and_then_by_what_is_most_alike(
    before: str, after: str, links: list[int | None]
) -> None:
    assert align(known(*said(before)), said(after)) == links


def test_what_stands_in_the_place_of_a_chunk_does_not_become_it() -> None:
    """A lead paragraph and one word in the first section once gave the second section's memory to the first."""
    first, second = (" ".join(f"{name}{number}" for number in range(30)) for name in ("left", "right"))
    lead = "Everything below was checked in spring."
    assert align(known(first, second), [lead, f"{first} indeed", second]) == [None, 0, 1]
    assert align(known(first, second), [lead, f"{first} indeed", f"{second} indeed"]) == [None, 0, 1]


def test_words_that_every_chunk_has_do_not_make_two_of_them_alike() -> None:
    form = "owner contact queue alarm runbook budget region escalation"
    texts = [f"service{number} {form}" for number in range(20)]
    assert align(known(*texts), [*texts[:19], f"{form} unheard"])[-1] is None


def test_the_same_heading_makes_up_for_some_of_the_difference_and_not_for_all() -> None:
    before = [Known("deploy one two three four five", 0, ended=False, heading="Deploy")]
    rewritten, other = "deploy one two red green blue black white", "penguins swim"
    assert align(before, [rewritten]) == align(before, [rewritten], ["Else"]) == [None]
    assert align(before, [rewritten], ["Deploy"]) == [0]
    assert align(before, [other], ["Deploy"]) == [None]
    assert align([before[0]._replace(heading="")], [rewritten], [""]) == [None]


def test_a_chunk_that_grows_by_much_is_still_the_same() -> None:
    more = " ".join(f"more{number}" for number in range(50))
    assert align(known("use statx"), [f"rules: {more} use statx {more}"]) == [0]
    assert align(known("use statx"), [f"rules: {more} reuse statx {more}"]) == [None]
    assert align(known("use statx", "use stat"), [f"use statx {more}", "use statx always"]) == [None, 0]


def test_among_equally_alike_chunks_the_one_beside_the_same_neighbour_is_taken() -> None:
    gate, before, after, new = "north gate", "queue size seven", "queue size eight", "zebras"
    assert align(known(gate, before, before), [gate, after, after]) == [0, 1, 2]
    assert align(known(before, gate, before), [new, gate, after]) == [None, 1, 2]
    assert align(known(before, gate, before, before), [new, "penguins", gate, after]) == [None, None, 1, 2]
    assert align(known(before, before, gate), [after, gate]) == [1, 2]


def test_words_that_every_text_has_make_none_alike_unless_there_are_no_others() -> None:
    assert align(known("it is all about the zebras"), ["it is all about the gate"]) == [None]
    assert align(known("to be or not to be"), ["not to be, or to be there"]) == [0]


def test_a_text_without_blanks_between_its_words_is_recognised() -> None:
    assert align(known("今日は雨が降っていて道が混んでいます。"), ["今日は雪が降っていて道が混んでいます。"]) == [0]
    assert align(known("今日は雨が降っていて道が混んでいます。"), ["犬と猫"]) == [None]


def test_a_large_note_that_changed_everywhere_is_recognised_in_bounded_time() -> None:
    before = [" ".join(f"w{number * step % 19_997}" for step in range(1, 40)) for number in range(1, 2_500)]
    after = [f"{text} anew" for text in reversed(before)]
    started = time.process_time()
    links = align(known(*before), after)
    # A second on an idle machine; comparing each with each takes minutes.
    assert time.process_time() - started < 10
    assert sum(link == len(before) - 1 - place for place, link in enumerate(links)) == len(before)


def test_what_was_given_up_comes_back_only_by_its_own_text() -> None:
    assert align(known(*said("ab"), ended=True), said("aB")) == [0, None]
    assert align([Known("a", 0, ended=True), Known("a", 4, ended=False)], ["a"]) == [1]
