"""Bad input: each gets one clear sentence and its code, and nothing is changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import HansardError, Invalid, Unavailable
from hansard.project import Project
from support.engines import on_postgres
from support.raw import everything

Call = Callable[[Project], object]
NUL, SURROGATE, ESCAPE, BLANK = "a\x00b", "a\ud800b", "a\x1bb", " \n "
LIMITS: list[tuple[str, int, Callable[[Project, str], object]]] = [
    ("agent", 200, lambda p, v: p.propose(agent=v, slug="s", type="scope", content="c")),
    ("title", 500, lambda p, v: p.propose(agent="a", slug="s", type="scope", content="c", title=v)),
    ("content", 65_536, lambda p, v: p.propose(agent="a", slug="s", type="scope", content=v)),
    ("rationale", 16_384, lambda p, v: p.propose(agent="a", slug="s", type="scope", content="c", rationale=v)),
    ("tag", 64, lambda p, v: p.propose(agent="a", slug="s", type="scope", content="c", tags=[v])),
    ("reviewer", 200, lambda p, v: p.merge("P-1", by=v)),
    ("merge title", 500, lambda p, v: p.merge("P-1", by="ana", title=v)),
    ("merge content", 65_536, lambda p, v: p.merge("P-1", by="ana", content=v)),
    ("note", 4_096, lambda p, v: p.merge("P-1", by="ana", note=v)),
    ("reason", 4_096, lambda p, v: p.reject("P-1", by="ana", reason=v)),
    ("decision title", 500, lambda p, v: p.decide(type="scope", title=v, content="c")),
    ("decision content", 65_536, lambda p, v: p.decide(type="scope", title="t", content=v)),
    ("glob", 400, lambda p, v: p.decide(type="scope", title="t", content="c", applies_to=[v])),
    ("amended content", 65_536, lambda p, v: p.update_decision("D-1", content=v)),
    ("memory", 65_536, lambda p, v: p.remember(v, agent="a")),
    ("memory agent", 200, lambda p, v: p.remember("m", agent=v)),
    ("citation", 1_000, lambda p, v: p.remember("m", agent="a", citations=[v])),
    ("subject", 500, lambda p, v: p.remember("m", agent="a", subject=v)),
    ("focus", 2_000, lambda p, v: p.start_session(focus=v)),
    ("session id", 200, lambda p, v: p.start_session(focus="f", id=v)),
    ("issue", 400, lambda p, v: p.start_session(focus="f", issues=[v])),
    ("summary", 65_536, lambda p, v: p.start_session(focus="f", summary=v)),
    ("state", 262_144, lambda p, v: p.start_session(focus="f", state=v)),
    ("task", 16_384, lambda p, v: p.start_run(agent="a", task=v)),
    ("run reason", 4_096, lambda p, v: p.finish_run(p.list_runs().items[0].id, outcome="failed", reason=v)),
]
REQUIRED = {
    "agent", "content", "decision title", "decision content", "amended content", "memory", "memory agent", "focus",
    "session id", "reviewer", "merge title", "merge content",
}  # fmt: skip
FIELDS = pytest.mark.parametrize(("field", "limit", "call"), LIMITS, ids=[name for name, _, _ in LIMITS])


@pytest.fixture
def filled(project: Project) -> Project:
    project.propose(agent="tank", slug="first", type="learning", content="c")
    project.decide(type="scope", title="t", content="c")
    project.start_session(focus="open", id="open")
    project.start_run(agent="a")
    return project


def assert_refused(project: Project, target: str, call: Call, *codes: str) -> None:
    before = everything(target)
    with pytest.raises(HansardError) as caught:
        call(project)
    assert caught.value.code in codes
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message
    assert everything(target) == before


@FIELDS
@pytest.mark.parametrize("value", [NUL, SURROGATE, ESCAPE, "a\x85b"], ids=["nul", "surrogate", "escape", "nel"])
def test_what_is_no_text_is_refused(
    filled: Project, target: str, field: str, limit: int, call: Callable[[Project, str], object], value: str
) -> None:
    assert_refused(filled, target, lambda project: call(project, value), "input.invalid")


@FIELDS
def test_what_is_too_long_is_refused(
    filled: Project, target: str, field: str, limit: int, call: Callable[[Project, str], object]
) -> None:
    assert_refused(filled, target, lambda project: call(project, "x" * (limit + 1)), "input.too_large")
    assert_refused(filled, target, lambda project: call(project, "é" * (limit // 2 + 1)), "input.too_large")


@FIELDS
def test_what_is_just_short_enough_is_taken(
    filled: Project, target: str, field: str, limit: int, call: Callable[[Project, str], object]
) -> None:
    call(filled, "x" * limit)
    assert filled.verify().ok


@pytest.mark.parametrize(
    ("field", "call"), [(name, call) for name, _, call in LIMITS if name in REQUIRED], ids=lambda one: str(one)[:20]
)
def test_what_is_empty_is_refused(
    filled: Project, target: str, field: str, call: Callable[[Project, str], object]
) -> None:
    for value in ("", BLANK):
        assert_refused(filled, target, lambda project, value=value: call(project, value), "input.invalid")  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("type", lambda p: p.propose(agent="a", slug="s", type="rule", content="c")),
        ("importance", lambda p: p.propose(agent="a", slug="s", type="scope", content="c", importance="urgent")),
        ("decision type", lambda p: p.decide(type="core_context", title="t", content="c")),
        ("memory type", lambda p: p.remember("m", agent="a", type="scope")),
        ("memory importance", lambda p: p.remember("m", agent="a", importance="")),
        ("scope", lambda p: p.remember("m", agent="a", scope="world")),
        ("source", lambda p: p.remember("m", agent="a", source="dream")),
        ("kind", lambda p: p.remember("m", agent="a", kind="rumour")),
        ("inbox status", lambda p: p.list_inbox(status="open")),
        ("decision status", lambda p: p.list_decisions(status="rejected")),
        ("outcome", lambda p: p.finish_run(p.list_runs().items[0].id, outcome="won")),
        ("role", lambda _: Actor("a", role="admin")),
    ],
)
def test_a_word_outside_its_vocabulary_is_refused(filled: Project, target: str, name: str, call: Call) -> None:
    assert_refused(filled, target, call, "input.unknown_value")


@pytest.mark.parametrize("slug", ["", " ", "---", "日本", NUL, SURROGATE, "a\nb", "x" * 201, "x" * 9_999], ids=range(9))
def test_a_slug_that_cannot_be_one_is_refused(filled: Project, target: str, slug: str) -> None:
    assert_refused(
        filled,
        target,
        lambda project: project.propose(agent="a", slug=slug, type="scope", content="c"),
        "input.invalid", "inbox.bad_slug", "input.too_large",
    )  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.list_inbox(limit=0),
        lambda p: p.list_inbox(limit=1_001),
        lambda p: p.list_inbox(agent=SURROGATE),
        lambda p: p.list_inbox(agent=NUL),
        lambda p: p.list_inbox(text=SURROGATE),
        lambda p: p.list_inbox(text="x" * 1_001),
        lambda p: p.list_decisions(agent=SURROGATE),
        lambda p: p.list_memories(agent=SURROGATE),
        lambda p: p.list_memories(tags=[SURROGATE]),
        lambda p: p.list_memories(tags=[NUL]),
        lambda p: p.list_runs(agent=SURROGATE),
        lambda p: p.list_events(subject_id=SURROGATE),
        lambda p: p.compile(agent=SURROGATE),
        lambda p: p.compile(agent=""),
        lambda p: p.remember("m", agent="a", position=-1),
        lambda p: p.remember("m", agent="a", position=2**60),
        lambda p: p.remember("m", agent="a", position=True),
        lambda p: p.remember("m", agent="a", colour="red"),
        lambda p: p.remember("m", agent=5),
        lambda p: p.remember(5, agent="a"),
        lambda p: p.remember("m"),
        lambda p: p.remember("m", agent="a", tags=[5]),
    ],
)
def test_a_bad_argument_is_refused(filled: Project, target: str, call: Call) -> None:
    assert_refused(filled, target, call, "input.invalid", "input.too_large")


NUMBERED: dict[str, Callable[[Project, object], object]] = {
    "get_event": lambda p, v: p.get_event(v),  # type: ignore[arg-type]
    "follow": lambda p, v: next(p.follow(since=v)),  # type: ignore[arg-type]
    "follow for": lambda p, v: next(p.follow(since=0, idle_seconds=v)),  # type: ignore[arg-type]
    "list_decisions": lambda p, v: p.list_decisions(as_of=v),  # type: ignore[arg-type]
    "compile": lambda p, v: p.compile(agent="tank", as_of=v),  # type: ignore[arg-type]
    "list_inbox": lambda p, v: p.list_inbox(limit=v),  # type: ignore[arg-type]
    "recall": lambda p, v: p.recall("c", agent="tank", limit=v),  # type: ignore[arg-type]
    "memory_usage": lambda p, v: p.memory_usage(days=v),  # type: ignore[arg-type]
    "retrievals": lambda p, v: p.retrievals(days=v),  # type: ignore[arg-type]
    "purge_receipts": lambda p, v: p.purge_receipts(days=v),  # type: ignore[arg-type]
    "compact to": lambda p, v: p.compact("words", tokens_target=v),  # type: ignore[arg-type]
    "compact by": lambda p, v: p.compact("words", level_max=v),  # type: ignore[arg-type]
    "position": lambda p, v: p.remember("m", agent="a", position=v),
    "occurred_at": lambda p, v: p.remember("m", agent="a", occurred_at=v),
    "merge": lambda p, v: p.merge("P-1", by="ana", expected_version=v),  # type: ignore[arg-type]
    "merge of a version": lambda p, v: p.merge("P-1@1", by="ana", expected_version=v),  # type: ignore[arg-type]
    "reject": lambda p, v: p.reject("P-1", by="ana", expected_version=v),  # type: ignore[arg-type]
    "archive": lambda p, v: p.archive("D-1", by="ana", expected_version=v),  # type: ignore[arg-type]
    "update_session": lambda p, v: p.update_session("s", expected_version=v),  # type: ignore[arg-type]
}
"""Every kind of argument that is a number or a time."""


@pytest.mark.parametrize("name", NUMBERED)
def test_true_and_false_are_no_numbers_and_no_times(filled: Project, target: str, name: str) -> None:
    for value in (True, False):
        assert_refused(filled, target, lambda project, value=value: NUMBERED[name](project, value), "input.invalid")  # type: ignore[misc]


@pytest.mark.parametrize("value", [2.5, "many", b"1", 2**70, -(2**70), [1]], ids=repr)
def test_what_is_no_number_is_never_told_as_damage(filled: Project, target: str, value: object) -> None:
    for call in NUMBERED.values():
        try:
            call(filled, value)
        except HansardError as error:
            assert not isinstance(error, Unavailable), error.message  # noqa: PT017


@on_postgres
@pytest.mark.parametrize("value", [True, object(), {1}], ids=["truth", "object", "set"])
def test_a_value_of_a_kind_that_no_column_has_is_told_as_bad_input(
    hansard: Hansard, project: Project, value: object
) -> None:
    with pytest.raises(Invalid, match="kind"), hansard.store.read(project.id) as tx:
        tx.ledger.get(value)  # type: ignore[arg-type]
    assert project.verify().ok


@pytest.mark.parametrize(
    "call",
    [
        lambda p, c: p.list_inbox(cursor=c),
        lambda p, c: p.list_decisions(cursor=c),
        lambda p, c: p.list_memories(cursor=c),
        lambda p, c: p.list_sessions(cursor=c),
        lambda p, c: p.list_runs(cursor=c),
        lambda p, c: p.list_events(cursor=c),
        lambda p, c: p.list_receipts(cursor=c),
        lambda p, c: p.list_quarantined(cursor=c),
        lambda p, c: p.retrievals(cursor=c),
    ],
    ids=["inbox", "decisions", "memories", "sessions", "runs", "events", "receipts", "quarantine", "retrievals"],
)
@pytest.mark.parametrize(
    "cursor",
    ["nonsense", SURROGATE, "\0", NUL, "0' OR 1=1", "x" * 10_000],
    ids=["word", "surrogate", "only nul", "nul", "quote", "long"],
)
def test_a_cursor_that_was_never_given_out_is_refused(
    filled: Project, target: str, call: Callable[[Project, str], object], cursor: str
) -> None:
    assert_refused(filled, target, lambda project: call(project, cursor), "input.invalid")
    with pytest.raises(Invalid, match="was not given out by a list call"):
        call(filled, cursor)


@pytest.mark.parametrize("agent", [["tank"], {"a": 1}, None, 5], ids=repr)
def test_an_agent_that_is_no_text_is_refused(filled: Project, target: str, agent: object) -> None:
    def propose(project: Project) -> object:
        return project.propose(agent=agent, slug="s", type="scope", content="c")  # type: ignore[arg-type]

    assert_refused(filled, target, propose, "input.invalid")


@pytest.mark.parametrize("field", ["title", "content", "rationale", "note"])
@pytest.mark.parametrize("value", [5, True, ("t",), {"t"}, {"a": 1}, b"t"], ids=repr)
def test_a_reviewer_edits_with_text_or_not_at_all(filled: Project, target: str, field: str, value: object) -> None:
    def merge(project: Project) -> object:
        return project.merge("P-1", by="ana", **{field: value})  # type: ignore[arg-type]

    assert_refused(filled, target, merge, "input.invalid")
    with pytest.raises(Invalid, match=f"^{field} must be text, not {type(value).__name__}.$"):
        merge(filled)


def test_a_reviewer_who_gives_an_empty_rationale_takes_the_authors_away(project: Project) -> None:
    entry = project.propose(agent="tank", slug="r", type="scope", content="c", rationale="because")
    assert project.merge(entry.id, by="ana", rationale=" ").rationale is None


def test_a_caller_who_names_no_agent_is_told_how(hansard: Hansard, project: Project) -> None:
    with pytest.raises(Invalid, match="HANSARD_AGENT"):
        project.compile()


@pytest.mark.parametrize("name", [None, 5, True, 1.5, b"x", [], {}, ["context.items_max"]])
def test_the_name_of_a_setting_that_is_no_text_is_refused(hansard: Hansard, tmp_path: Path, name: object) -> None:
    project = hansard.project("shop", create=True, root=tmp_path)
    calls: list[Call] = [
        lambda one: one.set_setting(name, "x"),  # type: ignore[arg-type]
        lambda one: one.get_setting(name),  # type: ignore[arg-type]
        lambda one: one.unset_setting(name),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(Invalid) as refusal:
            call(project)
        assert refusal.value.code == "input.invalid"
