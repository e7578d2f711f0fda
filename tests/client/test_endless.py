"""A server that leads the client in a circle, or says more than anybody reads, neither holds it up nor floods it."""

import json

import pytest

from client.liars import answer, lying, saying
from hansard.client import Client, records
from hansard.client.problems import MESSAGE_CHARACTERS_MAX, error_of
from hansard.domain.errors import NotFound, ServerUnreachable
from hansard.domain.paging import Page

RING = "abc"


def test_pages_that_lead_in_a_circle_end() -> None:
    asked: list[str | None] = []

    def fetch(cursor: str | None) -> Page[int]:
        assert len(asked) < 10, "the pages never end"
        asked.append(cursor)
        return Page((len(asked),), RING[(len(asked) - 1) % len(RING)])

    with pytest.raises(ServerUnreachable, match="no next page"):
        list(records.pages(fetch))

    assert asked == [None, "a", "b", "c"]


def test_a_server_whose_cursors_alternate_is_none_of_hansards() -> None:
    one, other = (saying(answer(json.dumps({"items": [], "next_cursor": name}))) for name in "ab")
    done = saying(answer(json.dumps({"items": [], "next_cursor": None})))
    with (
        lying(one, other, one, other, done) as address,
        Client.open(address, token="t") as client,
        pytest.raises(ServerUnreachable, match="no next page"),
    ):
        client.projects()


def test_a_message_of_the_server_is_cut() -> None:
    found = error_of(404, json.dumps({"code": "not_found", "detail": "x" * 5_000_000}).encode())

    assert type(found) is NotFound
    assert len(found.message) == MESSAGE_CHARACTERS_MAX
    assert found.message.endswith("x…")


@pytest.mark.parametrize(
    "obeyed", ["\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\r", "\x00", "\x7f", "\u202e", "\u2066", "\ud800"]
)
def test_a_message_of_the_server_has_nothing_that_a_terminal_obeys(obeyed: str) -> None:
    told = error_of(404, json.dumps({"code": "not_found", "detail": f"No {obeyed} here."}).encode()).message
    # What is no problem of Hansard's is repeated as it came.
    raw = error_of(502, f"No {obeyed} here.".encode("utf-8", "surrogatepass")).message
    (failed,) = [records.failure({"reference": "P-1", "code": "not_found", "message": f"No {obeyed} here."})]

    for message in (told, raw, failed.error.message):
        assert not set(obeyed) & set("\x1b\x07\x9b\r\x00\x7f\u202e\u2066\ud800") & set(message)
        assert message.endswith("here.")


def test_a_message_of_several_lines_in_any_script_stays_as_it_is() -> None:
    said = "Zeile 1: schön\n\tZeile 2: 日本語 👩‍💻"

    assert error_of(404, json.dumps({"code": "not_found", "detail": said}).encode()).message == said
