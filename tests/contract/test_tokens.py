"""Tokens: who may make them, what they open, how they end, and that only a digest of them is kept."""

from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.errors import Denied, GuardRefused, Invalid, UnknownProject, UnknownToken, UnknownValue
from hansard.domain.vocabulary import Role
from hansard.project import Project
from hansard.services import grant
from hansard.settings import Settings
from support.clock import FakeClock
from support.fakes import fake_secret
from support.raw import raw

ME = Settings(user="ana")


def test_a_token_binds_agent_role_and_projects(hansard: Hansard, project: Project) -> None:
    hansard.project("bank", create=True)
    made, text = hansard.create_token(agent="Tank", role="coordinator", projects=["shop", "SHOP", "bank"])
    found = grant.whose(hansard.store, text)

    assert found == made
    assert (made.agent, made.role, made.projects) == ("Tank", Role.COORDINATOR, frozenset({"shop", "bank"}))
    assert (made.created_by, made.expires_at, made.revoked_at) == ("ana", None, None)
    assert hansard.tokens() == (made,)
    assert project.key == "shop"


def test_only_a_digest_of_a_token_is_stored(hansard: Hansard, project: Project, target: str) -> None:
    _, text = hansard.create_token(agent="tank", projects=["shop"])
    _, other = hansard.create_token(agent="ana", role="human")
    events = repr(project.list_events().items)
    hansard.store.close()
    with raw(target) as connection:
        rows = repr(connection.execute("SELECT * FROM tokens").fetchall())

    for secret in (text, other):
        assert secret not in rows + events
        assert secret.removeprefix("hansard_") not in rows + events
    if "://" not in target:
        stored = b"".join(path.read_bytes() for path in Path(target).parent.glob("hansard.db*"))
        assert text.encode() not in stored


@pytest.mark.parametrize("text", ["", "hansard_", "hansard_" + "A" * 43, "something else"])
def test_a_made_up_token_is_nobodys(hansard: Hansard, text: str) -> None:
    assert grant.whose(hansard.store, text) is None


def test_a_token_ends_when_its_time_is_up(hansard: Hansard, project: Project, clock: FakeClock) -> None:
    made, text = hansard.create_token(agent="tank", projects=[project.key], expires="90d")
    clock.advance(days=89)
    assert grant.whose(hansard.store, text) == made
    clock.advance(days=2)
    assert grant.whose(hansard.store, text) is None


def test_a_revoked_token_ends_everywhere_and_stays_on_record(hansard: Hansard, project: Project) -> None:
    bank = hansard.project("bank", create=True)
    made, text = hansard.create_token(agent="tank", projects=["shop", "bank"])
    gone = hansard.revoke_token(made.id)
    again = hansard.revoke_token(made.id)

    assert gone.revoked_at is not None
    assert again == gone
    assert grant.whose(hansard.store, text) is None
    for one in (project, bank):
        told = [event for event in one.list_events().items if event.action.startswith("token.")]
        assert [event.action for event in told] == ["token.revoked", "token.created"]
        assert dict(told[0].details) == {"token": made.id, "agent": "tank", "role": "agent"}
        assert one.verify().ok


def test_a_token_that_was_revoked_half_way_is_good_nowhere(hansard: Hansard, project: Project) -> None:
    hansard.project("bank", create=True)
    made, text = hansard.create_token(agent="tank", projects=["shop", "bank"])
    with hansard.store.write(project.id) as tx:
        assert hansard.store.tokens(tx).revoke(made.id)

    assert grant.whose(hansard.store, text) is None


def test_a_token_for_all_projects_opens_those_made_later(hansard: Hansard) -> None:
    made, text = hansard.create_token(agent="ana", role="human")
    hansard.project("later", create=True)

    assert made.projects is None
    assert grant.whose(hansard.store, text) == made
    assert hansard.revoke_token(made.id).revoked_at is not None


@pytest.mark.parametrize("role", ["agent", "coordinator", "service"])
def test_tokens_are_for_people_to_make_list_and_revoke(hansard: Hansard, project: Project, role: str) -> None:
    made, _ = hansard.create_token(agent="tank", projects=[project.key])
    other = Actor("smith", role)
    with pytest.raises(Denied):
        hansard.create_token(agent="smith", role="human", projects=["shop"], actor=other)
    with pytest.raises(Denied):
        hansard.tokens(actor=other)
    with pytest.raises(Denied):
        hansard.revoke_token(made.id, actor=other)

    assert hansard.tokens() == (made,)


