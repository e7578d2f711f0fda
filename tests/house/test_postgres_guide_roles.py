"""Checks what docs/postgres.md says of roles: the way from one to two, and two teams on one server."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import permutations
from typing import NamedTuple

import psycopg
import pytest

from hansard import Hansard
from hansard.domain.errors import StoreUnreachable, StoreUnwritable
from hansard.domain.findings import Finding, Severity
from hansard.settings import Settings
from house.test_postgres_guide import APPLICATION, GUIDE, OWNER, as_role, opened, prepared, rows, url
from support import postgres
from support.psql import play

__all__ = ["prepared", "url"]
ONLY, MADE = "ana", ("ana", "bank_owner", "bank_app", "guest", "Bank App", "Bank Owner")
OWNERS = (
    "SELECT DISTINCT pg_get_userbyid(refobjid)::text FROM pg_shdepend WHERE deptype = 'o'"
    " AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
IMPATIENT = Settings(user="ana", store_busy_seconds=0.0)


class Team(NamedTuple):
    """A database of its own, and the names of its roles."""

    url: str
    owner: str
    app: str


@pytest.fixture(autouse=True)
def roles() -> Iterator[None]:
    """Roles belong to the whole server; those of one test are none of the next one's."""
    yield
    with postgres.admin() as connection:
        for name in MADE:
            connection.execute(f'DROP ROLE IF EXISTS "{name}"')


@contextmanager
def database() -> Iterator[str]:
    place = postgres.empty_database()
    try:
        yield place
    finally:
        postgres.drop(place)


@pytest.fixture
def begun() -> Iterator[str]:
    """A database in which one role did everything, as the guide has it for the beginning."""
    with database() as place:
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {ONLY} LOGIN")
            connection.execute(f"GRANT CREATE ON DATABASE {postgres.name_of(place)} TO {ONLY}".encode())
        with opened(place, ONLY) as hansard:
            hansard.project("shop", create=True).remember("The API needs a token.", agent="tank")
        yield place


def test_who_began_with_one_role_comes_to_two_by_the_recipes(begun: str) -> None:
    play(begun, "roles")
    for _ in range(2):
        play(begun, "hand_over")
    play(as_role(begun, OWNER), "grants")

    assert rows(begun, OWNERS) == [(OWNER,)]
    with opened(begun) as hansard:
        project = hansard.project("shop")
        assert project.forget(project.list_memories().items[0].id, agent="tank").is_forgotten
        assert project.verify().ok
    with opened(begun, OWNER) as hansard:
        assert hansard.project("shop").verify().ok


def test_partitions_and_row_security_are_handed_over_as_well(begun: str) -> None:
    play(as_role(begun, ONLY), "partitions")
    play(as_role(begun, ONLY), "row_security_on")
    play(begun, "roles")
    play(begun, "hand_over")
    play(as_role(begun, OWNER), "grants")

    assert rows(begun, OWNERS) == [(OWNER,)]
    with opened(begun) as hansard:
        assert hansard.project("shop").recall("token", agent="tank")
    play(as_role(begun, OWNER), "row_security_off")


def test_the_role_of_the_beginning_may_become_the_applications(begun: str) -> None:
    play(begun, "roles", app=ONLY)
    play(begun, "hand_over")
    play(as_role(begun, OWNER), "grants", app=ONLY)

    with opened(begun, ONLY) as hansard:
        hansard.project("shop").remember("Its address stays.", agent="tank")
        assert hansard.project("shop").verify().ok
    with psycopg.connect(as_role(begun, ONLY)) as session, pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.execute("DELETE FROM hansard.events")


