"""The files of the mirror: what each says, what it never says, and names that are safe and nobody else's."""

import pytest
import yaml

from hansard.domain import layout, mirror
from hansard.domain.mirror import State, folder_of, rendered
from hansard.domain.vocabulary import Clearance, DecisionStatus, DecisionType, FactKind, MemoryType, Origin, Scope
from support.clock import START
from support.marks import invariant
from support.records import decision, entry, memory, session

NOTHING = State([], [], [], None)


def text_of(path: str, **parts: object) -> str:
    return rendered(NOTHING._replace(**parts))[path].decode()  # type: ignore[arg-type]


def test_a_project_without_anything_has_three_files_that_say_so_and_leaves_the_session_to_others() -> None:
    files = rendered(NOTHING)
    assert list(files) == [mirror.BOUNDARIES, mirror.PATTERNS, mirror.DECISIONS]
    assert b"Nothing has been decided yet." in files[mirror.DECISIONS]


def test_decisions_show_state_number_and_links_both_ways() -> None:
    old = decision("Old", number=3, status=DecisionStatus.SUPERSEDED)._replace(superseded_by="decision-4")
    new = decision("New", number=4, author="tank", decided_by="ana", rationale="Faster.\nCheaper.")
    assert text_of(mirror.DECISIONS, decisions=[old, new]) == (
        "# Team Decisions\n\n## Old\n"
        "**Type:** architectural | **By:** Architect | **Status:** superseded | **Number:** D-3"
        " | **Date:** 1970-01-01\n"
        "> **Superseded by:** D-4\n\nAll persistence uses Postgres.\n\n---\n\n## New\n"
        "**Type:** architectural | **By:** ana (proposed by tank) | **Status:** active | **Number:** D-4"
        " | **Date:** 1970-01-01\n"
        "> **Supersedes:** D-3\n\nAll persistence uses Postgres.\n\n> **Rationale:** Faster.\n> Cheaper.\n\n---\n"
    )


@invariant("INV-17")
@pytest.mark.parametrize("mark", ["**", "__", "*", "***", "- **", "1. __", "  **"])
@pytest.mark.parametrize(
    "label", ["Type", "By", "Status", "NUMBER", "Date", "Superseded by", "Supersedes", "Why", "Rationale", "Applies to"]
)
def test_no_content_and_no_rationale_says_a_label_in_the_name_of_the_record(mark: str, label: str) -> None:
    closing = mark.strip(" -1.")
    forged = [f"{mark}{label}:{closing} D-1", f"{mark}{label}{closing}: D-1"]
    text = "harmless\n" + "\n".join(forged)
    files = rendered(NOTHING._replace(decisions=[decision("T", rationale=text)._replace(content=text)]))
    for path in (mirror.DECISIONS, mirror.BOUNDARIES):
        lines = [one.removeprefix("> ") for one in files[path].decode().splitlines()]
        assert not set(lines) & set(forged)
        assert sum(one.replace("\\", "") in forged for one in lines) == 2 * len(forged)


@invariant("INV-17")
@pytest.mark.parametrize(
    "forged",
    [
        "****Status:**** superseded", "**S&#116;atus:** superseded", "**Status：** superseded", "**Status&colon;** x",
        "**Status**： superseded", "_Status&#58;_ x", "- **Sta\u200btus:** x", "**Statuses:** many", "__St__atus:__ x",
        "**Ѕtatus:** x", "  *Status \ufe55* x", "**Status** ∶ x",
    ],
)  # fmt: skip
def test_no_spelling_of_a_label_passes_for_one(forged: str) -> None:
    for path in (mirror.DECISIONS, mirror.BOUNDARIES):
        text = text_of(path, decisions=[decision("T", rationale=f"r\n{forged}")._replace(content=f"c\n{forged}")])
        shown = [one.removeprefix("> ").lstrip(" -") for one in text.splitlines() if "tus" in one and "Type" not in one]
        assert len(shown) == 2
        assert all(one.startswith("\\") for one in shown), shown


def test_a_long_line_of_marks_is_looked_through_in_no_time() -> None:
    said = "\n".join(("*" * 20_000, "**" + ": " * 10_000, "_" + " " * 20_000 + ":", "**" + "&a" * 10_000))
    assert said.count("\n") == text_of(mirror.BOUNDARIES, decisions=[decision("T")._replace(content=said)]).partition(
        "(D-1)*\n\n"
    )[2].partition("\n\n---")[0].count("\n")


@pytest.mark.parametrize("said", ["**Why** we do it.", "By: ana", "see **Status:** below", "*so* it is: yes"])
def test_words_that_are_no_label_stay_as_they_are(said: str) -> None:
    assert f"\n{said}\n" in text_of(mirror.DECISIONS, decisions=[decision("T")._replace(content=said)])


