"""What is shown of an address never holds its password, whatever it looks like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.places import is_parameter_list, printable
from hansard.settings import BY_NAME
from hansard.settings import printable as shown

SECRET = "s3cretPW"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("/srv/team/hansard.db", "/srv/team/hansard.db"),
        ("notes and more/team.db", "notes and more/team.db"),
        (":memory:", ":memory:"),
        ("postgresql://ana@db.example:5432/team", "postgresql://ana@db.example:5432/team"),
        ("postgresql:///team?host=/run/pg&sslmode=require", "postgresql:///team?host=/run/pg&sslmode=require"),
        ("postgresql://u:s3cretPW@h:1/x", "postgresql://u:(set)@h:1/x"),
        ("postgresql://u:s3%40cretPW@[::1]:1,h2/x", "postgresql://u:(set)@[::1]:1,h2/x"),
        ("postgresql:///x?host=/nope&password=s3cretPW", "postgresql:///x?host=/nope&password=(set)"),
        ("postgresql://h/x?user=u&sslpassword=s3cretPW", "postgresql://h/x?user=u&sslpassword=(set)"),
        ("postgresql://h/x?passfile=/s3cretPW", "postgresql://h/x?passfile=(set)"),
        ("postgresql://h/x?%70assword=s3cretPW", "postgresql://h/x?(set)"),
        ("postgresql://u:p@h/x?sslmode=s3cretPW", "postgresql://u:(set)@h/x?sslmode=(set)"),
        ("postgresql://u:s3cr/etPW@127.0.0.1:1/x", "postgresql://(set)"),
        ("postgresql://u:123/s3cretPW@127.0.0.1:1/x", "postgresql://(set)"),
        ("postgresql://u:s3cret#PW@127.0.0.1:1/x", "postgresql://(set)"),
        ("postgresql://u:1?s3cretPW@127.0.0.1:1/x", "postgresql://(set)"),
        ("postgresql://u:s3cretPW@[::1/x", "postgresql://(set)"),
        ("postgresql://u:s3@cretPW@h/x", "postgresql://(set)"),
        ("postgresql://u: s3cretPW@h/x", "postgresql://(set)"),
        ("POSTGRESQL://u:s3cretPW@h/x", "POSTGRESQL://(set)"),
        ("postgresql+psycopg://u:s3cretPW@h/x", "postgresql+psycopg://(set)"),
        (" postgresql://u:s3cretPW@h/x", "postgresql://(set)"),
        ("postgresql:/u:s3cretPW@h/x", "(set)"),
        ("u:s3cretPW@h/x", "(set)"),
        ("host=127.0.0.1 password=s3cretPW dbname=x", "(set)"),
        ("host=127.0.0.1 PASSWORD = 's3cretPW'", "(set)"),
        ("https://s3cretPW@models.example/v1?key=s3cretPW", "https://(set)@models.example/v1?key=(set)"),
        ("https://models.example:8080/v1", "https://models.example:8080/v1"),
    ],
)
def test_of_an_address_everything_but_its_passwords_is_shown(place: str, expected: str) -> None:
    assert printable(place) == expected
    assert shown(BY_NAME["db"], place) == expected


@pytest.mark.parametrize(
    "form",
    [
        "postgresql://u:{}@h/x", "postgres://u:{}@h:1,h2:2/x?sslmode=require", "postgresql:///x?host=/run&password={}",
        "postgresql://h/x?sslpassword={}&user=u", "host=h password={}", "host=h password='{}'", "postgresql:/u:{}@h/x",
        "mysql://u:{}@h/x", "Postgresql://u:{}@h/x", "  postgresql://u:{}@h", "https://u:{}@h/v1",
    ],
)  # fmt: skip
@given(before=st.text(max_size=6), after=st.text(max_size=6))
def test_no_character_of_a_password_brings_it_out(form: str, before: str, after: str) -> None:
    assert SECRET not in printable(form.format(before + SECRET + after))


@pytest.mark.parametrize("place", ["Server=127.0.0.1;Port=1;User Id=u;Pwd=hush", "db=x pw=hush", "Data Source=h;uid=u"])
def test_a_list_of_another_kind_of_server_is_no_path_and_is_not_shown(place: str) -> None:
    assert is_parameter_list(place)
    assert "hush" not in printable(place)
