"""Claims checked against real working trees: what is there, what is gone, and what cannot be known."""

import os
from pathlib import Path

import pytest

from hansard.domain.claims import Claim, ClaimKind, Verdict, claims_of
from hansard.workspace import search
from hansard.workspace.evidence import Evidence
from hansard.workspace.search import Search
from support.claims import STALE, UNCHECKED, VERIFIED, calls, path, statuses, symbol, told
from support.marks import invariant
from support.repositories import git, repository, work_tree


@invariant("INV-19")
def test_what_is_there_is_verified_and_what_is_gone_is_stale(claimed: Path) -> None:
    claims = [path("src/x.py"), path("src/gone.py"), symbol("do_it"), symbol("undo_it"), symbol("Row.fetch_all")]

    assert told(claimed, *claims) == [
        Verdict(VERIFIED),
        Verdict(STALE, "`src/gone.py` no longer exists"),
        Verdict(VERIFIED),
        Verdict(STALE, "`undo_it` is not found"),
        Verdict(VERIFIED),
    ]


@invariant("INV-19")
def test_a_file_that_is_renamed_or_deleted_is_stale_from_then_on(claimed: Path) -> None:
    evidence = Evidence(claimed)
    claims = [path("src/x.py"), path("src/store/rows.py"), symbol("do_it"), symbol("fetch_all")]
    assert {one.status for one in evidence.check(claims).values()} == {VERIFIED}
    git(claimed, "mv", "src/x.py", "src/y.py")
    (claimed / "src" / "store" / "rows.py").unlink()

    after = evidence.check(claims)

    assert [after[one].status for one in claims] == [STALE, STALE, VERIFIED, STALE]


@invariant("INV-19")
def test_an_edit_that_nobody_committed_counts(claimed: Path) -> None:
    evidence = Evidence(claimed)
    assert evidence.check([symbol("do_it")])[symbol("do_it")].status is VERIFIED
    (claimed / "src" / "x.py").write_text("def do_that():\n    pass\n")

    after = evidence.check([symbol("do_it"), symbol("do_that")])

    assert [one.status for one in after.values()] == [STALE, VERIFIED]


def test_a_symbol_is_a_whole_word(claimed: Path) -> None:
    assert statuses(claimed, symbol("do_i"), symbol("Shortcuts"), symbol("keyboardShortcuts")) == [
        STALE,
        STALE,
        VERIFIED,
    ]


def test_untracked_files_count_and_ignored_ones_do_not(claimed: Path) -> None:
    (claimed / "new.py").write_text("brand_new = 1\n")
    (claimed / "dist").mkdir()
    (claimed / "dist" / "out.js").write_text("only_built = 1\n")

    assert statuses(claimed, symbol("brand_new"), path("new.py"), symbol("only_built"), path("dist/out.js")) == [
        VERIFIED, VERIFIED, STALE, VERIFIED,
    ]  # fmt: skip


def test_a_missing_file_that_git_ignores_says_nothing(claimed: Path) -> None:
    assert told(claimed, path("dist/out.js"), path("debug.log")) == [
        Verdict(UNCHECKED, "`dist/out.js` was not checked: git ignores it, so another checkout may have it"),
        Verdict(UNCHECKED, "`debug.log` was not checked: git ignores it, so another checkout may have it"),
    ]


def test_a_tracked_file_that_a_rule_ignores_counts(claimed: Path) -> None:
    (claimed / "dist").mkdir()
    (claimed / "dist" / "kept.js").write_text("forced_in = 1\n")
    git(claimed, "add", "--force", "dist/kept.js")

    assert statuses(claimed, symbol("forced_in"), path("kept.js")) == [VERIFIED, VERIFIED]


def test_a_path_may_be_given_from_any_folder(claimed: Path) -> None:
    claims = [path("rows.py"), path("store/rows.py"), path("store/"), path("ows.py"), path("ore/rows.py")]

    assert statuses(claimed, *claims) == [VERIFIED, VERIFIED, VERIFIED, STALE, STALE]


def test_a_path_that_was_found_elsewhere_is_stale_when_it_is_gone_there(claimed: Path) -> None:
    evidence = Evidence(claimed)
    assert evidence.check([path("rows.py")])[path("rows.py")].status is VERIFIED
    (claimed / "src" / "store" / "rows.py").unlink()

    assert evidence.check([path("rows.py")])[path("rows.py")].status is STALE


