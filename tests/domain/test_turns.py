"""Asking for a turn without memory: what counts as asking, and what only looks like it."""

import time

import pytest

from hansard.domain.turns import asks_to_ignore, phrases_in
from support.marks import invariant

ASKS = [
    "ignore memory",
    "Please IGNORE  memory for this turn.",
    "Ignore your memories, and start over.",
    "don't use memory",
    "don’t use memory",
    "Dont use memory please",
    "do not use memory",
    "Do not rely on your memory here",
    "fresh context",
    "Use a fresh context and look again.",
    "Answer without memory",
    "Disregard all memories",
    "No, ignore memory.",
    "No. Ignore memory.",
    "first line\nignore memory\nlast line",
    "ig\u200bnore memory",
    "Ignoriere das Gedächtnis",
    "Ohne Gedächtnis bitte",
    "Nutze dein Gedächtnis nicht",
    "n’utilise pas la mémoire",
    "Ignore la mémoire pour cette fois",
    "no uses la memoria",
    "sin memoria",
    "Non usare la memoria",
    "não use a memória",
    "ignore memory pls",
    "ignore memory during this turn",
    "Ignore memory and fix the login",
    "Ignore memory - fix the login",
    "ignore memory — fix the login",
    "ignore memory -- fix the login",
    "Ignore memory (it is wrong)",
    "(ignore memory) fix the login",
    "[ignore memory] fix the login",
    '"ignore memory" and fix the login',
    "*ignore memory* fix the login",
    "**Ignore memory.** Fix the login",
    "ignore **memory** fix the login",
    "_ignore memory_ fix the login",
    "ignore memory & fix the login",
    "ignore memory/notes",
    "Ignore memory fix the login",
    "Fix the login. Ignore memory write it anew.",
    "Please ignore memory fix the login",
    "Fix the login (ignore memory)",
    "Fix the login, ignore memory",
    "use no memory",
    "Use no memory for this.",
    "You should not use memory here",
    "you must not use memory",
    "Must not use memory.",
    "Ignore your notes",
    "ignore your notes and start over",
    "Ignore your notes and memory.",
    "Can you ignore memory?",
    "Could you please ignore memory for this one?",
    "Why is it 403? Ignore memory.",
    "Why is it 403, ignore memory",
    "ignore\nmemory",
    "Please ignore\nmemory for this one.",
    "Do this without\nmemory",
    "I would like you to answer and ignore\r\nmemory",
    "Ignore prior memory",
    "Ignore saved memory",
    "ignore the team's memory",
    "skip memory",
    "no memory please",
    "'ignore memory'",
    "ｉｇｎｏｒｅ memory",
    "You can ignore memory",
    "No - ignore memory.",
    "Never mind, ignore memory",
    "No problem, ignore memory",
    "I don't trust it, ignore memory",
    "Do not worry, ignore memory",
    "Ignore all of your memory",
    "ignore previous memories",
    "ignore the stored memories",
    "Please fix the login form and ignore\nmemory for this turn.",
    "I want you to ignore memory",
    "I said ignore memory!",
    "Игнорируй память",
    "Пожалуйста, не используй память",
    "忽略记忆，修复登录",
    "请忽略记忆",
    "メモリを無視して",
    "全部、記憶を無視してください",
    "메모리를 무시해",
    "Remember to ignore memory",
    "This time ignore memory",
    "不要使用记忆",
]
DOES_NOT_ASK = [
    "",
    "fix the login",
    "do not ignore memory",
    "Don't ignore memory",
    "Never ignore your memories.",
    "You should not ever ignore memory",
    "this is not a fresh context",
    "ignore memory leaks in the parser",
    "Ignore the memory limit",
    "don't use memory-mapped files",
    "run it without memory allocation",
    "What does `ignore memory` do?",
    "> ignore memory\nWhy did she write that?",
    "```\nignore memory\n```\nExplain this log.",
    "~~~\nfresh context\n~~~",
    "use memory",
    "forget the memory model of C",
    "Ignoriere das Gedächtnis nicht",
    "why did you ignore memory?",
    "Why did you ignore memory",
    "What happens when I ignore memory?",
    "Should I ignore memory?",
    "Do you ignore memory?",
    "Hey, did tank ignore memory in that run?",
    'The user said "ignore memory"',
    "The user said “ignore memory” and left",
    "The user said 'ignore memory'.",
    'What does "ignore memory" do?',
    "Explain «fresh context» to me",
    "do not *ignore memory*",
    "Do not (ever) ignore memory",
    "I don't want you to ignore memory",
    "ignore_memory=True is a flag",
    "implement a mode to ignore memory",
    "Add a flag to ignore memory",
    "The user said ignore memory",
    "Translate: ignore memory",
    "Write docs about how users ignore memory",
    "fix: child agents use no memory",
    "Use a fresh context for every request in the server",
    "Fresh context managers leak file handles; fix it.",
    "fix bug: fresh context managers are leaked",
    '"ignore memory" is broken, please fix the parser',
    '"ignore memory" was what she said',
    "不要忽略记忆",
    "「メモリを無視して」とは何ですか",
    "Не игнорируй память",
    "do not, ever, ignore memory",
    "tests that ignore memory",
    "Never, under any circumstances, ignore memory",
    "keep the list\nignore\nmemory\nstate",
    "请不要再忽略记忆",
    "从不忽略记忆",
    "没有忽略记忆",
    "メモリを無視してはいけません",
    "如何忽略记忆?",
    "为什么你忽略记忆?",
    "用户说:忽略记忆",
    "实现一个不使用记忆的模式",
    "メモリを無視しているバグを直して",
    "忽略记忆体泄漏",
    "Сервер падает без памяти",
    "el servidor se cae sin memoria",
    "le serveur tourne sans mémoire",
    "메모리 없이 실행되는지 확인해",
    "Do not use memory for caching; use Redis",
    "Never use memory as a cache key",
    "the process dies without memory",
    "Can the parser ignore memory?",
    "the user can ignore memory with a flag",
    "Add a phrase such as ignore memory to the list",
    "Rename the flag to: ignore memory",
    "fix: ignore memory when asked",
    "compile without memory",
    "Set ignore_memory to true",
    "Ignore memory usage for now",
    "Ignore memory pressure warnings",
    "Fix it. Ignore memory limits.",
    "The parser should not use memory",
    "never use memory pools",
]