def test_an_administrator_who_is_no_superuser_hands_over_as_a_member_of_both(begun: str) -> None:
    play(begun, "roles")
    with psycopg.connect(begun, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE guest LOGIN; GRANT {ONLY}, {OWNER} TO guest")
    play(as_role(begun, "guest"), "hand_over")

    assert rows(begun, OWNERS) == [(OWNER,)]


def test_who_has_no_rights_hears_which_role_owns_the_schema_and_how_another_gets_it(begun: str) -> None:
    play(begun, "roles")
    told = rf"no rights to it\. Let the owner run grants\.sql there, which is {ONLY}; .* hand_over\.sql"

    for role in (OWNER, APPLICATION):
        with pytest.raises(StoreUnwritable, match=told), opened(begun, role):
            pass


@pytest.fixture
def teams() -> Iterator[tuple[Team, Team]]:
    """Two databases on one server, set up by the recipes: one with the names of the guide, one with its own."""
    with database() as first, database() as second:
        both = Team(first, OWNER, APPLICATION), Team(second, "bank_owner", "bank_app")
        set_up(both[0])
        set_up(both[1], owner=both[1].owner, app=both[1].app)
        yield both


def set_up(team: Team, **names: str) -> None:
    play(team.url, "roles", **names)
    with opened(team.url, team.owner):
        pass
    play(as_role(team.url, team.owner), "grants", **names)


def assert_kept_out(url: str, role: str) -> None:
    with pytest.raises(StoreUnreachable, match="GRANT CONNECT ON DATABASE"):
        Hansard.open(as_role(url, role), settings=IMPATIENT)


def test_two_teams_on_one_server_cannot_reach_each_other(teams: tuple[Team, Team]) -> None:
    for team in teams:
        with opened(team.url, team.app) as hansard:
            hansard.project("shop", create=True).remember("The API needs a token.", agent="tank")
    for team, other in permutations(teams):
        for role in (other.app, other.owner):
            assert_kept_out(team.url, role)
        query = f"SELECT count(*) FROM pg_class WHERE has_table_privilege('{other.app}', oid, 'SELECT')"
        assert rows(team.url, f"{query} AND relnamespace = 'hansard'::regnamespace") == [(0,)]


def test_two_databases_with_the_same_roles_can_be_parted(prepared: str) -> None:
    with database() as second:
        set_up(Team(second, OWNER, APPLICATION))
        names = {"owner": "Bank Owner", "app": "Bank App"}
        play(second, "roles", **names)
        play(second, "hand_over", owner=names["owner"])
        play(as_role(second, "Bank%20Owner"), "grants", app=names["app"])
        (parting,) = re.findall(r"`(REVOKE ALL ON DATABASE bank FROM [^`]+)`", GUIDE)
        with psycopg.connect(second, autocommit=True) as connection:
            connection.execute(parting.replace("bank", postgres.name_of(second)).encode())

        with opened(second, "Bank%20App") as hansard:
            assert hansard.project("shop", create=True).verify().ok
        for role in (OWNER, APPLICATION):
            assert_kept_out(second, role)
        with opened(prepared) as hansard:
            assert hansard.project("shop").verify().ok


def test_rights_that_partitions_took_are_told_once_and_under_permissions(prepared: str) -> None:
    with opened(prepared) as hansard:
        hansard.project("bank", create=True)
    play(as_role(prepared, OWNER), "partitions")
    with opened(prepared) as hansard:
        (found,) = problems(hansard.doctor(full=True))
        assert found.check == "permissions"
        assert "This user may not read 8 tables of Hansard (events, memories, memory_tags, …)" in found.found
        assert "grants.sql" in (found.advice or "")
        assert [one.check for one in problems(hansard.project("shop").doctor())] == ["permissions"]
    play(as_role(prepared, OWNER), "grants")
    with opened(prepared) as hansard:
        assert problems(hansard.doctor(full=True)) == []


def test_a_user_who_may_only_read_is_told_so_by_the_doctor(prepared: str) -> None:
    with opened(prepared) as hansard:
        assert not [one for one in hansard.doctor() if "not write" in one.found]
    with psycopg.connect(prepared, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
        connection.execute(f"GRANT CONNECT ON DATABASE {postgres.name_of(prepared)} TO guest".encode())
        connection.execute("GRANT USAGE ON SCHEMA hansard TO guest")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA hansard TO guest")
    with opened(prepared, "guest") as hansard:
        findings = hansard.doctor()
    with psycopg.connect(prepared, autocommit=True) as connection:
        connection.execute("DROP OWNED BY guest")

    assert problems(findings) == []
    assert [one.check for one in findings if "This user may read here and not write" in one.found] == ["permissions"]


def test_a_table_that_is_missing_is_named(prepared: str) -> None:
    with psycopg.connect(prepared, autocommit=True) as connection:
        connection.execute("DROP TABLE hansard.ratings CASCADE")
    with opened(prepared, OWNER) as hansard:
        (told, *_) = [one.found for one in hansard.doctor() if "not what they should be" in one.found]

    assert "the table ratings is missing or another one" in told


def problems(findings: Iterable[Finding]) -> list[Finding]:
    return [one for one in findings if one.severity is Severity.PROBLEM]