def test_a_module_is_a_symbol_by_the_name_of_its_file(claimed: Path) -> None:
    assert statuses(claimed, symbol("shop.src.rows"), symbol("src.store"), symbol("shop.src.cols")) == [
        VERIFIED, VERIFIED, STALE,
    ]  # fmt: skip


def test_a_mirrored_memory_is_no_evidence_for_itself(claimed: Path) -> None:
    for place in (".squad/decisions.md", ".hansard/notes/tank/gone_name.md", ".agentweaver/context/a.md"):
        (claimed / place).parent.mkdir(parents=True)
        (claimed / place).write_text("Call `gone_name` first.\n")
    git(claimed, "add", "--all", "--force")
    cited = Claim(ClaimKind.SYMBOL, "gone_name", (".squad/decisions.md",))

    assert statuses(claimed, symbol("gone_name"), cited) == [STALE, STALE]


def test_a_folder_whose_name_only_begins_like_one_of_ours_counts(claimed: Path) -> None:
    (claimed / ".squadron").mkdir()
    (claimed / ".squadron" / "fleet_list.md").write_text("ship_name\n")
    (claimed / ".gitattributes").write_text("*.lock binary\n")
    (claimed / ".hansardous.lock").write_text("locked_name\n")

    assert statuses(claimed, symbol("ship_name"), symbol("x.fleet_list"), symbol("locked_name")) == [VERIFIED] * 3


@invariant("INV-19")
def test_a_name_that_stands_in_the_file_cited_with_it_is_verified_wherever_that_is(claimed: Path) -> None:
    (claimed / "nested").mkdir()
    (claimed / "nested" / "n.py").write_text("def nested_symbol(): pass\n")
    repository(claimed / "nested")
    (claimed / "dist").mkdir()
    (claimed / "dist" / "o.py").write_text("ignored_symbol = 1\n")
    (claimed / "src" / "utf16.ps1").write_bytes("function Get_Wide_Thing {}".encode("utf-16"))
    cited = claims_of("", ["nested/n.py::nested_symbol", "dist/o.py:ignored_symbol", "src/utf16.ps1:Get_Wide_Thing"])
    evidence = Evidence(claimed)

    for _ in range(2):
        assert [one.status for one in evidence.check(cited).values()] == [VERIFIED] * 6
    (claimed / "src" / "utf16.ps1").write_bytes("function Get_Other {}".encode("utf-16"))
    assert [one.status for one in evidence.check(cited).values()] == [VERIFIED] * 5 + [STALE]


