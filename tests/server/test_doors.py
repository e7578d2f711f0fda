"""What is settled before a request is read: who gets in, by which certificate, and with how many files."""

import resource
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from hansard.domain.errors import Invalid
from hansard.interfaces.server import serving
from hansard.interfaces.server.doors import RESERVED_PER_ADDRESS, Doors, Entry, place_of
from hansard.interfaces.server.options import Options
from hansard.interfaces.server.serving import bind
from support.certificates import certificate


class Somebody:
    """A connection that notes whether it had to make way."""

    made_way = False

    def make_way(self) -> None:
        self.made_way = True


def let_in(doors: Doors, place: str) -> Entry:
    """How somebody gets in who then shows a good token."""
    guest = Somebody()
    entry = doors.enter(place, guest)
    doors.know(guest)
    return entry


def test_the_stranger_who_was_there_longest_makes_way_and_nobody_with_a_token_does() -> None:
    doors = Doors(per_address_max=2, connections_max=3)
    known, first, second, other = (Somebody() for _ in range(4))
    doors.enter("a", known)
    doors.know(known)
    doors.enter("b", other)

    entries = [doors.enter("a", first), doors.enter("a", second), let_in(doors, "a")]

    assert [one.made_way for one in (known, first, second, other)] == [False, True, True, False]
    assert entries == [Entry.OPEN] * 3
    assert let_in(doors, "c") is Entry.OPEN, "in all there was no room left either"
    assert other.made_way
    assert let_in(doors, "a") is Entry.BRIEF


def test_doors_open_for_as_many_as_there_is_room_for_then_briefly_then_not_at_all() -> None:
    doors = Doors(per_address_max=3, connections_max=10)
    alone = [let_in(doors, "a") for _ in range(3 + RESERVED_PER_ADDRESS + 1)]
    other = [let_in(doors, f"b{number}") for number in range(60)]
    doors.leave("a", Somebody())
    again = let_in(doors, "a")

    assert alone == [Entry.OPEN] * 3 + [Entry.BRIEF] * RESERVED_PER_ADDRESS + [Entry.SHUT]
    assert set(other[:-5]) == {Entry.BRIEF}, "beyond the limit of all"
    assert other[-5:] == [Entry.SHUT] * 5
    assert again is Entry.BRIEF


def test_without_a_limit_for_each_address_the_limit_of_all_is_left() -> None:
    doors = Doors(per_address_max=0, connections_max=300)

    assert {let_in(doors, "a") for _ in range(300)} == {Entry.OPEN}
    assert let_in(doors, "a") is Entry.BRIEF


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("10.0.0.7", "10.0.0.7"), ("::ffff:10.0.0.7", "10.0.0.7"), ("::1", "::1"), ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"), ("fe80::1%eth0", "fe80::/64"), ("a:strange:name", "a:strange:name"),
    ],
)  # fmt: skip
def test_whoever_has_a_network_of_addresses_counts_once(host: str, place: str) -> None:
    assert place_of(host) == place


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("cert", "--tls-cert cannot be used: it holds no certificate"),
        ("key", "--tls-key cannot be used: it holds no key"),
        ("other", "--tls-key is not the key of the certificate"),
        ("locked", "--tls-key is protected by a password"),
        ("missing", "--tls-key cannot be used: No such file"),
    ],
)
def test_a_broken_certificate_is_told_before_anything_is_bound(tmp_path: Path, broken: str, told: str) -> None:
    cert, key = certificate(tmp_path)
    match broken:
        case "cert":
            cert.write_text("no certificate")
        case "key":
            key.write_text("no key")
        case "other":
            (tmp_path / "other").mkdir()
            key = certificate(tmp_path / "other")[1]
        case "locked":
            locked = serialization.BestAvailableEncryption(b"a password")
            made = ec.generate_private_key(ec.SECP256R1())
            key.write_bytes(made.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked))
        case _:
            key.unlink()

    with pytest.raises(Invalid, match=told):
        bind(Options(port=0, tls_cert=str(cert), tls_key=str(key)))


def test_a_server_lets_itself_have_as_many_files_as_connections() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
        serving.make_room()
        given, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    assert most == before[1]
    assert given == (serving.FILES_MAX if most == resource.RLIM_INFINITY else min(serving.FILES_MAX, most))
