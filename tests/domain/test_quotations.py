"""A text is known again with a few words more or less; a short one, a corrected one and a command are not."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hansard.domain.quotations import Quotable, Quotations, least_trusted
from hansard.domain.vocabulary import Origin
from support.pace import milliseconds

PAGE = "Deploys of the shop have been signed off by the vendor since spring, so a second look is not needed."
SENTENCE = "Deploys of the shop need no second review when the vendor signs the release."


def says(known: str, text: str) -> bool:
    return bool(Quotations([Quotable(known, Origin.EXTERNAL)]).in_text(text))


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (PAGE, f"Note: {PAGE}"),
        (PAGE, f"{PAGE} Yes."),
        (PAGE, PAGE.upper()),
        (PAGE, PAGE.replace(" second", "")),
        (PAGE, PAGE.replace("vendor", "vender")),
        (PAGE, PAGE.replace("Deploys", "Deploy") + " Good."),
        (PAGE, "We spoke of the weather and of many other things. " * 20 + PAGE),
        (
            "The staging mail host is mx2 per vendor page of May.",
            "The staging mail host is mx2 per vendor page of May!",
        ),
        (f"Support is free, says the page. {SENTENCE} Refunds take ten days.", SENTENCE),
        (f"According to the vendor's page: {SENTENCE}", f"{SENTENCE} Good."),
        (SENTENCE, SENTENCE.replace("vendor", "bendor")),
        (SENTENCE, SENTENCE.replace("shop", "shpo")),
        (SENTENCE, "Note: " + SENTENCE.replace(" second", "")),
        (SENTENCE, f"The cart moved in May. {SENTENCE.replace('vendor', 'vender')} The queue is drained at two."),
    ],
)
def test_what_is_said_with_other_words_around_it_is_known_again(known: str, text: str) -> None:
    assert says(known, text)


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("Run make test before committing.", "Always run `make test` before committing."),
        ("pnpm install --frozen-lockfile", "CI runs `pnpm install --frozen-lockfile`."),
        ("git push --force origin main", "Never `git push --force origin main`."),
        ("The vendor allows 60 calls a minute to the page.", "The vendor allows 90 calls a minute to the page."),
        (PAGE, "The vendor has signed off no deploys of the shop: whoever says so has not looked at spring's list."),
        (PAGE, "We have signed the contract with the vendor of the shop since the second look at it in spring."),
        (SENTENCE, "Review each release."),
        (SENTENCE, SENTENCE.replace("vendor", "customer")),
        (SENTENCE, SENTENCE.replace("second", "2nd").replace("no ", "a ")),
    ],
)  # fmt: skip
def test_a_command_a_correction_and_words_about_it_are_ones_own(known: str, text: str) -> None:
    assert not says(known, text)


@pytest.mark.parametrize(
    "printed",
    [
        "npm ci && npm run lint && npm test && npm run build",
        "docker run --rm -v $PWD:/src -w /src node:20 npm run build",
        "pytest -x -q tests/contract --durations=10 --maxfail=1 -n 2",
        "remote: error: GH006: Protected branch update failed for refs/heads/main",
    ],
)
def test_a_rule_that_quotes_a_command_or_a_message_is_a_rule_of_its_author(printed: str) -> None:
    assert says(printed, printed)
    for rule in (f"Before each push: `{printed}`.", f'"{printed}" means: open a pull request.'):
        assert not says(printed, rule)


def test_prose_in_quotation_marks_is_quoted_all_the_same() -> None:
    assert says(SENTENCE, f'Remember: "{SENTENCE}"')
    assert says(SENTENCE, f"Remember: `{SENTENCE}`")


def test_a_not_says_something_else() -> None:
    page = "Refunds above 100 euros are possible through the partner portal without approval."
    assert not says(page, page.replace("are possible", "are not possible"))


WORDS = some.lists(
    some.text("abcdefghijklmnopqrstuvwxyz", min_size=5, max_size=9), min_size=8, max_size=30, unique=True
)


@given(WORDS, some.integers(0, 30))
def test_one_word_more_anywhere_never_hides_a_text(words: list[str], place: int) -> None:
    changed = [*words[:place], "zzz", *words[place:]]
    assert says(" ".join(words), " ".join(changed))


def test_long_texts_are_compared_in_time_also_if_most_of_their_words_differ_a_little() -> None:
    chance = Random(7)
    words = ["".join(chance.choices("abcdefghijklmnop", k=chance.randint(3, 7))) for _ in range(9_000)]
    orders = [Quotable(" ".join(chance.sample(words[:5_000], 5_000)), Origin.EXTERNAL) for _ in range(3)]
    short = [Quotable(" ".join(chance.sample(words[:300], 22)), Origin.EXTERNAL) for _ in range(700)]
    long, sentences = " ".join(words[500:9_000]), ". ".join(" ".join(chance.sample(words[:300], 15)) for _ in range(40))

    assert milliseconds(lambda: Quotations(orders).in_text(long)) < 100
    assert milliseconds(lambda: Quotations(short).in_text(sentences)) < 200


def test_of_several_places_the_least_trusted_counts() -> None:
    brought = [Quotable(PAGE, Origin.IMPORTED_FILE), Quotable(f"{PAGE} Yes.", Origin.EXTERNAL)]
    assert least_trusted(Quotations(brought).in_text(f"{PAGE} Yes.")) is Origin.EXTERNAL
    assert least_trusted(()) is None
