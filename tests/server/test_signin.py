"""The page to sign in at: a link works once, a cookie is for our own page alone, and a token's end is the session's."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from hansard import Hansard
from hansard.interfaces.server import auth, signin
from hansard.project import Project
from support.engines import on_sqlite
from support.marks import invariant
from support.serving import Running, running

pytestmark = on_sqlite
PROJECTS = "/api/v1/projects"


def own(served: Running) -> dict[str, str]:
    """What a browser says of a form on our own page."""
    return {"Origin": served.address}


@contextmanager
def signed_in(served: Running, **fields: str) -> Iterator[httpx.Client]:
    with served.nobody() as browser:
        answer = browser.post("/signin", data=fields, headers=own(served))
        assert answer.status_code == 303, answer.text
        yield browser


def is_in(browser: httpx.Client) -> bool:
    return "Signed in as" in browser.get("/").text


def test_a_link_signs_one_browser_in_as_the_person_who_started_the_server(served: Running) -> None:
    code = served.server.new_link()
    with served.nobody() as browser:
        shown = browser.get("/signin", params={"code": code})
        again = browser.get("/signin", params={"code": code})
        assert f'name="code" value="{code}"' in shown.text
        assert shown.text == again.text, "looking at the link used it up"
        done = browser.post("/signin", data={"code": code}, headers=own(served))
        cookie = done.headers["set-cookie"]
        home = browser.get("/")
    with served.nobody() as other:
        second = other.post("/signin", data={"code": code}, headers=own(served))

    assert (done.status_code, done.headers["location"]) == (303, "/")
    assert re.search(r"; HttpOnly; .*Path=/; SameSite=strict$", cookie), cookie
    assert code not in cookie
    assert "Signed in as <strong>ana</strong> (human)" in home.text
    assert "<code>shop</code>" in home.text
    assert second.status_code == 401
    assert "set-cookie" not in second.headers


def test_a_token_signs_in_as_its_agent_until_it_is_revoked(
    served: Running, hansard: Hansard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "BELIEVED_SECONDS", 0.0)
    with signed_in(served, token=served.token("tank")) as browser:
        home = browser.get("/")
        hansard.revoke_token(hansard.tokens()[0].id)
        after = browser.get("/")

    assert "Signed in as <strong>tank</strong> (agent)" in home.text
    assert "Signed in" not in after.text


@pytest.mark.parametrize(
    "fields", [{}, {"token": ""}, {"token": "hansard_" + "C" * 43}, {"code": "guess"}, {"code": ""}]
)
def test_nothing_else_signs_in(served: Running, fields: dict[str, str]) -> None:
    with served.nobody() as browser:
        answer = browser.post("/signin", data=fields, headers=own(served))

    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_guessing_at_the_page_is_slowed_down(served: Running) -> None:
    with served.nobody() as browser:
        answers = [
            browser.post("/signin", data={"code": f"guess-{number}"}, headers=own(served)) for number in range(15)
        ]

    assert answers[0].status_code == 401
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) >= 1


def test_a_form_is_sent_as_a_browser_sends_it_and_signs_in_and_out(served: Running) -> None:
    """A browser tells the origin of a form by the policy of the page that it is on."""

    def submitted(page: httpx.Response, **filled: str) -> httpx.Response:
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))
        (action,) = re.findall(r'<form method="post" action="([^"]+)"', page.text)
        told = "null" if page.headers["referrer-policy"] == "no-referrer" else served.address
        return browser.post(action, data=hidden | filled, headers={"Origin": told, "Sec-Fetch-Site": "same-origin"})

    with served.nobody() as browser:
        browser.follow_redirects = True
        by_link = submitted(browser.get("/signin", params={"code": served.server.new_link()}))
        out = submitted(by_link)
        by_token = submitted(out, token=served.token("tank"))

    assert "Signed in as <strong>ana</strong> (human)" in by_link.text
    assert 'name="token"' in out.text
    assert "Signed in as <strong>tank</strong> (agent)" in by_token.text


def test_a_page_of_no_origin_signs_nobody_in(served: Running) -> None:
    with served.nobody() as browser:
        answer = browser.post("/signin", data={"code": served.server.new_link()}, headers={"Origin": "null"})

    assert (answer.status_code, answer.json()["code"]) == (403, "request.origin")


def test_a_token_that_signs_in_again_and_again_is_slowed_down_and_another_is_not(served: Running) -> None:
    tank, trinity = served.token("tank"), served.token("trinity")
    with served.nobody() as browser:
        answers = [browser.post("/signin", data={"token": tank}, headers=own(served)) for _ in range(15)]
        other = browser.post("/signin", data={"token": trinity}, headers=own(served))

    assert answers[0].status_code == 303
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert other.status_code == 303


def test_a_token_with_many_browsers_signs_out_its_own_oldest_and_nobody_else(
    hansard: Hansard, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project.key == "shop"
    monkeypatch.setattr(signin, "TRIES_AT_ONCE", 1_000.0)
    monkeypatch.setattr(signin, "SESSIONS_MAX", 15)
    with running(hansard) as served, signed_in(served, code=served.server.new_link()) as ana, ExitStack() as all_of:
        token = served.token("tank")
        tanks = [all_of.enter_context(signed_in(served, token=token)) for _ in range(30)]
        still = is_in(ana)
        states = [is_in(one) for one in tanks]

    assert still
    assert states == [False] * 20 + [True] * 10


def test_a_project_is_named_once_unless_its_name_says_more(served: Running) -> None:
    served.hansard.project("bank", create=True, name="The bank")
    with signed_in(served, code=served.server.new_link()) as browser:
        home = re.sub(r"<[^>]+>", "", browser.get("/").text).split()

    assert (home.count("shop"), home.count("bank")) == (1, 2)


def test_another_site_signs_nobody_in(served: Running) -> None:
    with served.nobody() as browser:
        strange = browser.post("/signin", data={"code": served.server.new_link()})
        foreign = browser.post(
            "/signin", data={"code": served.server.new_link()}, headers={"Origin": "https://evil.example"}
        )

    assert (strange.status_code, foreign.status_code) == (403, 403)


@invariant("INV-24")
@pytest.mark.parametrize("path", [PROJECTS, "/api/v1/projects/shop/events", "/mcp", "/mcp/shop", "/metrics"])
def test_the_cookie_opens_the_page_and_nothing_else_whoever_got_hold_of_it(served: Running, path: str) -> None:
    """A browser sends it to every port of the machine, and what listens there may send any header."""
    with signed_in(served, code=served.server.new_link()) as browser:
        assert is_in(browser)
        read = browser.get(path)
        written = browser.post(path, json={"key": "forged"}, headers=own(served))

    assert (read.status_code, written.status_code) == (401, 401)
    assert [one.key for one in served.hansard.projects()] == ["shop"]


def test_signing_out_ends_the_session_for_every_copy_of_the_cookie(served: Running) -> None:
    with signed_in(served, code=served.server.new_link()) as browser:
        kept = dict(browser.cookies)
        forged = browser.post("/signout", headers={"Origin": "https://evil.example"})
        still = is_in(browser)
        browser.post("/signout", headers=own(served))
    with served.nobody() as thief:
        thief.cookies.update(kept)
        after = is_in(thief)

    assert (forged.status_code, still, after) == (403, True, False)


def test_a_form_with_too_many_fields_is_nobodys(served: Running) -> None:
    with served.nobody() as browser:
        answer = browser.post("/signin", content=b"&".join([b"a=1"] * 11), headers=own(served))

    assert answer.status_code == 401


def test_a_page_shows_text_as_text(served: Running) -> None:
    with served.nobody() as browser:
        shown = browser.get("/signin", params={"code": '"><script>alert(1)</script>'})

    assert "<script>" not in shown.text


def test_the_pages_load_nothing_from_elsewhere(served: Running) -> None:
    with served.nobody() as browser:
        shown = browser.get("/").text
        style = browser.get("/page.css")

    assert re.findall(r'(?:src|href|action)="([^"]+)"', shown) == ["/page.css", "/signin"]
    assert style.headers["content-type"].startswith("text/css")