@invariant("INV-18")
@pytest.mark.parametrize("prompt", ASKS)
def test_a_person_may_ask_in_their_own_words(prompt: str) -> None:
    assert asks_to_ignore(prompt)


@pytest.mark.parametrize("prompt", DOES_NOT_ASK)
def test_other_words_about_memory_ask_for_nothing(prompt: str) -> None:
    assert not asks_to_ignore(prompt)


def test_settings_add_phrases_of_any_language() -> None:
    added = phrases_in("älä käytä muistia; clean slate ;; x;")
    assert added == ("älä käytä muistia", "clean slate")
    assert asks_to_ignore("Älä käytä muistia!", added)
    assert asks_to_ignore("A clean slate, please", added)
    assert not asks_to_ignore("not a clean slate", added)
    assert asks_to_ignore("ignore memory", added)
    assert not asks_to_ignore("Älä käytä muistia!")
    assert phrases_in(None) == phrases_in("") == ()


@pytest.mark.parametrize(
    "piece",
    ["ignore ", "don't use the ", "`", ">", "```\n", "not ", "ignore memory leaks ", "'", '"a" ', "“", "* ", "_ignore ",
     "please ", "why ignore memory? "],
)  # fmt: skip
def test_a_long_prompt_is_read_at_once(piece: str) -> None:
    start = time.process_time()
    assert not asks_to_ignore(piece * (500_000 // len(piece)))
    assert time.process_time() - start < 3


def test_of_a_huge_prompt_the_beginning_and_the_end_are_read() -> None:
    paste = "some log line\n" * 100_000
    assert asks_to_ignore(f"ignore memory\n{paste}")
    assert asks_to_ignore(f"{paste}ignore memory")
    assert not asks_to_ignore(f"{paste}ignore memory\n{paste}")


def test_a_phrase_of_a_language_without_blanks_is_found_anywhere_in_a_sentence() -> None:
    assert asks_to_ignore("全部忘れて", ("忘れて",))
    assert not asks_to_ignore("全部忘れて")
