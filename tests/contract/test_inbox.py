"""The inbox: slugs, retries, collisions, versions and lists."""

import pytest

from hansard.domain.errors import AlreadyReviewed, BadSlug, UnknownEntry, UnknownValue
from hansard.domain.inbox import Entry
from hansard.domain.vocabulary import EntryStatus, Importance
from hansard.project import Project
from support.clock import FakeClock
from support.marks import invariant


def submit(project: Project, agent: str, slug: str = "use-postgres", content: str = "Use it.") -> Entry:
    return project.propose(agent=agent, slug=slug, type="architectural", content=content)


def test_a_proposal_is_echoed_with_everything_it_said(project: Project) -> None:
    run = project.start_run(agent="smith")
    entry = project.propose(
        agent="smith", slug="arch-record", type="architectural", title="Record", content="c", rationale="r",
        importance="low", tags=["db", "DB", "x"], run_id=run.id,
    )  # fmt: skip
    assert entry.slug == entry.requested_slug == "arch-record"
    assert (entry.title, entry.content, entry.rationale) == ("Record", "c", "r")
    assert (entry.status, entry.importance, entry.tags) == (EntryStatus.PENDING, Importance.LOW, ("db", "x"))
    assert (entry.author, entry.run_id, entry.number, entry.version) == ("smith", run.id, 1, 1)
    assert project.get_entry(entry.id) == project.get_entry("P-1") == project.get_entry("arch-record") == entry


def test_a_missing_title_is_the_effective_slug(project: Project) -> None:
    assert submit(project, "alpha").title == "use-postgres"
    assert submit(project, "beta").title == "use-postgres--beta"


def test_a_slug_is_normalised_and_the_effective_one_returned(project: Project) -> None:
    first = submit(project, "alpha", "Use Postgres!")
    assert first.slug == "use-postgres"
    assert submit(project, "alpha", "use_postgres").id == first.id


@invariant("INV-02")
@invariant("INV-03")
@invariant("INV-04")
def test_the_worked_sequence_of_retries_and_collisions(project: Project) -> None:
    first = submit(project, "alpha", content="v1")
    assert first.slug == "use-postgres"
    retried = submit(project, "alpha", content="v2")
    assert (retried.id, retried.content, retried.created_at) == (first.id, "v2", first.created_at)
    third = submit(project, "beta")
    assert (third.slug, third.requested_slug) == ("use-postgres--beta", "use-postgres")
    fourth = submit(project, "beta", content="again")
    assert (fourth.id, fourth.slug, fourth.content) == (third.id, "use-postgres--beta", "again")
    fifth = submit(project, "beta", "use-postgres--beta", content="by its own slug")
    assert (fifth.id, fifth.content) == (third.id, "by its own slug")
    sixth = submit(project, "Beta", content="shouted")
    assert (sixth.id, sixth.author) == (third.id, "beta")
    project.merge(first.id, by="ana")
    with pytest.raises(AlreadyReviewed):
        submit(project, "alpha")
    eighth = submit(project, "gamma")
    assert eighth.slug == "use-postgres--gamma"
    project.reject(eighth.id, by="ana", reason="no")
    for slug in ("use-postgres--gamma", "use-postgres", "USE postgres"):
        with pytest.raises(AlreadyReviewed):
            submit(project, "gamma", slug)
    assert [one.slug for one in project.list_inbox(status="all").items] == [
        "use-postgres--gamma", "use-postgres--beta", "use-postgres",
    ]  # fmt: skip


@invariant("INV-04")
def test_authors_with_one_segment_count_up(project: Project) -> None:
    assert [submit(project, name).slug for name in ("alpha", "my agent", "my-agent", "My.Agent")] == [
        "use-postgres", "use-postgres--my-agent", "use-postgres--my-agent--2", "use-postgres--my-agent--3",
    ]  # fmt: skip
    assert submit(project, "my-agent", content="mine").slug == "use-postgres--my-agent--2"


@invariant("INV-04")
def test_authors_without_ascii_letters_get_slugs_of_their_own(project: Project) -> None:
    submit(project, "alpha")
    japanese, chinese = submit(project, "日本"), submit(project, "中国")
    assert japanese.slug != chinese.slug
    assert japanese.slug.startswith("use-postgres--")
    assert not japanese.slug.endswith("-")
    assert submit(project, "日本", content="again").id == japanese.id
    assert project.get_entry(japanese.slug).author == "日本"


def test_an_exact_effective_slug_of_ones_own_beats_one_that_merely_normalises_to_it(project: Project) -> None:
    submit(project, "alpha", "use-postgres")
    collided = submit(project, "beta", "use-postgres")
    plain = submit(project, "beta", "use-postgres-beta")
    assert (collided.slug, plain.slug) == ("use-postgres--beta", "use-postgres-beta")
    assert submit(project, "beta", "use-postgres--beta", content="which?").id == collided.id


def test_anothers_effective_slug_is_not_mine_to_update(project: Project) -> None:
    submit(project, "alpha")
    theirs = submit(project, "beta")
    mine = submit(project, "gamma", "use-postgres--beta")
    assert mine.id != theirs.id
    assert project.get_entry(theirs.id) == theirs


