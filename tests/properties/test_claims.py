"""Claims hold for every text: bounded, in the text, on one line, and the same for the same text."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.claims import ClaimKind, claims_of, last_part
from hansard.domain.limits import CLAIM_CHARACTERS_MAX, CLAIMS_COUNT_MAX

pieces = st.sampled_from(
    ["`", "``", "```", "/", ".", "..", ":", "::", "#", "(", ")", "[", "]", "a", "src", "x.py", "do_it", "Foo", " ",
     "\n", "\r\n", "12", "-", "~", "\\", "$", "\0", "\u202e", "é", "://", "->", "*"]
)  # fmt: skip
texts = st.one_of(st.text(max_size=400), st.lists(pieces, max_size=60).map("".join))
words = st.from_regex(r"[a-z]{1,8}_[a-z]{1,8}", fullmatch=True)
names = st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6}){1,3}\.(py|ts|md)", fullmatch=True)


@given(texts, st.lists(texts, max_size=4))
def test_every_claim_stands_in_the_text_and_is_one_plain_word(content: str, citations: list[str]) -> None:
    found = claims_of(content, citations)
    said = "\n".join([content, *citations])

    assert len(found) == len(set(found)) <= CLAIMS_COUNT_MAX
    for one in found:
        assert one.name in said
        assert 0 < len(one.name) <= CLAIM_CHARACTERS_MAX
        assert not set(one.name) & set("`\n\r\0 ")
        assert one.kind is ClaimKind.PATH or last_part(one.name)


@given(texts, st.lists(texts, max_size=4))
def test_the_same_text_makes_the_same_claims(content: str, citations: list[str]) -> None:
    assert claims_of(content, citations) == claims_of(content, tuple(citations))


@given(words, names, st.text(alphabet="abc ,.;\n", max_size=40))
def test_what_is_named_is_found_whatever_stands_around_it(symbol: str, path: str, around: str) -> None:
    found = {one.name for one in claims_of(f"{around} `{symbol}` {around} `{path}` {around}", ())}

    assert {symbol, path} <= found


@given(st.lists(names, min_size=1, max_size=10, unique=True), st.integers(1, 9_999))
def test_a_line_makes_no_other_claim_of_a_file(paths: list[str], line: int) -> None:
    assert claims_of("", [f"{one}:{line}" for one in paths]) == claims_of("", paths)
