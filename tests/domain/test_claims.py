"""Which files and symbols a text claims to be there, and which of its words claim nothing."""

import time

import pytest

from hansard.domain.claims import BESIDE_MAX, Claim, ClaimKind, claims_of, last_part
from hansard.domain.limits import CLAIM_CHARACTERS_MAX, CLAIMS_COUNT_MAX

TIMES_MAX = 50
"""What is not linear takes thousands of times as long."""
FLOOR_SECONDS = 0.01
"""A shorter time is mostly that of the clock."""


def paths(content: str, *citations: str) -> list[str]:
    return [one.name for one in claims_of(content, citations) if one.kind is ClaimKind.PATH]


def symbols(content: str, *citations: str) -> list[str]:
    return [one.name for one in claims_of(content, citations) if one.kind is ClaimKind.SYMBOL]


@pytest.mark.parametrize(
    ("citation", "path"),
    [
        ("src/x.py", "src/x.py"),
        ("src/x.py:12", "src/x.py"),
        ("src/x.py:12-20", "src/x.py"),
        ("src/x.py:12:5", "src/x.py"),
        ("src/x.py#L3-L9", "src/x.py"),
        ("./src/x.py", "src/x.py"),
        ("`src/x.py`", "src/x.py"),
        ("x.py:3", "x.py"),
        ("Makefile:3", "Makefile"),
        ("bin/run:12", "bin/run"),
        ("docs/guide.md#install", "docs/guide.md"),
        ("see src/x.py, line 3", "src/x.py"),
        ("../other/x.py", "../other/x.py"),
        ("/etc/app.conf", "/etc/app.conf"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("größe/maß.py", "größe/maß.py"),
    ],
)
def test_a_citation_of_a_file_claims_the_file_and_not_its_line(citation: str, path: str) -> None:
    assert claims_of("", [citation]) == (Claim(ClaimKind.PATH, path),)


@pytest.mark.parametrize(
    "citation",
    ["https://example.org/x.py", "memory://decisions/3", "D-12", "issue:12", "ana", "-x/y.py", "", " ", "./"],
)
def test_a_citation_of_anything_else_claims_nothing(citation: str) -> None:
    assert claims_of("", [citation]) == ()


def test_a_member_of_a_cited_file_is_claimed_beside_it() -> None:
    assert claims_of("", ["tests/x.py::TestA::test_b[1]"]) == (
        Claim(ClaimKind.PATH, "tests/x.py"),
        Claim(ClaimKind.SYMBOL, "TestA::test_b", ("tests/x.py",)),
    )


def test_a_symbol_carries_the_files_that_are_named_with_it_its_own_first() -> None:
    (symbol,) = (one for one in claims_of("`src/a.py`, then `src/b.py::do_it` and `do_it`.", ()) if one.beside)

    assert symbol == Claim(ClaimKind.SYMBOL, "do_it", ("src/b.py", "src/a.py"))
    many = claims_of("`do_it` " + " ".join(f"src/{number}.py" for number in range(20)), ())
    assert len(many[0].beside) == BESIDE_MAX


@pytest.mark.parametrize("ticked", ["scripts/run", "bin/deploy", "src/gone", "./bin/run", "and/or", "src/a-b/c"])
def test_a_path_without_an_ending_in_back_ticks_may_be_a_file(ticked: str) -> None:
    assert claims_of(f"Start `{ticked}` first.", ()) == (
        Claim(ClaimKind.PATH, ticked.removeprefix("./"), sure=False),
    )  # fmt: skip


@pytest.mark.parametrize("text", ["The `Widget` is shown.", "Use `Widget`, the class of old."])
def test_a_capitalised_word_in_back_ticks_may_be_a_class(text: str) -> None:
    assert claims_of(text, ()) == (Claim(ClaimKind.SYMBOL, "Widget", sure=False),)


@pytest.mark.parametrize("text", ["the class `Widget`", "a `Widget` component", "`Widget`, that is, the type `Widget`"])
def test_a_word_that_the_text_calls_a_class_is_claimed(text: str) -> None:
    assert claims_of(text, ()) == (Claim(ClaimKind.SYMBOL, "Widget"),)


@pytest.mark.parametrize("text", ["in src\\gone.py now", "in `src\\gone.py` now", "in src\\gone.py:12 now"])
def test_a_path_with_the_slashes_of_windows_is_claimed(text: str) -> None:
    assert claims_of(text, ()) == (Claim(ClaimKind.PATH, "src\\gone.py"),)


@pytest.mark.parametrize("text", ["call gone_fn() first", "(see Row.fetch_all())", "then gone_fn(). Done", "do_it()!"])
def test_a_call_in_prose_claims_its_name(text: str) -> None:
    (claim,) = claims_of(text, ())

    assert (claim.kind, claim.sure) == (ClaimKind.SYMBOL, True)


@pytest.mark.parametrize(
    "ticked",
    ["src/x.py", "settings.py", "package.json", "src/odd.name", "src/store/", "app/[id]/page.tsx", "app/(a)/b.tsx",
     "app/[...slug]/page.tsx", "Dockerfile", "yarn.lock", ".gitignore", "docs/0001.md"],
)  # fmt: skip
def test_a_path_in_back_ticks_is_claimed(ticked: str) -> None:
    assert claims_of(f"It is in `{ticked}` now.", ()) == (Claim(ClaimKind.PATH, ticked),)


@pytest.mark.parametrize(
    ("ticked", "name"),
    [
        ("keyboardShortcuts", "keyboardShortcuts"),
        ("Foo.bar", "Foo.bar"),
        ("A::b", "A::b"),
        ("do_it()", "do_it"),
        ("do_it(first, second)", "do_it"),
        ("run()", "run"),
        ("HTTPServer", "HTTPServer"),
        ("HANSARD_DB", "HANSARD_DB"),
        ("$cart_total", "$cart_total"),
        ("ptr->next_item", "ptr->next_item"),
        ("response.json", "response.json"),
        ("row.key", "row.key"),
        ("hansard.domain.claims", "hansard.domain.claims"),
    ],
)
def test_an_identifier_in_back_ticks_is_claimed(ticked: str, name: str) -> None:
    assert claims_of(f"Call `{ticked}` first.", ()) == (Claim(ClaimKind.SYMBOL, name),)


@pytest.mark.parametrize(
    "ticked",
    ["true", "README", "JSON", "git commit -m x", "--flag_x", "-w", "3.11", "v1.2.3", "42", "__", "_", "GitHub",
     "example.com", "e.g", "feature/login", "origin/main", "application/json", "docs/fix-typo", "text/html", "TCP/IP",
     "True", "Bearer", "v1/v2/3", "1/2", ".git/info", "python -m x notes.jsonl", "\\d+\\.py", "C:\\x.py", "\\alpha",
     "@types/node", "https://a.b/c_d",
     "src/*.py", "{a,b}.py", "<name>/x.py", "$(rm)", "a b", "...", ".md", "Node.js"],
)  # fmt: skip
def test_what_could_be_anything_in_back_ticks_claims_nothing(ticked: str) -> None:
    assert claims_of(f"Use `{ticked}` here.", ()) == ()


@pytest.mark.parametrize(
    ("prose", "path"),
    [
        ("It is in src/x.py.", "src/x.py"),
        ("(see src/x.py)", "src/x.py"),
        ("**src/x.py**", "src/x.py"),
        ("src/x.py: the entry", "src/x.py"),
        ("src/x.py:12, and on", "src/x.py"),
        ("[the file](src/x.py)", "src/x.py"),
        ("below src/store/ and on", "src/store/"),
        ("docker/Dockerfile builds it", "docker/Dockerfile"),
        ("see gone.py.", "gone.py"),
        ("(gone.py:12)", "gone.py"),
        ("change main.rs and on", "main.rs"),
        ("run `pytest tests/test_x.py -k a_b`", "tests/test_x.py"),
    ],
)
def test_a_word_like_a_path_is_claimed(prose: str, path: str) -> None:
    assert claims_of(prose, ()) == (Claim(ClaimKind.PATH, path),)


@pytest.mark.parametrize(
    "prose",
    ["and/or", "1/2", "2026/11/16", "16/11/26.", "v1.2/v1.3", "2.x/3.x", "e.g./i.e.", "React/Node.js", "he/she",
     "https://example.org/a/b.py", "memory://decisions/3.md", "github.com/a/b.go", "(https://a.org/x.py)", "~/x.py",
     "src/*.py", "a@b.org/c", "I/O", "client/server", "Node.js", "Vue.js,", "allegro.pl", "ana@mail.py", "row.key",
     ".md", "response.json", "3.11", "main()", "run().", "()", "example.com", "*.py", "e.g.", "bin/run", "Widget"],
)  # fmt: skip
def test_a_word_that_only_looks_a_little_like_a_name_claims_nothing(prose: str) -> None:
    assert claims_of(f"So {prose} it is", ()) == ()


def test_claims_come_once_and_in_order() -> None:
    text = "`do_it()` in `src/b.py`, again `do_it` and src/b.py, then src/a.py"

    assert [one.name for one in claims_of(text, ["src/c.py:1", "src/c.py:9"])] == [
        "src/c.py", "do_it", "src/b.py", "src/a.py",
    ]  # fmt: skip


def test_a_bare_name_in_fenced_code_claims_nothing_and_a_path_does() -> None:
    assert paths("```sh\nrun out.json src/a.py\n```\nthen b.py") == ["src/a.py", "b.py"]


def test_fenced_code_and_broken_ticks_do_no_harm() -> None:
    assert symbols("```\nfenced_name\n```\nthen `open_end") == []
    assert symbols("``double_tick`` and `single_tick`") == ["double_tick", "single_tick"]


def test_there_is_a_limit_to_the_claims_of_one_memory() -> None:
    text = " ".join(f"`name_{number}`" for number in range(CLAIMS_COUNT_MAX + 10))

    assert len(claims_of(text, ())) == CLAIMS_COUNT_MAX


def test_a_name_that_is_too_long_claims_nothing() -> None:
    long = "a_" * CLAIM_CHARACTERS_MAX

    assert claims_of(f"`{long}` src/{long}.py", [f"src/{long}.py"]) == ()


@pytest.mark.parametrize(
    ("symbol", "part"),
    [("a", "a"), ("A.b", "b"), ("A::~b", "b"), ("a->b", "b"), ("A#b", "b"), ("$a_b", "a_b"), ("a?.b", "b")],
)
def test_the_last_part_of_a_symbol_is_its_own_name(symbol: str, part: str) -> None:
    assert last_part(symbol) == part


@pytest.mark.parametrize(
    "hostile",
    ["a" * 1_000_000, "`" * 100_000, "`a" * 50_000, "a/" * 500_000, "a/b.py " * 150_000, "(" * 1_000_000,
     "./" * 500_000, "a.b." * 250_000, ("`" + "a." * 140 + "`") * 400, "a/b:" * 250_000, "-a" * 500_000,
     ("`" + "(" * 290 + "`") * 300, "[" * 500_000 + "/", "://" * 300_000],
)  # fmt: skip
def test_hostile_text_takes_no_longer_than_other_text(hostile: str) -> None:
    ordinary = "The login needs `src/login.py` and a word of `do_it()` behind it. "
    whole = ordinary * (len(hostile) // len(ordinary) + 1)

    assert processor_time(hostile) < TIMES_MAX * max(processor_time(whole), FLOOR_SECONDS)


def processor_time(text: str) -> float:
    """The least of a few: whatever else a machine does can only make it longer."""

    def once() -> float:
        start = time.process_time()
        claims_of(text, [text[:1_000]] * 50)
        return time.process_time() - start

    return min(once() for _ in range(3))


@pytest.mark.parametrize(
    "text",
    [
        "See docs/My File.md for it.", "Do not create utils.py here.", "It will write output.json at the end.",
        "new file: foo.py", "Look at the package.json of the other repo.", "We removed gone9.py in March.",
        "Use `print()` and `len()`.",
    ],
)  # fmt: skip
def test_what_need_not_be_there_is_never_sure(text: str) -> None:
    assert not [one for one in claims_of(text, ()) if one.sure]


def test_a_bare_file_that_is_spoken_of_as_there_is_sure() -> None:
    assert [one.name for one in claims_of("The queue lives in outbox.py.", ()) if one.sure] == ["outbox.py"]
