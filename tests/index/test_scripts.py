"""Scripts that the model does not know: texts are found by their own words, and chance stays below the floor."""

import random
import time
import unicodedata
from collections.abc import Iterator

import numpy as np
import pytest

from hansard import Hansard
from hansard.domain.questions import read
from hansard.embedding.static import bundled
from hansard.index import relevance as rel
from hansard.index.project import Found, ProjectIndex, Sight
from hansard.index.relevance import INJECTION_FLOOR
from hansard.index.search import (
    SPELLED_TERMS_MAX,
    SPELLED_WORD_TERMS_MAX,
    TERMS_COMPARED_MAX,
    _most_telling,
    _within,
)
from hansard.project import Project
from hansard.settings import Settings
from index import NOW, flat, rows_of
from support.clock import FakeClock
from support.scripts import SCRIPTS

BACKUPS = {
    "Tamil": "தரவுத்தளம் ஒவ்வொரு இரவும் காப்புப் பிரதி எடுக்கப்படுகிறது",
    "Hindi": "डेटाबेस का बैकअप हर रात लिया जाता है",
    "Bengali": "ডাটাবেস প্রতি রাতে ব্যাকআপ করা হয়",
    "Burmese": "ဒေတာဘေ့စ်ကို ညတိုင်း အရန်သိမ်းသည်",
    "Khmer": "មូលដ្ឋានទិន្នន័យត្រូវបានបម្រុងទុករៀងរាល់យប់",
    "Lao": "ຖານຂໍ້ມູນຖືກສຳຮອງທຸກຄືນ",
    "Thai": "ฐานข้อมูลถูกสำรองทุกคืนเวลาเที่ยงคืน",
    "Tibetan": "གཞི་གྲངས་མཛོད་མཚན་མོ་རེ་རེར་གྲབས་ཉར་བྱེད",
    "Hebrew": "בסיס הנתונים מגובה בכל לילה",
    "Arabic": "قاعدة البيانات تُنسخ احتياطيا كل ليلة",
    "Armenian": "Տվյալների բազան պահուստավորվում է ամեն գիշեր",
    "Georgian": "მონაცემთა ბაზა ყოველ ღამით ინახება",
    "Amharic": "የውሂብ ጎታው በየምሽቱ ይቀመጣል",
    "Greek": "Η βάση δεδομένων αντιγράφεται κάθε βράδυ",
    "Ukrainian": "Базу даних щоночі резервують",
    "Korean": "데이터베이스는 매일 밤 백업됩니다",
    "Japanese": "データベースは毎晩バックアップされます",
    "Chinese": "数据库每天晚上备份",
    "Vietnamese": "Cơ sở dữ liệu được sao lưu mỗi đêm",
}
UNSPACED = ("Burmese", "Khmer", "Lao", "Thai", "Japanese", "Chinese", "Korean")
VERBATIM_RELEVANCE_MIN = 0.95
LONG_QUESTION_SECONDS_MAX = 3.0


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hansard]:
    place = tmp_path_factory.mktemp("scripts") / "hansard.db"
    with Hansard.open(place, settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        hansard.project("backups", create=True).remember_many(
            [{"content": text, "agent": "tank"} for text in BACKUPS.values()]
        )
        yield hansard


def relevance(project: Project, question: str) -> float:
    return max((hit.relevance for hit in project.recall(question, agent="tank", limit=1)), default=0.0)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("language", BACKUPS)
def test_a_text_is_found_first_by_its_own_words(opened: Hansard, language: str, form: str) -> None:
    text = BACKUPS[language]
    asked = text if form == "NFC" else unicodedata.normalize("NFD", text)
    first = opened.project("backups").recall(asked, agent="tank", limit=1)[0]
    assert first.memory.content == text
    assert first.relevance >= VERBATIM_RELEVANCE_MIN


@pytest.mark.parametrize("language", UNSPACED)
def test_a_text_without_blanks_is_found_by_a_part_of_it(opened: Hansard, language: str) -> None:
    text = BACKUPS[language]
    part = text[len(text) // 3 : 2 * len(text) // 3 + 1]
    first = opened.project("backups").recall(part, agent="tank", limit=1)[0]
    assert first.memory.content == text
    assert first.relevance >= VERBATIM_RELEVANCE_MIN


@pytest.mark.parametrize("language", SCRIPTS)
def test_in_every_script_an_answer_is_above_the_floor_and_chance_is_below(opened: Hansard, language: str) -> None:
    answered, by_chance, firsts = [], [], []
    projects = [opened.project(f"{language}-{place}", create=True) for place in range(2)]
    for project, told in zip(projects, SCRIPTS[language], strict=True):
        project.remember_many([{"content": fact, "agent": "tank"} for fact, _ in told.pairs()])
    for project, stranger, told in zip(projects, reversed(projects), SCRIPTS[language], strict=True):
        for fact, question in told.pairs():
            answered.append(relevance(project, question))
            by_chance.append(relevance(stranger, question))
            firsts.append(project.recall(question, agent="tank", limit=1)[0].memory.content == fact)
    assert np.mean(firsts) >= 0.9
    assert np.mean(np.array(answered) >= INJECTION_FLOOR) >= 0.8
    assert np.mean(np.array(by_chance) >= INJECTION_FLOOR) <= 0.2


def test_the_model_is_trusted_as_far_as_it_knows_the_words() -> None:
    lengths = [float(np.linalg.norm(bundled().embed_query(text))) for text in ("the key", "the ключ", "ключ")]
    assert lengths[0] == pytest.approx(1, abs=1e-3)
    assert 0.1 < lengths[1] < 0.9
    assert lengths[2] == 0


def test_a_known_word_in_an_unknown_text_still_counts(opened: Hansard) -> None:
    project = opened.project("mixed", create=True)
    project.remember("Сервер nginx перезагружается по пятницам.", agent="tank")
    project.remember("Сервер postgres хранит журналы тридцать дней.", agent="tank")
    hits = project.recall("Почему падает nginx?", agent="tank")
    assert "nginx" in hits[0].memory.content
    assert all(hit.relevance < hits[0].relevance - 0.2 for hit in hits[1:])


def searched(query: str, *texts: str) -> list[Found]:
    index = ProjectIndex(bundled(), 256)
    index.apply(flat([rows_of(seq, text) for seq, text in enumerate(texts)]), 1)
    return sorted(index.search(read(query), bundled().embed_query(query), Sight("tank", NOW), 10))


def test_a_long_word_counts_as_much_as_a_short_one() -> None:
    short, long = searched("ключ перезагружается", "ключ", "перезагружается")
    assert short.coverage == pytest.approx(0.5, abs=0.02)
    assert long.coverage == pytest.approx(0.5, abs=0.02)


def test_a_word_that_shares_a_few_letters_is_no_match_and_one_with_another_ending_nearly_is() -> None:
    few, ending = searched("перезагружается", "перевод", "перезагружаются")
    assert few.coverage == 0
    assert 0.6 < ending.coverage < 1


def test_the_cosine_weighs_as_much_as_the_model_knows_of_the_question() -> None:
    for query in ("restart nginx", "restart nginx сервер", "сервер"):
        trust = round(float(np.linalg.norm(bundled().embed_query(query))), 3)
        (found,) = searched(query, "сервер nginx restarts")
        weight = rel.COSINE_WEIGHT * trust
        assert found.relevance == pytest.approx((1 - weight) * found.coverage + weight * found.cosine, abs=1e-3)
        assert (found.cosine == 0) == (trust == 0)


def test_letters_that_no_text_holds_tell_half_as_much() -> None:
    model = bundled()
    ((word,),) = model.wordpiece.asked(["ключ"])[1]
    terms = np.array([word, model.wordpiece.ids["zeppelin"]], np.int64)
    unheld, held = (rel.term_weights(model, terms, np.full(2, count, np.float32), 10_000) for count in (0, 1))
    assert unheld[0] == pytest.approx(held[0] / 2, rel=0.2)
    assert unheld[1] == pytest.approx(held[1], rel=0.2)


def test_a_question_of_very_many_letters_is_answered_soon_and_finds_what_it_is_about() -> None:
    letters = random.Random(3)

    def written(count: int) -> str:
        return "".join(chr(letters.randrange(0x4E00, 0x9FFF)) for _ in range(count))

    texts = [written(5_000) for _ in range(8)]
    index = ProjectIndex(bundled(), 256)
    index.apply(flat([rows_of(seq, text) for seq, text in enumerate(texts)]), 1)
    asked = written(700) + texts[5][1_000:1_300] + written(700)
    begun = time.monotonic()
    best = index.search(read(asked), None, Sight("tank", NOW), 3)[0]
    assert time.monotonic() - begun < LONG_QUESTION_SECONDS_MAX
    assert best.memory_seq == 5


def test_only_the_most_telling_letters_of_a_long_question_are_compared_and_words_stay_whole() -> None:
    weights = np.ones(TERMS_COMPARED_MAX + 40, np.float32)
    weights[[3, 7]] = 0.5
    kept = _most_telling(weights, TERMS_COMPARED_MAX + 2).tolist()
    assert kept == [place for place in range(len(weights)) if place not in (3, 7)]
    assert _most_telling(weights[:TERMS_COMPARED_MAX], TERMS_COMPARED_MAX).tolist() == list(range(TERMS_COMPARED_MAX))
    spelled = _within([[1, 2], list(range(SPELLED_TERMS_MAX)), *([[5] * 20] * SPELLED_TERMS_MAX)])
    assert spelled[0] == [1, 2]
    assert len(spelled[1]) == SPELLED_WORD_TERMS_MAX
    assert sum(map(len, spelled)) == SPELLED_TERMS_MAX
    assert all(spelled)


def test_terms_are_compared_alike_in_one_go_or_in_many(monkeypatch: pytest.MonkeyPatch) -> None:
    model = bundled()
    known = len(model.vectors)
    terms = np.array([known + 7, 2_000, known + 9, 3_000, 2_500], np.int64)
    tokens = np.array([2_000, known + 7, 3_001, 2_501, known + 9, known + 9], np.uint16)
    begins = np.array([0, 2, 3, 5], np.int64)
    alike = np.clip((model.similarity(terms, tokens.astype(np.int64)) - 0.4) / 0.6, 0, 1)
    expected = np.maximum.reduceat(alike, begins, axis=1)
    for at_once in (rel.MATCHES_MAX, 1):
        monkeypatch.setattr(rel, "MATCHES_MAX", at_once)
        assert rel._best(model, terms, tokens, begins) == pytest.approx(expected, abs=1e-5)
