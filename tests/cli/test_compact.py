"""`hansard compact`: conversations in, bullets out, and an exit code that says whether the target was met."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard.services.compact import YAML_BYTES_MAX
from support.fakes import fake_key, fake_secret
from support.marks import invariant

GOLDENS = Path(__file__).parents[1] / "goldens" / "compaction"
INPUTS = sorted(path for path in GOLDENS.iterdir() if not path.name.endswith(".expected.md"))
LONG = "User: Constraint: " + "never forget this " * 40


def given(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.fixture
def long(shop: Path) -> str:
    (shop / "long.md").write_text(LONG)
    return "long.md"


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_the_answer_is_the_golden_text_and_nothing_else(cli: Cli, path: Path) -> None:
    ran = cli("compact", str(path))

    assert ran.code == 0
    assert ran.out == path.with_name(f"{path.stem}.expected.md").read_text(encoding="utf-8")
    assert ran.err.endswith("tokens of 4,000; no level was needed.\n")


def test_standard_input_is_read_with_and_without_a_dash(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (("compact",), ("compact", "-")):
        given(monkeypatch, b"\xef\xbb\xbfPhase: one\r\n")
        assert "## Active phase\n- one\n" in cli(*arguments).out


def test_the_bytes_do_not_depend_on_hash_seeds(shop: Path) -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-m", "hansard", "compact", str(GOLDENS / "openai.jsonl")],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert outputs == {(GOLDENS / "openai.expected.md").read_bytes()}


def test_json_has_the_state_the_bullets_and_what_was_dropped(cli: Cli) -> None:
    told = cli("compact", str(GOLDENS / "openai.jsonl"), "--json").json

    assert (told["state"], told["action"], told["level"], told["failures"]) == ("COMPLETE", "continue", 0, 0)
    assert told["kept"]["decision"] == ["D-1 hash passwords with argon2"]
    assert {"kind": "tool output already summarised", "items": 1, "characters": 64} in told["dropped"]
    assert told["text"] == (GOLDENS / "openai.expected.md").read_text()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b" \r\n\t", "is empty"),
        (b"PK\x03\x04\0\0", "is no text: it has a NUL byte at position 4"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_input_that_is_no_conversation_is_refused(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, data: bytes, message: str
) -> None:
    given(monkeypatch, data)
    ran = cli("compact", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (6, "input.invalid")
    assert message in ran.json["error"]["message"]


def test_a_file_that_is_missing_is_told_by_name(cli: Cli) -> None:
    ran = cli("compact", "nope.md", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (3, "file.missing")


def test_bytes_that_are_no_text_are_counted_and_the_rest_is_read(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b"Phase: one\n\nBlocker: caf\xff\xc3 and a real \xef\xbf\xbd\n")
    out = cli("compact").out

    assert "- bytes that are not UTF-8: 2 (2 characters)\n" in out
    assert "- caf\ufffd\ufffd and a real \ufffd\n" in out


@pytest.mark.parametrize(
    "text",
    ["blockers: &a [x, *a]", "blockers: [", "phase: {a: 1", "blockers:\n- a: b: c"],
)
def test_yaml_that_cannot_be_read_is_read_as_text(cli: Cli, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    given(monkeypatch, text.encode())

    assert cli("compact").code == 0


@pytest.mark.parametrize(
    ("tagged", "kept"),
    [
        ("!!bool foo", "foo"),
        ("!!timestamp foo", "foo"),
        ('!!int "x"', "x"),
        ("!!float heavy", "heavy"),
        ("!!binary éé", "éé"),
        ("!!python/name:os.system x", "x"),
        ("2026-01-01T00:00:00+99:99", "2026-01-01T00:00:00+99:99"),
        ("1_000", "1_000"),
    ],
)
def test_a_tag_of_yaml_makes_nothing_but_a_word(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tagged: str, kept: str
) -> None:
    given(monkeypatch, f'phase: {tagged}\na: !!int ""\nb: !!float ""\n'.encode())
    ran = cli("compact")

    assert (ran.code, f"## Active phase\n- {kept}\n" in ran.out) == (0, True)


def test_yaml_knows_what_is_true_and_what_is_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b"phase: null\nblockers:\n- {text: a, resolved: true}\n- {text: b, resolved: no}\n")

    assert cli("compact", "--json").json["kept"] == {"blocker": ["b"]}


def test_a_conversation_in_yaml_is_read_beside_its_state(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b"phase: x\nmessages:\n- {role: user, content: 'Blocker: DNS'}\n")

    kept = cli("compact", "--json").json["kept"]
    assert (kept["phase"], kept["blocker"]) == (["x"], ["DNS"])


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, "{a: " * 50_000, "[" * 65 + "]" * 65, "{c: 1, c: 2}"],
    ids=["brackets", "braces", "closed brackets", "a key twice"],
)
def test_yaml_that_is_too_deep_or_ambiguous_is_read_as_text_in_time(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    given(monkeypatch, f"phase: x\n\nb: {text}".encode())
    start = time.perf_counter()
    ran = cli("compact")

    assert time.perf_counter() - start < 10
    assert "## Active phase\n- x\n" in ran.out
    assert "text beyond the bullets" in ran.out


def test_a_state_that_names_a_part_of_itself_is_not_followed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b"phase: &a [x]\nblockers: [*a, *a]")

    assert "- \\[*a, *a]\n" in cli("compact").out


def test_a_long_state_file_is_read_line_by_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "\n".join(f"- no disk {number}" for number in range(YAML_BYTES_MAX // 10))
    given(monkeypatch, f"phase: x\nblockers:\n{lines}\n".encode())

    assert len(cli("compact", "--target", "0", "--json").json["kept"]["blocker"]) == YAML_BYTES_MAX // 10


def test_the_level_that_was_needed_is_told(cli: Cli, long: str) -> None:
    ran = cli("compact", long, "--target", "280")

    assert ran.code == 0
    assert ran.err.endswith(" of 280; L1 inline truncation was needed.\n")
    assert "characters …]" in ran.out


def test_a_target_that_cannot_be_met_fails_and_still_shows_what_is_left(cli: Cli, long: str) -> None:
    ran = cli("compact", long, "--target", "10")
    told = cli("compact", long, "--target", "10", "--level", "1", "--json")

    assert ran.code == told.code == 1
    assert ran.err.startswith("FAILED: ")
    assert "## Safety constraints" in ran.out
    assert (told.json["state"], told.json["action"], told.json["level"]) == ("FAILED", "retry", 1)


def test_a_failure_is_told_what_is_left_to_try(project_cli: Cli, long: str) -> None:
    told = {
        level: project_cli("compact", long, "--target", "1", "--level", level, "--task", f"t{level}").err
        for level in ("1", "3", "5")
    }

    assert told["1"].endswith("Raise --target, or allow more with --level.\n")
    assert told["3"].endswith("Raise --target, or allow more with --level and --task.\n")
    assert told["5"].endswith("after L5 hard reset. What is left must be kept; raise --target.\n")


def test_settings_choose_the_target_and_the_levels(cli: Cli, monkeypatch: pytest.MonkeyPatch, long: str) -> None:
    monkeypatch.setenv("HANSARD_COMPACTION_TOKENS_TARGET", "10")
    monkeypatch.setenv("HANSARD_COMPACTION_LEVEL_MAX", "2")
    monkeypatch.setenv("HANSARD_COMPACTION_INLINE_CHARACTERS_MAX", "50")
    told = cli("compact", long, "--json").json

    assert (told["tokens_target"], told["level"], told["level_tried"]) == (10, 1, 2)
    assert len(told["kept"]["constraint"][0]) < 100
    assert cli("compact", long, "--target", "0", "--json").json["tokens_target"] is None


def test_a_task_fails_waits_is_reset_and_goes_on(project_cli: Cli, shop: Path) -> None:
    (shop / "long.md").write_text(LONG)
    arguments = ("compact", "long.md", "--task", "login", "--target", "10", "--json")
    states = [(ran.code, ran.json["state"], ran.json["action"]) for ran in (project_cli(*arguments) for _ in range(5))]

    assert states == [*[(1, "FAILED", "retry")] * 3, *[(4, "WAITING_APPROVAL", "escalate")] * 2]
    waiting = project_cli("compact", "long.md", "--task", "login")
    assert (waiting.code, waiting.out) == (4, "")
    assert waiting.err.startswith("WAITING_APPROVAL: compaction of login failed 4 times in a row.")
    assert project_cli("compact", "--task", "login", "--reset", "--agent", "tank").code == 5
    assert project_cli("compact", "--task", "login", "--reset").out == "4 failures forgotten; the task may try again.\n"
    assert project_cli("compact", "long.md", "--task", "login").code == 0


def test_a_spilled_file_is_written_below_the_project_and_purged(project_cli: Cli, shop: Path) -> None:
    (shop / "long.md").write_text(LONG + "\nTool: " + "line\n" * 300)
    told = project_cli("compact", "long.md", "--task", "login", "--target", "60", "--level", "5", "--json").json
    file = shop / told["spilled"]

    assert file.parent == shop / ".cache" / "tool-output" / "login"
    assert file.read_text().count("line\n") == 300
    assert project_cli("compact", "--task", "login", "--purge").out == "1 spilled file removed.\n"
    assert not file.exists()


@pytest.mark.parametrize("flag", ["--reset", "--purge"])
def test_what_is_about_a_task_needs_its_name(cli: Cli, flag: str) -> None:
    assert cli("compact", flag).code == 2


@pytest.mark.parametrize("task", ["../x", "a b", "/tmp"])
def test_a_task_that_is_no_name_is_refused(project_cli: Cli, task: str) -> None:
    ran = project_cli("compact", str(GOLDENS / "notes.md"), "--task", task, "--json")

    assert (ran.code, ran.json["error"]["code"]) == (6, "input.invalid")


def test_binding_decisions_join_on_request(project_cli: Cli) -> None:
    project_cli("decisions", "create", "--type", "scope", "--title", "No mail", "--content", "Nobody sends mail.")
    file = str(GOLDENS / "notes.md")

    assert "No mail" not in project_cli("compact", file).out
    assert "- D-1: No mail: Nobody sends mail.\n" in project_cli("compact", file, "--with-decisions").out


def test_decisions_need_a_project_and_a_conversation_does_not(cli: Cli) -> None:
    file = str(GOLDENS / "notes.md")

    assert cli("compact", file).code == 0
    assert cli("compact", file, "--with-decisions").code == 3


def test_one_long_line_and_many_short_ones_are_read_in_time(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    message = json.dumps({"role": "user", "content": "Never " + "wait  " * 300_000})
    given(monkeypatch, "\n".join([message, *['{"role": "tool", "content": "ok"}'] * 20_000]).encode())

    assert cli("compact", "--json").json["level"] > 0


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\n# Phase: 2\n\n# Constraint: never touch prod.\n\nNext: write tests\n",
        "Phase: 2\n\nNext: write tests\n\nConstraint: see issue #7, never touch prod.\n",
    ],
)
@pytest.mark.parametrize("name", ["NOTES.md", "notes", None])
def test_what_stands_behind_a_hash_is_not_lost(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, name: str | None
) -> None:
    if name is None:
        given(monkeypatch, text.encode())
    else:
        (tmp_path / name).write_text(text)
    told = cli("compact", *([str(tmp_path / name)] if name else []), "--json").json["kept"]

    assert (told["phase"], told["next"]) == (["2"], ["write tests"])
    assert told["constraint"][0].endswith("never touch prod.")


def test_a_yaml_file_keeps_its_comments_for_itself_and_counts_them(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "state.yml").write_text("# Constraint: old\nphase: 2\nblockers:\n- {text: a, resolved: true}\n")
    told = cli("compact", str(tmp_path / "state.yml"), "--json").json

    assert told["kept"] == {"phase": ["2"]}
    assert {"kind": "comments", "items": 1, "characters": 17} in told["dropped"]


def test_torn_json_is_read_as_far_as_it_goes_and_said_to_be_torn(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = json.dumps({"messages": [{"role": "user", "content": "Constraint: never push"}]}, indent=1)
    given(monkeypatch, whole[:-4].encode())
    ran = cli("compact")

    assert (ran.code, "- never push\n" in ran.out) == (0, True)
    assert "- unreadable lines: 1 " in ran.out
    assert ran.err.startswith("1 line could not be read")


def test_json_that_is_torn_at_once_is_refused(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b'{"messages": [{"role": "us')
    ran = cli("compact", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (6, "input.invalid")


@pytest.mark.parametrize(
    "text", ["messages:\n- yes: 1\n  foo: 2\n  ~: 3\n", "messages:\n- {role: user, content: {no: 1, a: 2}}"]
)
def test_keys_of_yaml_that_are_no_words_are_counted(cli: Cli, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    given(monkeypatch, text.encode())
    ran = cli("compact")

    assert (ran.code, "## Dropped" in ran.out) == (0, True)


def test_a_file_that_cannot_be_spilled_is_told_with_the_text_of_the_level_below(
    project_cli: Cli, shop: Path, long: str
) -> None:
    (shop / ".cache").write_text("in the way")
    arguments = ("compact", long, "--task", "login", "--target", "10", "--level", "5")
    ran = project_cli(*arguments)
    told = project_cli(*arguments, "--json").json

    assert (ran.code, "## Safety constraints" in ran.out) == (1, True)
    assert "L4 spill could not write its file: " in ran.err
    assert (told["state"], told["failures"], told["spilled"], bool(told["fault"])) == ("FAILED", 2, None, True)


def test_a_damaged_count_is_mended_by_a_reset(project_cli: Cli, long: str) -> None:
    project_cli("compact", long, "--task", "login", "--target", "10")
    (place,) = (Path(os.environ["XDG_DATA_HOME"]) / "hansard" / "projects").glob("*/compaction.json")
    place.write_text('{"failures": {"login": Infinity}}')

    damaged = project_cli("compact", long, "--task", "login", "--json")
    assert (damaged.code, damaged.json["error"]["code"]) == (6, "input.invalid")
    assert project_cli("compact", "--task", "login", "--reset").code == 0
    assert project_cli("compact", long, "--task", "login").code == 0


@invariant("INV-20")
def test_no_secret_of_a_conversation_gets_into_the_answer_or_a_spilled_file(project_cli: Cli, shop: Path) -> None:
    token = fake_secret()
    (shop / "talk.md").write_text(f"User: Constraint: never push with {token}.\n\n{LONG} {token} {LONG}\n")
    ran = project_cli("compact", "talk.md", "--task", "login", "--target", "20", "--level", "5", "--json")
    assert token not in ran.out + ran.err
    assert "[REDACTED:" in ran.out
    assert all(token not in file.read_text() for file in shop.rglob("*.md") if file.name != "talk.md")
    refused = project_cli("compact", "talk.md", "--task", fake_key())
    assert refused.code == 6
    assert "guard.refused" in refused.err