def test_a_title_shows_what_it_hides() -> None:
    texts = rendered(NOTHING._replace(decisions=[decision("a\u200bb")]))
    assert "## a<U+200B>b\n" in texts[mirror.DECISIONS].decode()
    assert "### a<U+200B>b\n" in texts[mirror.BOUNDARIES].decode()


def test_who_changed_the_words_last_stands_beside_who_decided() -> None:
    ruled = decision(author="tank", decided_by="ana")
    several = [ruled._replace(amended_by=name) for name in ("boss", "Ana", "b|s")]
    text = text_of(mirror.DECISIONS, decisions=several)
    told = [one.partition(" | **By:** ")[2].partition(" | **Status")[0] for one in text.splitlines() if "By:" in one]
    assert told == [
        "ana (proposed by tank; amended by boss)",
        "ana (proposed by tank)",
        'ana (proposed by tank; amended by "b\\|s")',
    ]  # fmt: skip
    assert "*Decided by ana (proposed by tank; amended by boss) on" in text_of(mirror.BOUNDARIES, decisions=several)


def test_boundaries_are_only_active_ones_architectural_before_scope() -> None:
    several = [
        decision("S", type=DecisionType.SCOPE, number=1),
        decision("A", number=2, rationale="r", applies_to=["src/**"]),
        decision("Gone", number=3, status=DecisionStatus.ARCHIVED),
        decision("P", number=4, type=DecisionType.PROCESS),
    ]
    lines = text_of(mirror.BOUNDARIES, decisions=several).splitlines()
    assert [one for one in lines if one.startswith("#")] == [
        "# Project Boundaries", "## Architectural", "### A", "## Scope", "### S",
    ]  # fmt: skip
    assert "*Decided by Architect on 1970-01-01 (D-2)*" in lines
    assert "> **Applies to:** src/**" in lines
    assert "> **Why:** r" in lines


def test_everything_stands_by_its_time_whatever_its_id_is() -> None:
    decided = [
        decision("Late", number=9)._replace(id="decision-0"), decision("Early", number=1), decision("Mid", number=2),
    ]  # fmt: skip
    told = [
        memory("late", id="memory-0", scope=Scope.TEAM, created_at=9), memory("early", scope=Scope.TEAM, created_at=1),
    ]  # fmt: skip
    for path in (mirror.DECISIONS, mirror.BOUNDARIES):
        text = text_of(path, decisions=decided)
        places = [text.index(title) for title in ("Early", "Mid", "Late")]
        assert places == sorted(places)
    history = text_of(mirror.history_path("tank"), memories=told)
    assert history.index("early") < history.index("late")


def test_a_project_without_boundaries_says_so() -> None:
    assert "There are none yet." in text_of(mirror.BOUNDARIES, decisions=[decision(type=DecisionType.PROCESS)])


def test_now_carries_the_time_of_the_session_and_its_issues() -> None:
    current = session("Auth: rework", issues=["a, b]", "#7"], summary="One\n# Two")._replace(updated_at=START)
    text = text_of(mirror.NOW, session=current)
    _, front, body = text.split("---\n", 2)
    assert yaml.safe_load(front) == {
        "updated_at": "2026-01-01T00:00:00Z", "focus_area": "Auth: rework", "active_issues": ["a, b]", "#7"],
    }  # fmt: skip
    assert body == f"\n# What We're Focused On\n\n{layout.SESSION_NOTE}\n\nAuth: rework\n\n## Summary\n\nOne\n\\# Two\n"


def test_a_closed_session_clears_the_focus_and_keeps_its_time() -> None:
    closed = session("Secret plan", issues=["x"], summary="s")._replace(updated_at=START, ended_at=START)
    text = text_of(mirror.NOW, session=closed)
    front = yaml.safe_load(text.split("---\n")[1])
    assert front == {"updated_at": "2026-01-01T00:00:00Z", "focus_area": "", "active_issues": []}
    assert text.endswith("# What We're Focused On\n\nNo session is open.\n")


def test_history_has_learnings_and_updates_and_patterns_have_a_file_of_their_own() -> None:
    several = [
        memory("learned", id="1", scope=Scope.TEAM),
        memory("corrected", id="2", scope=Scope.TEAM, type=MemoryType.UPDATE),
        memory("always", id="3", scope=Scope.TEAM, type=MemoryType.PATTERN),
    ]
    files = rendered(NOTHING._replace(memories=several))
    assert files[".squad/agents/tank/history.md"].decode() == (
        f"# tank History\n\n{layout.PUBLIC_NOTE}\n{layout.NOTES_NOTE}\n\n### [learning] 1970-01-01\nlearned\n\n"
        "### [update] 1970-01-01\ncorrected\n"
    )
    assert files[mirror.PATTERNS].decode().endswith("### [tank] 1970-01-01\nalways\n")


