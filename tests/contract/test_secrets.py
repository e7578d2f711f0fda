"""No secret that the scanner knows gets into the store, a file, a log or a message, whichever way it comes."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from random import Random
from string import ascii_letters, digits

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import GuardRefused, HansardError
from hansard.domain.mirror import INBOX_FOLDER
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.fakes import fake_key, fake_secret
from support.marks import invariant
from support.raw import raw

TOKEN = fake_secret()
KEY = fake_key()
PASSWORD = "Xk9#" + "mQ2v!Lp7z"
MARK = "[REDACTED:github_token]"


def everything(target: str, project: Project) -> str:
    """Every row of every table as text."""
    store = project.seat().store
    with store.read(project.id) as tx:
        tables = store.tables(tx)
        return "\n".join(
            repr([bytes(one) if isinstance(one, memoryview) else one for one in row])
            for name in tables.names()
            for row in tables.rows(name, tables.columns(name))
        )


def holds(target: str, project: Project, *secrets: str) -> bool:
    said = everything(target, project)
    files = [] if "://" in target else [file.read_bytes() for file in Path(target).parent.glob("*.db*")]
    found = [one for one in secrets if one.lower() in said.lower()]
    return bool(found) or any(one.encode() in data for one in secrets for data in files)


def propose(project: Project) -> None:
    project.propose(
        agent="tank", slug="s", type="learning", content=f"c {TOKEN}", title=f"t {TOKEN}", rationale=f"r {TOKEN}"
    )


def propose_again(project: Project) -> None:
    project.propose(agent="tank", slug="s", type="learning", content="c")
    propose(project)


def merge(project: Project) -> None:
    entry = project.propose(agent="tank", slug="s", type="learning", content="c")
    project.merge(
        entry.id, by="ana", title=f"t {TOKEN}", content=f"c {TOKEN}", rationale=f"r {TOKEN}", note=f"n {TOKEN}"
    )


def reject(project: Project) -> None:
    entry = project.propose(agent="tank", slug="s", type="learning", content="c")
    project.reject(entry.id, by="ana", reason=f"no {TOKEN}")


def reject_many(project: Project) -> None:
    entry = project.propose(agent="tank", slug="s", type="learning", content="c")
    project.reject_many([entry.id], by="ana", reason=f"no {TOKEN}")


def decide(project: Project) -> None:
    project.decide(type="scope", title=f"t {TOKEN}", content=f"c {TOKEN}", rationale=f"r {TOKEN}", by="ana")


def amend(project: Project) -> None:
    made = project.decide(type="scope", title="t", content="c", by="ana")
    project.update_decision(made.id, by="ana", title=f"t {TOKEN}", content=f"c {TOKEN}", rationale=f"r {TOKEN}")


def remember(project: Project) -> None:
    project.remember(
        f"c {TOKEN}", agent="tank", name=f"n {TOKEN}", category=f"c {TOKEN}", citations=[f"https://x/{TOKEN}"],
        kind="project", subject=f"s {TOKEN}", reason=f"r {TOKEN}", source_ref=f"chat {TOKEN}",
    )  # fmt: skip


def remember_many(project: Project) -> None:
    notes = [{"content": f"thought {number}", "agent": "tank"} for number in range(2_000)]
    notes[1_234]["content"] = f"use {TOKEN}"
    project.remember_many(notes)


def edit(project: Project) -> None:
    made = project.remember("c", agent="tank")
    project.edit_memory(made.id, agent="tank", content=f"c {TOKEN}", name=f"n {TOKEN}", citations=[f"x {TOKEN}"])


def rate(project: Project) -> None:
    made = project.remember("c", agent="tank")
    project.rate_memory(made.id, useful=True, agent="tank", note=f"n {TOKEN}")


def read(project: Project) -> None:
    made = project.remember("deploy it", agent="tank")
    project.use_memory(made.id, agent="tank", task=f"t {TOKEN}")
    project.recall("deploy", agent="tank", task=f"t {TOKEN}")
    project.memory_usage()


def inject(project: Project) -> None:
    project.remember("c", agent="tank")
    project.inject_learning(f"Never show {TOKEN}", agent="tank", category="best-practice", by="ana")


def summarise(project: Project) -> None:
    project.summarise_session(f"We deployed with {TOKEN} and it worked well.", agent="tank")


def session(project: Project) -> None:
    project.start_session(focus=f"f {TOKEN}", issues=[f"i {TOKEN}"], summary=f"s {TOKEN}", state=f"t {TOKEN}")
    project.update_session(f"l {TOKEN}", focus=f"g {TOKEN}", issues=[f"j {TOKEN}"], state=f"u {TOKEN}")
    project.update_session(f"new {TOKEN}", replace=True)


def run(project: Project) -> None:
    project.start_session(focus="f")
    made = project.start_run(agent="tank", task=f"Deploy with {TOKEN}")
    project.finish_run(made.id, outcome="completed", reason=f"r {TOKEN}", output=f"o {TOKEN}")


def compile_block(project: Project) -> None:
    project.remember("c", agent="tank", importance="high")
    block = project.compile(agent="tank", task=f"t {TOKEN}", charter=f"You have {TOKEN}.", mode="child", keep=True)
    assert block is not None
    assert TOKEN not in block.text


CALLS: tuple[Callable[[Project], None], ...] = (
    propose, propose_again, merge, reject, reject_many, decide, amend, remember, remember_many, edit, rate, read,
    inject, summarise, session, run, compile_block,
)  # fmt: skip


@invariant("INV-20")
@pytest.mark.parametrize("call", CALLS, ids=lambda one: one.__name__)
def test_no_call_lets_a_secret_into_the_store(call: Callable[[Project], None], project: Project, target: str) -> None:
    call(project)
    assert not holds(target, project, TOKEN)
    assert project.verify().ok


@invariant("INV-20")
@pytest.mark.parametrize("secret", [TOKEN, KEY])
def test_a_name_that_is_a_secret_is_refused_whatever_the_policy_says(
    project: Project, target: str, secret: str
) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: project.remember("c", agent="tank", tags=[secret]),
        lambda: project.remember("c", agent=secret),
        lambda: project.remember("c", agent="tank", session_id=secret),
        lambda: project.propose(agent="tank", slug=secret, type="scope", content="c"),
        lambda: project.propose(agent="tank", slug="s", type="scope", content="c", tags=[secret]),
        lambda: project.decide(type="scope", title="t", content="c", tags=[secret], by="ana"),
        lambda: project.decide(type="scope", title="t", content="c", applies_to=[secret], by="ana"),
        lambda: project.decide(type="scope", title="t", content="c", by=secret),
        lambda: project.start_session(focus="f", id=secret),
        lambda: project.start_run(agent="tank", task_type=secret),
        lambda: project.start_run(agent="tank", tags=[secret]),
    ]
    for attempt in attempts:
        with pytest.raises(GuardRefused) as refusal:
            attempt()
        assert secret not in str(refusal.value)
    assert not holds(target, project, secret)


@invariant("INV-20")
def test_a_project_is_not_named_by_a_secret(hansard: Hansard) -> None:
    for key, name in ((KEY, None), ("vault", f"The vault {TOKEN}")):
        with pytest.raises(GuardRefused):
            hansard.project(key, create=True, name=name)
    assert [one.key for one in hansard.projects() if one.key != "shop"] == []


@invariant("INV-20")
def test_files_are_indexed_and_imported_without_their_secrets(
    hansard: Hansard, project: Project, target: str, tmp_path: Path
) -> None:
    root = tmp_path / "work"
    notes = root / ".hansard" / "notes" / "shared"
    notes.mkdir(parents=True)
    hansard.project(project.key, create=True, root=root)
    (notes / "deploy.md").write_text(f"# Key {TOKEN}\n\nDeploy with {TOKEN} on Mondays.\n", encoding="utf-8")
    inbox = root / INBOX_FOLDER
    inbox.mkdir(parents=True)
    head = "---\nagent: tank\nslug: keyed\ntype: learning\ntitle: Keyed\n---\n\n"
    (inbox / "keyed.md").write_text(f"{head}Use {TOKEN} always.\n", encoding="utf-8")
    project.index_notes(agent="tank", root=root)
    report = project.import_inbox(root, by="ana")
    assert [one.content for one in project.list_memories().items if MARK in one.content]
    assert [one.slug for one in report.imported] == ["keyed"]
    assert project.get_entry("keyed").content == f"Use {MARK} always."
    assert not holds(target, project, TOKEN)


@invariant("INV-20")
def test_a_mirror_shows_no_secret_that_was_stored_before_there_was_a_guard(
    project: Project, target: str, tmp_path: Path
) -> None:
    allowed = project.allow_secret(TOKEN, reason="to have it stored", by="ana")
    project.decide(type="scope", title=f"t {TOKEN}", content=f"c {TOKEN}", by="ana")
    project.propose(agent="tank", slug="s", type="scope", content=f"p {TOKEN}")
    project.remember(f"m {TOKEN}", agent="tank", scope="team", importance="high")
    project.start_session(focus=f"f {TOKEN}")
    project.disallow_secret(allowed.id, reason="It is one after all.", by="ana")
    root = tmp_path / "work"
    root.mkdir()
    report = project.export(root, by="ana")
    texts = [file.read_text(encoding="utf-8") for file in root.rglob("*") if file.is_file()]
    assert report.written
    assert any(MARK in one for one in texts)
    assert not any(TOKEN in one for one in texts)
    again = project.import_inbox(root, by="ana")
    assert again.ledger is not None
    assert (again.ledger.updated, again.ledger.conflicts) == (0, ())


@invariant("INV-20")
def test_what_another_clone_wrote_is_taken_in_without_its_secrets(
    project: Project, hansard: Hansard, target: str, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    project.remember("a note about the deploy key", agent="tank", scope="team")
    project.export(here, by="ana")
    for file in (here / ".hansard").rglob("*.jsonl"):
        copy = there / file.relative_to(here)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.read_text(encoding="utf-8").replace("the deploy key", TOKEN), encoding="utf-8")
    other = hansard.project("other", create=True)
    other.import_inbox(there, by="ana")
    assert [one.content for one in other.list_memories().items] == [f"a note about {MARK}"]
    assert not holds(target, other, TOKEN)


@invariant("INV-20")
def test_no_message_repeats_a_secret_not_even_a_part_of_it(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: project.get_memory(TOKEN),
        lambda: project.get_entry(f"{'x' * 60}-{TOKEN}"),
        lambda: project.get_decision(f"{'x ' * 25}{TOKEN}"),
        lambda: project.get_run(TOKEN),
        lambda: project.get_session(f"{'y ' * 30}{TOKEN}"),
        lambda: project.remember("c", agent="tank", type=TOKEN),
        lambda: project.remember("c", agent="tank", importance=f"{'z ' * 12}{TOKEN}"),
        lambda: project.list_memories(cursor=TOKEN),
    ]
    with caplog.at_level(logging.DEBUG):
        for attempt in attempts:
            with pytest.raises(HansardError) as refusal:
                attempt()
            assert TOKEN[:16] not in str(refusal.value)
    assert TOKEN[:16] not in caplog.text


def test_the_caller_is_told_what_was_redacted(project: Project) -> None:
    made = project.remember(f"use {TOKEN}", agent="tank", name=f"key {TOKEN}")
    assert (made.content, made.name) == (f"use {MARK}", f"key {MARK}")
    assert [(one.field, one.kind) for one in project.redactions] == [
        ("content", "github_token"), ("name", "github_token"),
    ]  # fmt: skip
    assert TOKEN not in repr(project.redactions)


@pytest.fixture
def strict(hansard: Hansard, target: str, project: Project, clock: FakeClock) -> Callable[[str], Hansard]:
    def opened(policy: str) -> Hansard:
        return Hansard.open(target, settings=Settings(user="ana", guard_secrets=policy), clock=clock)

    return opened


def test_blocking_writes_nothing_and_says_where(
    strict: Callable[[str], Hansard], project: Project, target: str
) -> None:
    with strict("block") as hansard:
        blocking = hansard.project(project.key)
        with pytest.raises(GuardRefused, match=r"content \(github_token at character 5\)") as refusal:
            blocking.remember(f"use {TOKEN}", agent="tank")
        assert refusal.value.code == "guard.refused"
        with pytest.raises(GuardRefused, match="number 10"):
            blocking.remember_many([
                {"content": f"use {TOKEN}" if number == 9 else f"n {number}", "agent": "tank"} for number in range(20)
            ])  # fmt: skip
        for call in (propose, decide, session, summarise):
            with pytest.raises(GuardRefused):
                call(blocking)
        blocking.start_session(focus="Uploads", summary="The proxy cuts them.")
        with pytest.raises(GuardRefused, match=r"summary \(github_token at character 5\)"):
            blocking.update_session(f"now {TOKEN}")
        assert blocking.list_memories().items == ()
        assert not holds(target, blocking, TOKEN)


def test_asking_keeps_a_redacted_copy_for_a_reviewer(strict: Callable[[str], Hansard], project: Project) -> None:
    with strict("ask") as hansard:
        asking = hansard.project(project.key)
        made = asking.remember(f"use {TOKEN} to deploy", agent="tank")
        entry = asking.propose(agent="tank", slug="s", type="scope", content=f"use {TOKEN}")
        harmless = asking.remember("use the other one to deploy", agent="tank")
        assert (made.content, made.is_quarantined, made.signs) == (f"use {MARK} to deploy", True, ("secret",))
        assert (entry.is_quarantined, entry.signs) == (True, ("secret",))
        assert [hit.memory.id for hit in asking.recall("deploy", agent="tank")] == [harmless.id]
        assert asking.verify().ok


def test_what_waited_for_its_secret_only_is_an_ordinary_record_when_it_is_released(
    strict: Callable[[str], Hansard], project: Project
) -> None:
    with strict("ask") as hansard:
        tank = hansard.project(project.key, actor=Actor("tank", "agent"))
        made = tank.remember(f"use {TOKEN} to deploy")
        entry = tank.propose(slug="s", type="learning", content=f"sign with {TOKEN}")
        released = [hansard.project(project.key).release(one.id, reason="it is out") for one in (made, entry)]
        assert [one.signs for one in released] == [(), ()]
        block = tank.compile(task="deploy")
        assert block is not None
        assert f"use {MARK} to deploy" in block.text.replace("\\", "")
        assert "(data, not an instruction)" not in block.text
        assert tank.share_memory(made.id).scope == "team"
        neo = hansard.project(project.key, actor=Actor("neo", "agent"))
        assert neo.merge(entry.id).decided_by == "neo"


def test_an_allowed_value_passes_and_only_a_digest_of_it_is_kept(project: Project, target: str) -> None:
    made = project.allow_secret(f"the token {TOKEN}", reason="printed in the manual", by="ana")
    assert not holds(target, project, TOKEN)
    assert project.remember(f"use {TOKEN}", agent="tank").content == f"use {TOKEN}"
    other = fake_secret(8)
    assert project.remember(f"use {other}", agent="tank").content == f"use {MARK}"
    assert [(one.id, one.kind, one.reason) for one in project.list_allowed_secrets()] == [
        (made.id, "github_token", "printed in the manual"),
    ]  # fmt: skip
    assert project.list_events().items[-2].action == "secret.allowed"
    project.disallow_secret(made.id, reason="It is one after all.", by="ana")
    assert project.remember(f"now {TOKEN}", agent="tank").content == f"now {MARK}"


def test_two_secrets_that_were_taken_out_are_not_the_same_memory(project: Project) -> None:
    first = project.remember(PASSWORD, agent="tank", name="Staging DB password")
    second = project.remember(PASSWORD[::-1], agent="tank", name="Passwort")
    third, fourth = project.remember_many(
        [{"content": f"{PASSWORD}{one}", "name": "DB password", "agent": "tank"} for one in "12"]
    )

    assert {one.content for one in (first, second, third, fourth)} == {"[REDACTED:password]"}
    assert len({one.id for one in (first, second, third, fourth)}) == 4
    assert not second.duplicate
    assert not fourth.duplicate


def test_the_rest_of_a_redacted_memory_is_known_as_before(project: Project) -> None:
    first = project.remember(f"The password of staging is {PASSWORD}", agent="tank")
    assert project.remember(f"The password of staging is {PASSWORD[::-1]}", agent="tank").id == first.id


@pytest.mark.parametrize("content", ["{}", "{}\nuser: app"])
def test_a_new_name_that_makes_a_secret_of_the_content_takes_it_out_of_every_version(
    content: str, project: Project, target: str
) -> None:
    project.remember(content.format(PASSWORD[::-1]), agent="tank", name="Staging DB password")
    made = project.remember(content.format(PASSWORD), agent="tank", name="note")
    project.edit_memory(made.id, importance="high")
    after = project.edit_memory(made.id, name="DB password")

    assert (after.name, after.content) == ("DB password", content.format("[REDACTED:password]"))
    assert not holds(target, project, PASSWORD)
    assert project.verify().ok


def test_a_new_title_that_makes_a_secret_of_a_decision_takes_it_out_of_every_version(
    project: Project, target: str
) -> None:
    made = project.decide(type="technical", title="Staging", content=PASSWORD, by="ana")
    after = project.update_decision(made.id, title="DB password", by="ana")

    assert (after.title, after.content) == ("DB password", "[REDACTED:password]")
    assert not holds(target, project, PASSWORD)
    assert project.verify().ok


@pytest.mark.parametrize("kind", ["technical", "learning"])
def test_a_reviewers_title_that_makes_a_secret_of_a_proposal_takes_it_out_of_the_proposal_too(
    kind: str, project: Project, target: str
) -> None:
    project.propose(agent="tank", slug="z1", type=kind, content="Words of a first draft.")
    project.propose(agent="tank", slug="z1", type=kind, content=PASSWORD)
    project.merge("z1", title="DB password", by="ana")

    assert project.get_entry("z1").content == "[REDACTED:password]"
    assert not holds(target, project, PASSWORD)
    assert project.verify().ok


@pytest.mark.parametrize("role", ["agent", "coordinator", "service"])
def test_only_people_allow_a_value_and_take_that_back(role: str, hansard: Hansard, project: Project) -> None:
    model = hansard.project(project.key, actor=Actor("tank", role=role))
    with pytest.raises(HansardError) as refusal:
        model.allow_secret(TOKEN, reason="I want to")
    assert refusal.value.code == "policy.denied"
    made = project.allow_secret(TOKEN, reason="printed in the manual", by="ana")
    with pytest.raises(HansardError) as refusal:
        model.disallow_secret(made.id, reason="I want to")
    assert refusal.value.code == "policy.denied"
    assert project.list_allowed_secrets() == (made,)
    unknowing = made._replace(salt=b"", digest=b"")
    assert model.list_allowed_secrets() == (unknowing,), "by these a short value can be guessed"


def test_a_redaction_that_is_longer_than_the_secret_stays_within_the_limit_of_its_field(project: Project) -> None:
    short = "pass" + "word=" + "Zq7" + "pLm9x"
    made = project.remember(f"{'x' * (65_536 - len(short) - 1)} {short}", agent="tank")
    assert short not in made.content
    assert len(made.content.encode()) <= 65_536


def test_the_database_holds_the_mark_and_not_the_secret(project: Project, target: str) -> None:
    remember(project)
    with raw(target) as connection:
        contents = [row[0] for row in connection.execute("SELECT content FROM memories").fetchall()]
    assert contents == [f"c {MARK}"]
    assert json.dumps(contents).count("REDACTED") == 1


@invariant("INV-20")
def test_a_key_that_is_longer_than_a_chunk_of_a_note_is_taken_out_whole(
    target: str, project: Project, tmp_path: Path
) -> None:
    random = Random(3)
    lines = ["".join(random.choice(ascii_letters + digits) for _ in range(64)) for _ in range(50)]
    kind = "RSA PRIVATE" + " KEY"
    notes = tmp_path / "notes"
    notes.mkdir()
    text = "\n".join(["# Deploy", "", f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", "", "Then restart."])
    (notes / "deploy.md").write_text(text)
    project.index_notes([notes / "deploy.md"], root=tmp_path, agent="tank")
    assert not holds(target, project, *lines)
    assert "Then restart." in everything(target, project)


@invariant("INV-20")
@pytest.mark.parametrize("keep", [False, True])
def test_a_receipt_tells_no_secret_of_its_task_whether_it_is_kept_or_not(keep: bool, project: Project) -> None:
    project.remember("The deploy goes by hand.", agent="tank", importance="high")
    block = project.compile(agent="tank", task=f"Deploy with {TOKEN}", keep=keep)

    assert block is not None
    assert block.receipt.task == f"Deploy with {MARK}"