@invariant("INV-05")
@pytest.mark.parametrize("verdict", ["merge", "reject"])
@pytest.mark.parametrize("author", ["alpha", "beta"])
def test_a_reviewed_entry_is_never_reopened(project: Project, verdict: str, author: str) -> None:
    submit(project, "alpha")
    entry = project.get_entry(submit(project, author).id)
    reviewed = project.merge(entry.id, by="ana") if verdict == "merge" else project.reject(entry.id, by="ana")
    before = project.get_entry(entry.id)
    for slug in ("use-postgres", entry.slug):
        with pytest.raises(AlreadyReviewed) as caught:
            submit(project, author.upper(), slug)
        assert caught.value.code == "inbox.already_reviewed"
    for again in (project.merge, project.reject):
        with pytest.raises(AlreadyReviewed):
            again(entry.id, by="ana")
    assert project.get_entry(entry.id) == before
    assert reviewed.id in (before.id, before.decision_id)


def test_earlier_versions_stay_readable(project: Project, clock: FakeClock) -> None:
    for content in ("v1", "v2", "v3"):
        clock.advance(seconds=1)
        submit(project, "alpha", content=content)
    current, revisions = project.entry_versions("use-postgres")
    assert (current.version, current.content) == (3, "v3")
    assert [(one.version, one.body["content"], one.changed_by) for one in revisions] == [
        (1, "v1", "alpha"),
        (2, "v2", "alpha"),
    ]
    assert revisions[0].valid_until == revisions[1].valid_from


def test_a_retry_that_says_the_same_changes_nothing(project: Project) -> None:
    first = submit(project, "alpha")
    events = project.verify().events
    assert submit(project, "alpha") == first
    assert project.verify().events == events


def test_an_update_replaces_and_clears_what_it_does_not_repeat(project: Project) -> None:
    project.propose(
        agent="a", slug="s", type="scope", content="c", title="T", rationale="r", importance="high", tags="x"
    )
    entry = project.propose(agent="a", slug="s", type="process", content="d")
    assert (entry.type, entry.title, entry.rationale, entry.importance, entry.tags) == ("process", "s", None, None, ())


def test_lists_show_pending_entries_unless_asked_otherwise(project: Project) -> None:
    merged, rejected, pending = (submit(project, "a", slug) for slug in ("one", "two", "three"))
    project.merge(merged.id, by="ana")
    project.reject(rejected.id, by="ana")
    assert [one.id for one in project.list_inbox().items] == [pending.id]
    assert [one.id for one in project.list_inbox(status="merged").items] == [merged.id]
    assert [one.id for one in project.list_inbox(status="Rejected").items] == [rejected.id]
    assert len(project.list_inbox(status="all").items) == 3
    for status in ("open", ""):
        with pytest.raises(UnknownValue):
            project.list_inbox(status=status)


def test_lists_filter_by_type_agent_and_text_together(project: Project) -> None:
    project.propose(agent="Tank", slug="one", type="process", content="Retry 100% of_it")
    project.propose(agent="tank", slug="two", type="scope", content="nothing", title="ÜBER retry")
    project.propose(agent="neo", slug="three", type="scope", content="x")
    found = project.list_inbox
    assert [one.slug for one in found(agent=" TANK ").items] == ["two", "one"]
    assert [one.slug for one in found(type="scope").items] == ["three", "two"]
    assert [one.slug for one in found(type="scope", agent="tank").items] == ["two"]
    assert [one.slug for one in found(text="retry").items] == ["two", "one"]
    assert [one.slug for one in found(text="über").items] == ["two"]
    assert [one.slug for one in found(text="100%").items] == ["one"]
    assert [one.slug for one in found(text="_it").items] == ["one"]
    assert found(text="%").items == found(text="100%").items
    assert [one.slug for one in found(text="three").items] == ["three"]
    assert found(agent="nobody").items == ()


def test_lists_are_newest_first_and_paged_without_gaps_or_repeats(project: Project) -> None:
    made = [submit(project, "a", f"slug-{number}").id for number in range(7)]
    seen: list[str] = []
    cursor: str | None = None
    for size in (3, 3, 1):
        page = project.list_inbox(limit=3, cursor=cursor)
        assert len(page.items) == size
        seen += [one.id for one in page.items]
        cursor = page.next_cursor
    assert cursor is None
    assert seen == made[::-1]


@pytest.mark.parametrize(
    "reference", ["P-99", "99", "nothing-here", "", " ", "P-", "\x00", "é", "a" * 5_000, "%"], ids=range(10)
)
def test_an_unknown_entry_is_not_found(project: Project, reference: str) -> None:
    for call in (project.get_entry, project.merge, project.reject, project.entry_versions):
        with pytest.raises(UnknownEntry):
            call(reference)


@pytest.mark.parametrize("slug", ["1", "p-1", "P1", "d-12", "007"])
def test_a_slug_that_looks_like_a_number_is_refused_so_that_none_is_merged_for_another(
    project: Project, slug: str
) -> None:
    first = submit(project, "a", "good")
    with pytest.raises(BadSlug):
        submit(project, "b", slug)
    assert project.get_entry("1").id == project.get_entry("P-1").id == first.id