def test_a_token_that_makes_no_sense_is_refused(hansard: Hansard, project: Project) -> None:
    with pytest.raises(UnknownProject):
        hansard.create_token(agent="tank", projects=[project.key, "nowhere"])
    with pytest.raises(UnknownValue):
        hansard.create_token(agent="tank", role="king", projects=["shop"])
    with pytest.raises(Invalid):
        hansard.create_token(agent=" ", projects=["shop"])
    with pytest.raises(Invalid):
        hansard.create_token(agent="tank", projects=[])
    with pytest.raises(Invalid):
        hansard.create_token(agent="tank", projects=["shop"], expires="soon")
    with pytest.raises(GuardRefused):
        hansard.create_token(agent=fake_secret(), projects=["shop"])
    with pytest.raises(UnknownToken):
        hansard.revoke_token("01a2b3c4-d5e6-7f80-9a1b-2c3d4e5f6a7b")

    assert hansard.tokens() == ()


def test_a_backup_carries_every_token(hansard: Hansard, project: Project, tmp_path: Path) -> None:
    _, bound = hansard.create_token(agent="tank", projects=[project.key])
    _, wide = hansard.create_token(agent="ana", role="human")
    ended, gone = hansard.create_token(agent="neo", projects=["shop"])
    hansard.revoke_token(ended.id)
    hansard.backup(tmp_path / "backup.db")
    Hansard.restore(tmp_path / "backup.db", tmp_path / "restored.db", settings=ME)
    with Hansard.open(tmp_path / "restored.db", settings=ME) as restored:
        assert restored.tokens() == hansard.tokens()
        assert grant.whose(restored.store, bound) is not None
        assert grant.whose(restored.store, wide) is not None
        assert grant.whose(restored.store, gone) is None


def test_a_restore_into_a_store_carries_every_token(hansard: Hansard, tmp_path: Path, target: str) -> None:
    with Hansard.open(tmp_path / "first.db", settings=ME) as first:
        first.project("shop", create=True)
        _, bound = first.create_token(agent="tank", projects=["shop"])
        _, wide = first.create_token(agent="ana", role="human")
        first.backup(tmp_path / "backup.db")
    Hansard.restore(tmp_path / "backup.db", target, settings=ME)

    assert grant.whose(hansard.store, bound) is not None
    assert grant.whose(hansard.store, wide) is not None


def test_a_copy_of_one_project_brings_its_own_tokens_and_no_others(
    hansard: Hansard, project: Project, tmp_path: Path
) -> None:
    hansard.project("bank", create=True)
    _, both = hansard.create_token(agent="tank", projects=[project.key, "bank"])
    _, wide = hansard.create_token(agent="ana", role="human")
    with Hansard.open(tmp_path / "copy.db", settings=ME) as copy:
        outcomes = list(hansard.copy_to(copy, keys=["shop"]))
        kept, elsewhere = grant.whose(copy.store, both), grant.whose(copy.store, wide)

    assert [type(one).__name__ for one in outcomes] == ["Proven"], outcomes
    assert kept is not None
    assert kept.projects == frozenset({"shop"})
    assert elsewhere is None, "a token for all projects of one store opens all of another"


def test_answers_that_are_kept_for_repeats_are_in_no_backup(hansard: Hansard, project: Project, tmp_path: Path) -> None:
    with hansard.store.write(project.id) as tx:
        connection = tx._connection  # type: ignore[attr-defined]
        connection.execute(
            "INSERT INTO idempotency_keys (project_id, caller, key, digest, started_at, body)"
            " VALUES (?, 'c', 'k', ?, 1, ?)",
            (project.id, b"d", b"xyzzy-plugh-7"),
        )
    hansard.backup(tmp_path / "backup.db")
    with raw(tmp_path / "backup.db") as connection:
        assert connection.execute("SELECT count(*) FROM idempotency_keys").get == 0
    assert b"xyzzy-plugh-7" not in (tmp_path / "backup.db").read_bytes()


def test_a_copy_that_is_brought_on_learns_which_tokens_ended(
    hansard: Hansard, project: Project, tmp_path: Path
) -> None:
    first, kept = hansard.create_token(agent="tank", projects=[project.key])
    with Hansard.open(tmp_path / "copy.db", settings=ME) as copy:
        assert all(type(one).__name__ == "Proven" for one in hansard.copy_to(copy))
        hansard.revoke_token(first.id)
        _, later = hansard.create_token(agent="neo", projects=[project.key])
        assert all(type(one).__name__ == "Proven" for one in hansard.copy_to(copy))
        found = grant.whose(copy.store, kept), grant.whose(copy.store, later)

    assert found[0] is None
    assert found[1] is not None
