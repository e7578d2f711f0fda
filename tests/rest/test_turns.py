"""What goes on now, over REST: runs, sessions and compiled context."""

from support.engines import on_sqlite
from support.rest import Client

pytestmark = on_sqlite


def test_a_run_is_started_listed_and_finished(tank: Client) -> None:
    run = tank.post("/runs", {"task": "Fix the login", "tags": ["auth"]})
    assert run.status == 201
    assert [one["id"] for one in tank.get("/runs?open_only=true").json["items"]] == [run.json["id"]]

    done = tank.post(f"{run.headers['location']}/finish", {"outcome": "completed", "output": "The clock was wrong."})

    assert (done.status, done.json["outcome"], done.json["scribed"]["run_id"]) == (200, "completed", run.json["id"])
    assert tank.post(f"{run.headers['location']}/finish", {"outcome": "failed"}).json["code"] == "run.ended"
    assert tank.post(f"{run.headers['location']}/scribe").status == 200


def test_an_agent_finishes_nobody_elses_run(tank: Client, neo: Client) -> None:
    run = neo.post("/runs", {"task": "Plan"}).json

    assert tank.post(f"/runs/{run['id']}/finish", {"outcome": "completed"}).status == 403


def test_a_coordinator_finalizes_its_own_run(neo: Client) -> None:
    run = neo.post("/runs", {"task": "Plan"}).json
    neo.post("/inbox", {"slug": "rule", "type": "scope", "content": "No billing.", "run_id": run["id"]})

    done = neo.post(f"/runs/{run['id']}/finalize")

    assert [one["entry"]["slug"] for one in done.json["items"]] == ["rule"]


def test_one_session_is_open_at_a_time_and_current_names_it(tank: Client) -> None:
    assert tank.get("/sessions/current").json["code"] == "session.none_open"
    first = tank.post("/sessions", {"focus": "Auth rework", "id": "auth"})
    second = tank.post("/sessions", {"focus": "Billing"})

    assert (first.status, second.status) == (201, 201)
    assert tank.get("/sessions/current").json["id"] == second.json["id"]
    assert tank.get("/sessions/auth").json["ended_at"] is not None
    assert tank.post("/sessions", {"focus": "Again", "id": "auth"}).json["code"] == "session.exists"
    assert [one["focus"] for one in tank.get("/sessions").json["items"]] == ["Billing", "Auth rework"]


def test_a_session_gets_lines_until_it_ends(tank: Client) -> None:
    tank.post("/sessions", {"focus": "Auth rework", "id": "auth"})
    tank.patch("/sessions/current", {"summary": "One."})

    assert tank.patch("/sessions/auth", {"summary": "Two."}).json["summary"] == "One.\nTwo."
    assert tank.patch("/sessions/auth", {"summary": "All.", "replace": True}).json["summary"] == "All."
    assert tank.post("/sessions/current/end").json["ended_at"] is not None
    assert tank.patch("/sessions/auth", {"summary": "Late."}).json["code"] == "session.ended"
    assert tank.post("/sessions/current/end").status == 404


def test_a_session_that_somebody_changed_meanwhile_is_not_changed(tank: Client) -> None:
    read = tank.post("/sessions", {"focus": "Auth rework"}).headers["etag"]
    tank.patch("/sessions/current", {"summary": "One."}, If_Match=read)

    stale = tank.patch("/sessions/current", {"summary": "Two."}, If_Match=read)

    assert (stale.status, stale.json["code"]) == (412, "version.stale")
    assert tank.get("/sessions/current").json["summary"] == "One."


def test_a_block_holds_what_binds_and_its_receipt_accounts_for_it(ana: Client, tank: Client) -> None:
    assert tank.get("/context").json == {"text": None, "receipt": None}
    made = ana.post("/decisions", {"type": "scope", "title": "No billing", "content": "Billing is out of scope."}).json

    block = tank.get("/context?task=billing").json

    assert "Billing is out of scope." in block["text"]
    assert [one["id"] for one in block["receipt"]["lines"]] == [made["id"]]


def test_a_kept_receipt_is_listed_shown_and_replayed(ana: Client, tank: Client) -> None:
    ana.post("/decisions", {"type": "scope", "title": "No billing", "content": "Billing is out of scope."})
    block = tank.post("/context", {"keep": True, "mode": "full"}).json
    receipt = block["receipt"]["id"]

    assert [one["id"] for one in tank.get("/receipts").json["items"]] == [receipt]
    assert tank.get(f"/receipts/{receipt}").json["sha256"] == block["receipt"]["sha256"]
    assert tank.get(f"/receipts/{receipt}/replay").json["text"] == block["text"]
    assert ana.post("/receipts/purge", {"days": 0, "dry_run": True}).json["purged"] is False


def test_an_agent_asks_for_no_other_agents_block(tank: Client) -> None:
    assert tank.get("/context?agent=neo").json["code"] == "policy.impersonation"
