"""Refusals: a wrong address, and a server that lets nobody in, say what to do and tell no password."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psycopg
import pytest

from hansard import Hansard
from hansard.domain.errors import HansardError, Invalid, StoreBusy, StoreUnreachable
from hansard.domain.places import printable
from hansard.settings import Settings
from hansard.store.postgres.address import place_of
from hansard.store.postgres.migrate import SERVER_VERSION_MIN, refuse_old
from hansard.store.postgres.refusal import KNOWN_MAX, Refusals
from support import postgres
from support.certificates import certificate
from support.raw import raw
from support.servers import as_role, limited, offering_tls
from support.silence import network

ME = Settings(user="ana")
IMPATIENT = Settings(user="ana", store_busy_seconds=0.0)
PASSWORD, WRONG = "s3cret-plugh", "wr0ng-plugh"


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


def refused(url: str) -> HansardError:
    with pytest.raises(HansardError) as caught:
        Hansard.open(url, settings=IMPATIENT)
    assert "plugh" not in f"{caught.value!r}{caught.value.__cause__!r}"
    return caught.value


@cache
def guarded() -> str:
    """The address of a user who has to give the password, with a wrong one."""
    with postgres.admin() as connection:
        (file,) = connection.execute("SHOW hba_file").fetchone() or ("",)
        connection.execute(f"CREATE ROLE guarded SUPERUSER LOGIN PASSWORD '{PASSWORD}'")
        rules = Path(file).read_text(encoding="utf-8")
        Path(file).write_text(f"local all guarded scram-sha-256\n{rules}", encoding="utf-8")
        connection.execute("SELECT pg_reload_conf()")
    url = as_role(postgres.address(postgres.TEMPLATE), f"guarded:{WRONG}")
    # The server reads its rules again when it gets to it.
    for _ in range(1_000):
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            break
    return url


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (f"postgresql://ana:{PASSWORD}@127.0.0.1:1/shop", "Connection refused"),
        (f"postgres://ana:{PASSWORD}@127.0.0.1:1/shop", "Connection refused"),
        (f"postgresql://ana:{PASSWORD}@/shop?host=/nowhere", "No such file or directory"),
        (f"postgresql://ana:{PASSWORD}@nowhere.invalid/shop", "failed to resolve host 'nowhere.invalid'"),
    ],
)
def test_a_server_that_is_not_there_is_told_with_the_reason(url: str, reason: str) -> None:
    error = refused(url)
    assert error.code == "store.unreachable"
    assert error.message.startswith("PostgreSQL shop at ")
    assert reason in error.message
    assert error.message.endswith("Check host and port, and whether the server runs and can be reached from here.")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana:plugh/xyzzy@host/shop", "postgresql://ana:pl@ugh@host/shop",
        "postgresql://ana:plugh%zz@host/shop", "postgresql://host/shop?plugh=1", "postgresql://host:plugh",
        "postgresql://[plugh/shop", "Postgresql://ana:plugh@host/shop",
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_read_is_refused_without_repeating_it(url: str) -> None:
    error = refused(url)
    assert isinstance(error, Invalid)
    assert "write it as postgresql://user@host:5432/database" in error.message
    assert "ugh" not in error.message
    assert error.__cause__ is None


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (
            "postgresql://ana@host/shop?sslmod=require",
            "parameter 'sslmod' that PostgreSQL does not know; did you mean",
        ),
        ("postgresql://ana@host/shop?aplication_name=x", "did you mean 'application_name'?"),
        ("postgresql://ana@/shop?sslmode=requir", 'invalid sslmode value: "requir". Correct the address.'),
        ("postgresql://ana@/shop?target_session_attrs=foo", "cannot be used: invalid target_session_attrs value"),
        ("postgresql://ana@/shop?service=nope", 'definition of service "nope" not found'),
        ("postgresql://ana@host:99999/shop", "The port of db must be a number from 1 to 65535"),
        ("postgresql://ana@host:0/shop", "The port of db must be a number from 1 to 65535"),
        ("postgresql+asyncpg://ana@host/shop", "postgresql+asyncpg:// is not supported"),
        ("psql://ana@host/shop", "psql:// is not supported; give the path of a file, or postgresql://"),
        ("postgresql://ana@/shop?sslmode=pl@ugh", "db has a parameter that cannot be used. Correct"),
    ],
)
def test_a_part_of_the_address_that_is_wrong_is_named(url: str, told: str) -> None:
    error = refused(url)
    assert isinstance(error, Invalid)
    assert told in error.message
    assert "ugh" not in error.message


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://ana@db1,db2/shop?target_session_attrs=read-write", "db1,db2"),
        ("postgresql://ana@db1:5432,db2:5433/shop", "db1:5432,db2:5433"),
        ("postgresql://ana@db1:5432,db2/shop", "db1:5432,db2"),
        ("postgresql:///shop?host=db1,db2&port=5433", "db1:5433,db2:5433"),
        ("postgresql:///shop", "this machine"),
    ],
)
def test_an_address_of_several_hosts_is_taken_with_and_without_ports(url: str, place: str) -> None:
    assert place_of(url) == f"PostgreSQL shop at {place}"


@pytest.mark.parametrize(
    "place",
    [
        f"application_name=x password={PASSWORD} host=h",
        f"APPLICATION_NAME = x PASSWORD = {PASSWORD}",
        f"connect_timeout=3 password={PASSWORD}",
        f"HOST=127.0.0.1 dbname={PASSWORD}",
        f"user=u;password={PASSWORD}",
        f"x=1 password={PASSWORD} options=http://h",
        f"postgresql//u:{PASSWORD}@h/db",
        f"u:{PASSWORD}@h/db",
        f"postgresql://u:12,{PASSWORD}/db",
    ],
)
def test_what_may_hold_a_password_becomes_no_file_and_is_not_repeated(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for must_exist in (False, True):
        with pytest.raises(Invalid) as caught:
            Hansard.open(place, settings=IMPATIENT, must_exist=must_exist)
        assert "plugh" not in f"{caught.value!r}{caught.value.__cause__!r}"
    assert sorted(tmp_path.rglob("*")) == before
    assert "plugh" not in printable(place)


@pytest.mark.parametrize(
    "place",
    [
        "postgresql//ana@127.0.0.1:5432/shop", "postgres//ana@host/shop", "postgresql//host/shop",
        "Postgres;//host/shop", " postgresql//host/shop", "https//hansard.example", "http//localhost:8000",
    ],
)  # fmt: skip
def test_an_address_that_lost_its_colon_becomes_no_file(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Hansard.open(tmp_path / "team.db", settings=ME).close()
    with Hansard.open(tmp_path / "team.db", settings=ME) as hansard:
        hansard.backup(tmp_path / "backup.db")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for attempt in (
        lambda: Hansard.open(place, settings=ME),
        lambda: Hansard.open(settings=Settings(user="ana", db=place)),
        lambda: Hansard.restore(tmp_path / "backup.db", place, settings=ME),
    ):
        with pytest.raises(Invalid, match="db is no path and no address"):
            attempt()
    assert list(Path().iterdir()) == []


def test_a_path_with_one_slash_too_many_stays_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("data", "postgres"):
        Path(folder).mkdir()
    Hansard.open("data//team.db", settings=ME).close()
    Hansard.open("postgres/team.db", settings=ME).close()
    # What is there is opened, whatever its folder is called.
    Hansard.open("postgres//team.db", settings=ME, must_exist=True).close()


@pytest.mark.parametrize("name", ["a=b.db", "passwords.db", "x@y.db", "a,b=c/team.db"])
def test_a_path_with_signs_of_an_address_stays_a_path(name: str, tmp_path: Path) -> None:
    Hansard.open(tmp_path / name, settings=ME).close()
    assert (tmp_path / name).is_file()


def test_an_address_without_a_database_is_told_without_a_gap() -> None:
    assert place_of("postgresql://") == "PostgreSQL at this machine"
    assert place_of("postgresql://ana@db1:5433") == "PostgreSQL at db1:5433"


def test_a_server_without_tls_is_told_as_such_and_not_as_one_that_is_away(target: str) -> None:
    with network() as there:
        error = refused(f"{there.address(target)}?sslmode=require")
        # The words may be of any language.
        with pytest.raises(psycopg.OperationalError) as caught:
            psycopg.connect(f"{there.address(target)}?sslmode=require")
        foreign = psycopg.OperationalError("kein SSL", pgconn=caught.value.pgconn)
        again = Refusals(f"{there.address(target)}?sslmode=require", "PostgreSQL").explained(foreign)
    for one in (error, again):
        assert isinstance(one, StoreUnreachable)
        assert one.message.endswith("This server offers no TLS. Set it up there, or change sslmode in the address.")


@pytest.mark.parametrize("root", ["/nowhere/root.crt", "other", "own"])
def test_a_certificate_that_cannot_be_checked_is_told_as_such(tmp_path: Path, root: str) -> None:
    (tmp_path / "other").mkdir()
    known = {"own": certificate(tmp_path)[0], "other": certificate(tmp_path / "other")[0]}.get(root, root)
    with offering_tls(*certificate(tmp_path)) as port:
        # The certificate is for another name.
        address = f"postgresql://ana@db.example:{port}/shop?hostaddr=127.0.0.1&sslmode=verify-full"
        error = refused(f"{address}&sslrootcert={known}")
    assert isinstance(error, StoreUnreachable)
    assert "The server answers, but TLS with it fails. Check sslrootcert" in error.message
    assert "whether the server runs" not in error.message


def test_a_wrong_password_is_told_and_never_repeated(caplog: pytest.LogCaptureFixture) -> None:
    error = refused(guarded())
    assert isinstance(error, StoreUnreachable)
    assert 'password authentication failed for user "guarded"' in error.message
    assert error.message.endswith("Check the user and the password: in PGPASSWORD, in .pgpass, or in the address.")
    assert "plugh" not in caplog.text


def test_a_missing_password_is_asked_for() -> None:
    error = refused(guarded().replace(f":{WRONG}", ""))
    assert isinstance(error, StoreUnreachable)
    assert "it wants a password. Give it in PGPASSWORD" in error.message


def test_the_right_password_is_taken() -> None:
    with Hansard.open(guarded().replace(WRONG, PASSWORD), settings=ME) as hansard:
        assert hansard.projects() == ()


def test_an_unknown_user_and_an_unknown_database_are_told(target: str) -> None:
    error = refused(as_role(target, "nobody"))
    assert 'role "nobody" does not exist. Check the user\'s name' in error.message
    error = refused(target.replace(postgres.name_of(target), "nowhere"))
    assert 'database "nowhere" does not exist. Check the database\'s name, or make it with `createdb`.' in error.message


def test_a_user_who_may_not_connect_is_told_the_right_that_is_missing(target: str) -> None:
    with raw(target) as connection:
        connection.execute(
            f"REVOKE CONNECT ON DATABASE {postgres.name_of(target)} FROM PUBLIC; CREATE ROLE guest LOGIN"
        )
        try:
            assert "GRANT CONNECT ON DATABASE" in refused(as_role(target, "guest")).message
        finally:
            connection.execute("DROP ROLE guest")


@pytest.fixture(params=["limit", "password", "database"])
def refusal(request: pytest.FixtureRequest, target: str) -> Iterator[tuple[str, type[HansardError], str]]:
    if request.param == "limit":
        with limited(target, 0) as url:
            yield url, StoreBusy, "try again"
    elif request.param == "password":
        yield guarded(), StoreUnreachable, "Check the user and the password"
    else:
        yield target.replace(postgres.name_of(target), "nowhere"), StoreUnreachable, "Check the database's name"


def test_a_refusal_is_known_by_its_code_whatever_the_servers_words(
    refusal: tuple[str, type[HansardError], str],
) -> None:
    url, kind, advice = refusal
    with pytest.raises(psycopg.OperationalError) as caught:
        psycopg.connect(url)
    foreign = psycopg.OperationalError("FATAL: Das geht nicht", pgconn=caught.value.pgconn)
    error = Refusals(url, "PostgreSQL").explained(foreign)
    assert type(error) is kind
    assert "Das geht nicht" in error.message
    assert advice in error.message


def test_words_that_were_asked_about_are_remembered_up_to_a_bound(target: str) -> None:
    url = target.replace(postgres.name_of(target), "nowhere")
    refusals = Refusals(url, "PostgreSQL")
    with pytest.raises(psycopg.OperationalError) as caught:
        psycopg.connect(url)
    first = refusals.explained(caught.value).message
    # Whoever asked again now would get in, and be told to try again.
    refusals._url = target
    assert refusals.explained(caught.value).message == first
    for number in range(KNOWN_MAX + 1):
        refusals._known[f"words {number}"] = "3D000"
    refusals._url = url
    refusals.explained(psycopg.OperationalError("other words", pgconn=caught.value.pgconn))
    assert len(refusals._known) <= KNOWN_MAX


def test_somebody_who_gets_in_at_the_second_look_is_told_to_try_again(target: str) -> None:
    with limited(target, 0) as url:
        with pytest.raises(psycopg.OperationalError) as caught:
            psycopg.connect(url)
        with raw(target) as connection:
            connection.execute("ALTER ROLE limited CONNECTION LIMIT 5")
        assert isinstance(Refusals(url, "PostgreSQL").explained(caught.value), StoreBusy)


@pytest.mark.parametrize("version", [90_624, 130_021])
def test_a_server_that_is_too_old_is_named_with_the_version_it_needs(version: int) -> None:
    with pytest.raises(Invalid, match=rf"Hansard needs PostgreSQL {SERVER_VERSION_MIN} or newer") as caught:
        refuse_old(version, "PostgreSQL shop at host")
    assert f"is a server of version {version // 10_000}." in caught.value.message
    refuse_old(SERVER_VERSION_MIN * 10_000, "PostgreSQL shop at host")