@invariant("INV-19")
@pytest.mark.parametrize("place", ["dist/", "dist/gone.py", "nested/", "../other/x.py", "huge.bin"])
def test_a_name_said_beside_a_place_that_is_not_searched_is_unchecked(
    claimed: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hansard.workspace.evidence.REREAD_BYTES_MAX", 10)
    for folder in ("dist", "nested"):
        (claimed / folder).mkdir()
        (claimed / folder / "n.py").write_text("hidden_name = 1\n")
    repository(claimed / "nested")
    (claimed / ".git" / "info" / "exclude").write_text("huge.bin\n")
    (claimed / "huge.bin").write_text("long " * 10)
    evidence = Evidence(claimed)
    cited = Claim(ClaimKind.SYMBOL, "hidden_name", ("src/x.py", place))

    note = "`hidden_name` was not checked: it may be in a place that is named with it and not searched"
    for _ in range(2):
        assert evidence.check([cited])[cited] == Verdict(UNCHECKED, note)


@invariant("INV-19")
def test_a_name_said_beside_places_that_were_searched_is_stale(claimed: Path) -> None:
    (claimed / "dist").mkdir()
    (claimed / "dist" / "o.py").write_text("other = 1\n")

    beside = ("src/x.py", "src/", "src/gone.py", "dist/o.py", "rows.py")
    assert statuses(claimed, Claim(ClaimKind.SYMBOL, "gone_name", beside)) == [STALE]


@invariant("INV-19")
def test_words_that_may_mean_something_else_are_stale_only_below_a_folder_that_is_there(claimed: Path) -> None:
    (claimed / "bin").mkdir()
    (claimed / "bin" / "run").touch()
    claims = claims_of("`bin/run` `store/rows` `src/gone` `ana/login` `and/or` `Row` `Widget`; the class `Gadget`", ())

    assert told(claimed, *claims) == [
        Verdict(VERIFIED),
        Verdict(UNCHECKED, "`store/rows` may be no file"),
        Verdict(STALE, "`src/gone` no longer exists"),
        Verdict(UNCHECKED, "`ana/login` may be no file"),
        Verdict(UNCHECKED, "`and/or` may be no file"),
        Verdict(VERIFIED),
        Verdict(UNCHECKED, "`Widget` may be no name in the code"),
        Verdict(STALE, "`Gadget` is not found"),
    ]
    assert {one.hindrance for one in told(claimed, *claims)} == {""}


def test_a_path_with_the_slashes_of_windows_is_looked_up(claimed: Path) -> None:
    assert told(claimed, path("src\\x.py"), path("src\\gone.py")) == [
        Verdict(VERIFIED),
        Verdict(STALE, "`src\\gone.py` no longer exists"),
    ]


def test_each_work_tree_is_checked_by_itself(claimed: Path, tmp_path: Path) -> None:
    tree = work_tree(tmp_path / "feature", of=claimed)
    (tree / "src" / "x.py").write_text("def only_here(): pass\n")

    assert statuses(tree, symbol("only_here"), symbol("do_it")) == [VERIFIED, STALE]
    assert statuses(claimed, symbol("only_here"), symbol("do_it")) == [STALE, VERIFIED]


def test_what_is_in_a_submodule_counts(claimed: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "lib.c").write_text("int lib_call(void);\n")
    repository(library)
    git(claimed, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor/lib")
    (claimed / "vendor" / "lib" / "dirty.c").write_text("int lib_dirty;\n")

    assert statuses(claimed, symbol("lib_call"), symbol("lib_dirty"), path("lib.c"), path("vendor/lib/lib.c")) == [
        VERIFIED, VERIFIED, VERIFIED, VERIFIED,
    ]  # fmt: skip


@pytest.mark.parametrize("mode", ["--cone", "--no-cone"])
def test_what_may_be_in_the_part_that_is_not_checked_out_is_unchecked(claimed: Path, mode: str) -> None:
    git(claimed, "sparse-checkout", "set", mode, "docs")
    (claimed / "here.py").write_text("def is_here(): pass\n")

    assert told(claimed, path("src/store/rows.py"), path("rows.py"), symbol("fetch_all"), symbol("is_here")) == [
        Verdict(UNCHECKED, "`src/store/rows.py` was not checked: only a part of the tree is checked out"),
        Verdict(UNCHECKED, "`rows.py` was not checked: only a part of the tree is checked out"),
        Verdict(UNCHECKED, "`fetch_all` was not checked: only a part of the tree is checked out"),
        Verdict(VERIFIED),
    ]
    git(claimed, "sparse-checkout", "disable")
    assert statuses(claimed, symbol("fetch_all"), path("src/gone.py")) == [VERIFIED, STALE]


def test_a_folder_of_a_repository_is_checked_by_itself(claimed: Path) -> None:
    assert statuses(claimed / "src" / "store", path("rows.py"), path("x.py"), symbol("fetch_all"), symbol("do_it")) == [
        VERIFIED, STALE, VERIFIED, STALE,
    ]  # fmt: skip


def test_without_a_repository_paths_are_checked_and_symbols_are_not(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("def do_it(): pass\n")

    assert told(tmp_path, path("x.py"), path("src/y.py"), path("y.py"), symbol("do_it")) == [
        Verdict(VERIFIED),
        Verdict(STALE, "`src/y.py` no longer exists"),
        Verdict(UNCHECKED, "`y.py` was not checked: this is no git repository"),
        Verdict(UNCHECKED, "`do_it` was not checked: this is no git repository"),
    ]


def test_without_git_nothing_is_called_gone_that_may_be_there(
    claimed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))

    assert told(claimed, symbol("do_it"), path("rows.py"), path("src/x.py")) == [
        Verdict(UNCHECKED, "`do_it` was not checked: git cannot be run here"),
        Verdict(UNCHECKED, "`rows.py` was not checked: git cannot be run here"),
        Verdict(VERIFIED),
    ]


@pytest.mark.parametrize("how", ["missing", "failing"])
def test_a_path_that_may_be_elsewhere_is_not_called_gone_if_git_cannot_tell(
    claimed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    assert statuses(claimed, path("store/rows.py")) == [VERIFIED]
    if how == "missing":
        monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    else:
        (claimed / ".git" / "index").write_bytes(b"garbage")

    why = "git cannot be run here" if how == "missing" else "git failed"
    assert told(claimed, path("store/rows.py")) == [Verdict(UNCHECKED, f"`store/rows.py` was not checked: {why}")]


def test_a_file_that_its_attributes_call_binary_counts_if_it_is_text(claimed: Path) -> None:
    (claimed / ".gitattributes").write_text("*.pb.go -diff\nlock.txt binary\n*.bin binary\n")
    (claimed / "src" / "api.pb.go").write_text("func GetUserById() {}\nfunc größe() {}\n")
    (claimed / "lock.txt").write_text("x" * 10_000 + "\nlocked_name\n")
    (claimed / "data.bin").write_bytes(b"\0only_compiled\n")
    git(claimed, "add", "-A")
    (claimed / "src" / "new.pb.go").write_text("func NotAddedYet() {}\n")
    claims = [symbol(one) for one in ("GetUserById", "größe", "locked_name", "NotAddedYet", "only_compiled", "GetUser")]

    assert statuses(claimed, *claims) == [VERIFIED, VERIFIED, VERIFIED, VERIFIED, STALE, STALE]


def test_what_git_passes_over_and_cannot_all_be_read_is_unchecked(
    claimed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (claimed / ".gitattributes").write_text("*.lock binary\n")
    for name in ("a.lock", "b.lock"):
        (claimed / name).write_text("some words\n" * 1_000)

    assert statuses(claimed, symbol("undo_it")) == [STALE]
    monkeypatch.setattr(search, "SPECIAL_FILES_MAX", 1)
    assert told(claimed, symbol("undo_it"))[0].note.endswith("git passes over too many files")
    monkeypatch.setattr(search, "SPECIAL_FILES_MAX", 2)
    monkeypatch.setattr(search, "SPECIAL_FILE_BYTES_MAX", 9_000)
    assert told(claimed, symbol("undo_it"))[0].note.endswith("git passes over a file that is very long")


def test_a_repository_that_git_cannot_read_leaves_symbols_unchecked(claimed: Path) -> None:
    (claimed / ".git" / "config").write_text("[core\n")

    assert told(claimed, symbol("do_it")) == [Verdict(UNCHECKED, "`do_it` was not checked: git failed")]


def test_a_root_that_is_gone_leaves_everything_unchecked(tmp_path: Path) -> None:
    assert statuses(tmp_path / "never", path("x.py"), symbol("do_it")) == [UNCHECKED, UNCHECKED]
    assert statuses(Path("bad\0name"), path("x.py")) == [UNCHECKED]


@invariant("INV-13")
def test_nothing_outside_of_the_root_is_looked_at(claimed: Path, tmp_path: Path) -> None:
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "secret.py").write_text("secret_name = 1\n")
    (claimed / "link").symlink_to(secret)
    (claimed / "alias.py").symlink_to(secret / "secret.py")
    (claimed / "near.py").symlink_to("src/x.py")
    (claimed / "nowhere.py").symlink_to("gone.py")

    outside = ["../outside/secret.py", str(secret / "secret.py"), "link/secret.py", "link/no.py", "alias.py"]
    inside = [path("near.py"), path("nowhere.py"), path(str(claimed / "src" / "x.py")), symbol("secret_name")]

    assert statuses(claimed, *map(path, outside)) == [UNCHECKED] * len(outside)
    assert statuses(claimed, *inside) == [VERIFIED, STALE, VERIFIED, STALE]


@invariant("INV-13")
def test_settings_of_a_repository_neither_run_anything_nor_lead_out_of_it(claimed: Path, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    hostile = tmp_path / "hostile.sh"
    hostile.write_text(f"#!/bin/sh\ntouch {touched}\n")
    hostile.chmod(0o755)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.py").write_text("secret_name = 1\n")
    for name in ("core.fsmonitor", "core.pager", "diff.x.textconv", "filter.x.clean", "core.sshCommand"):
        git(claimed, "config", name, str(hostile))
    for name in ("grep.lineNumber", "grep.column", "grep.fullName", "submodule.recurse"):
        git(claimed, "config", name, "true")
    git(claimed, "config", "color.ui", "always")
    git(claimed, "config", "core.worktree", str(elsewhere))
    (claimed / ".gitattributes").write_text("*.py diff=x filter=x\n")
    (claimed / "src" / "untracked.py").touch()

    assert statuses(claimed, symbol("do_it"), symbol("secret_name"), path("rows.py"), path("untracked.py")) == [
        VERIFIED, STALE, VERIFIED, VERIFIED,
    ]  # fmt: skip
    assert Search(claimed, seconds_max=60).words(["do_it"]) == {"do_it": "src/x.py"}
    assert not touched.exists()


def test_what_git_sets_for_its_hooks_leads_nowhere_else(
    claimed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    (claimed / ".squad").mkdir()
    (claimed / ".squad" / "decisions.md").write_text("Call `gone_name`.\n")

    assert statuses(claimed, symbol("do_it"), path("rows.py"), symbol("gone_name")) == [VERIFIED, VERIFIED, STALE]


@pytest.mark.parametrize(
    "name",
    ["$(rm)", "-x", "--help", "a'b\"c", "a\nb", "a\0b", "`id`", ";ls", "a b", "*", "a|b", "(", "\\", "", "/", ".", "..",
     "a//b.py", ":(exclude)x", "é\udc80", "\u202e", "a" * 5_000],
)  # fmt: skip
def test_a_hostile_name_is_told_on_one_line_and_raises_nothing(claimed: Path, name: str) -> None:
    for verdict in told(claimed, path(name), symbol(name)):
        assert verdict.status in {STALE, UNCHECKED}
        assert "\n" not in verdict.note
        assert verdict.note.count("`") == 2


def test_files_with_hostile_names_are_found_by_what_is_in_them(claimed: Path) -> None:
    names = [b"-leading.py", b"new\nline.py", b"quo'te\".py", b"$(rm).py", b"caf\xe9.py", "größe.py".encode()]
    for number, name in enumerate(names):
        Path(os.fsdecode(os.fsencode(claimed) + b"/" + name)).write_text(f"inside_{number} = 1\n")
    git(claimed, "add", "--all")
    evidence = Evidence(claimed)
    claims = [symbol(f"inside_{number}") for number in range(len(names))]

    for _ in range(2):
        assert {one.status for one in evidence.check(claims).values()} == {VERIFIED}
    assert evidence.check([path("größe.py"), path("-leading.py")]).keys() == {path("größe.py"), path("-leading.py")}
    Path(os.fsdecode(os.fsencode(claimed) + b"/caf\xe9.py")).write_text("other = 1\n")
    assert evidence.check([claims[4]])[claims[4]].status is STALE


def test_names_beyond_ascii_are_found(claimed: Path) -> None:
    (claimed / "maß.py").write_text("größe_x = 1\n", encoding="utf-8")

    assert statuses(claimed, symbol("größe_x"), path("maß.py"), symbol("größe_y")) == [VERIFIED, VERIFIED, STALE]


def test_ten_thousand_claims_are_checked(claimed: Path, git_calls: Path) -> None:
    (claimed / "many.py").write_text("\n".join(f"name_{number} = 1" for number in range(5_000)))
    claims = [symbol(f"name_{number}") for number in range(10_000)]

    found = Evidence(claimed).check(claims, seconds_max=60)

    assert [found[one].status for one in claims] == [VERIFIED] * 5_000 + [STALE] * 5_000
    assert calls(git_calls) < 12


def test_a_common_word_does_not_hide_a_rare_one(claimed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "ROUND_BYTES", 1_000)
    for number in range(50):
        (claimed / f"a{number}.py").write_text("often = 1\n" * 50)
    (claimed / "z.py").write_text("seldom_used = 1\n")

    assert statuses(claimed, symbol("a.often"), symbol("seldom_used"), symbol("never_used")) == [
        VERIFIED,
        VERIFIED,
        STALE,
    ]