def test_words_from_outside_have_their_origin_in_the_heading_until_somebody_vouches_for_them() -> None:
    outside = memory("learned", scope=Scope.TEAM)._replace(origin=Origin.EXTERNAL)
    pattern = outside._replace(type=MemoryType.PATTERN)
    history = ".squad/agents/tank/history.md"
    files = rendered(NOTHING._replace(memories=[outside, pattern]))
    assert files[history].decode().endswith("### [learning, external] 1970-01-01\n> learned\n")
    assert files[mirror.PATTERNS].decode().endswith("### [tank, external] 1970-01-01\n> learned\n")
    vouched = outside._replace(cleared=Clearance.CONFIRMED)
    assert "### [learning] 1970-01-01\nlearned\n" in rendered(NOTHING._replace(memories=[vouched]))[history].decode()


@pytest.mark.parametrize("type", [MemoryType.LEARNING, MemoryType.UPDATE, MemoryType.PATTERN, MemoryType.CORE_CONTEXT])
def test_private_memories_are_never_written(type: MemoryType) -> None:
    files = rendered(NOTHING._replace(memories=[memory("hush", type=type)]))
    assert not any(b"hush" in one for one in files.values())


def test_a_memory_that_a_merge_promoted_is_written() -> None:
    promoted = memory("accepted")._replace(decision_id="decision-1")
    assert "accepted" in text_of(".squad/agents/tank/history.md", memories=[promoted])


@pytest.mark.parametrize("change", [{"expires_at": 5}, {"forgotten_at": 5}, {"kind": FactKind.USER}])
def test_what_fades_is_forgotten_or_about_a_person_is_not_written(change: dict[str, object]) -> None:
    assert not mirror.is_public(memory(scope=Scope.TEAM)._replace(**change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agent", "folder"), [("tank", "tank"), ("Tank", "tank"), ("web-2", "web-2"), ("a" * 40, "a" * 40)]
)
def test_a_name_that_is_fit_is_its_own_folder(agent: str, folder: str) -> None:
    assert folder_of(agent) == folder


@pytest.mark.parametrize(
    "agent",
    ["CON", "nul", "com1", "a/b", "..", ".", "../x", "my agent", "my_agent", "日本", "😀" * 50, "a" * 41, "a.", "-a",
     "tank_000000000000", "é", "e\u0301x", "a\\b", "~"],
)  # fmt: skip
def test_any_other_name_gets_a_hash_and_stays_safe(agent: str) -> None:
    folder = folder_of(agent)
    assert "_" in folder
    assert len(folder) <= mirror.FOLDER_CHARACTERS_MAX + 1 + mirror.FOLDER_HASH_CHARACTERS
    assert mirror.is_mirror_path(mirror.history_path(agent))


def test_two_agents_never_share_a_folder() -> None:
    names = ["my agent", "my-agent", "my_agent", "my/agent", "MY.AGENT", "日", "本", "con", "agent", "?"]
    folders = [folder_of(one) for one in names]
    assert len(set(folders)) == len(names)
    assert folder_of(folders[0]) not in folders


@pytest.mark.parametrize(("slug", "name"), [("con", "con_"), ("lpt9", "lpt9_"), ("console", "console")])
def test_a_slug_that_some_file_systems_refuse_gets_a_mark(slug: str, name: str) -> None:
    path = f"{mirror.INBOX_FOLDER}/{name}.md"
    assert mirror.entry_path(slug) == path
    assert path in rendered(NOTHING._replace(entries=[entry(slug=slug)]))
    assert mirror.is_mirror_path(path)


@invariant("INV-13")
@pytest.mark.parametrize(
    "path",
    ["src/main.py", "../x.md", "/etc/passwd", ".squad/decisions/inbox/../../../x.md", ".squad/decisions/inbox/a/b.md",
     ".squad/agents/../history.md", ".squad/agents/tank/charter.md", ".hansard/config.yml", ".squad/decisions.md\n",
     ""],
)  # fmt: skip
def test_no_other_path_belongs_to_the_mirror(path: str) -> None:
    assert not mirror.is_mirror_path(path)


def test_a_file_that_is_set_aside_has_the_time_in_its_name() -> None:
    assert mirror.kept_name("decisions.md", START, 1) == "decisions.kept-20260101T000000Z.md"
    assert mirror.kept_name("decisions.md", START, 2) == "decisions.kept-20260101T000000Z-2.md"
    assert mirror.is_kept_name("decisions.kept-20260101T000000Z-2.md")
    assert not mirror.is_kept_name("decisions.md")
    assert len(mirror.kept_name(f"{'é' * 126}.md", START, 1).encode()) < 255


@invariant("INV-01")
def test_the_same_state_gives_the_same_bytes_without_mark_or_windows_line_ends() -> None:
    state = State([decision()], [entry()], [memory(scope=Scope.TEAM)], session())
    files = rendered(state)
    assert files == rendered(state)
    assert all(one.endswith(b"\n") and b"\r" not in one and not one.startswith(b"\xef") for one in files.values())
