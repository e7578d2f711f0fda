"""Notes of any shape: no text is lost, no piece is too long, and recognising chunks is consistent."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.notes import (
    CHUNK_CHARACTERS_MAX,
    CONTENT_CHARACTERS_MAX,
    Known,
    align,
    chunks,
    readable,
)
from support.examples import examples

LINES = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "# A",
            "## B",
            "### C ###",
            "```",
            "~~~~",
            "```py",
            "---",
            "===",
            "- item",
            "> quote",
            "    # code",
            "#",
        ]
    ),
    st.text(max_size=30),
    st.builds(lambda word, count: word * count, st.text(min_size=1, max_size=5), st.integers(1, 900)),
)
DOCUMENTS = st.one_of(
    st.text(max_size=200),
    st.builds(lambda lines, end: end.join(lines), st.lists(LINES, max_size=40), st.sampled_from(["\n", "\r\n", "\r"])),
)


def ink(text: str) -> str:
    return "".join(text.split())


@given(DOCUMENTS)
@examples(600)
def test_the_pieces_hold_all_the_text_in_order(document: str) -> None:
    found = chunks(document)
    assert ink("".join(one.body for one in found)) == ink(readable(document))
    assert all(one.body.strip() for one in found)


@given(DOCUMENTS)
@examples(300)
def test_no_piece_is_too_long(document: str) -> None:
    for one in chunks(document):
        assert len(one.body) <= CHUNK_CHARACTERS_MAX
        assert len(one.content) <= CONTENT_CHARACTERS_MAX
        assert one.content.endswith(one.body)


@given(DOCUMENTS)
@examples(200)
def test_cutting_twice_gives_the_same_pieces(document: str) -> None:
    assert chunks(document) == chunks(document) == chunks(readable(document))


TEXTS = st.lists(st.sampled_from("abcdef"), max_size=8)


@given(TEXTS, TEXTS, st.sets(st.integers(0, 7)))
@examples(400)
def test_each_chunk_of_before_is_recognised_at_most_once(before: list[str], after: list[str], ended: set[int]) -> None:
    known = [Known(text, place, place in ended) for place, text in enumerate(before)]
    links = align(known, after)
    used = [link for link in links if link is not None]
    assert len(links) == len(after)
    assert len(used) == len(set(used))
    for text in set(before) & set(after):
        same = sum(
            link is not None and known[link].text == text == said for link, said in zip(links, after, strict=True)
        )
        assert same == min(before.count(text), after.count(text))
    for link, text in zip(links, after, strict=True):
        assert link is None or known[link].text == text or not known[link].ended


@given(TEXTS)
@examples(100)
def test_an_unchanged_note_keeps_every_chunk_in_its_place(texts: list[str]) -> None:
    known = [Known(text, place, ended=False) for place, text in enumerate(texts)]
    assert align(known, texts) == list(range(len(texts)))
