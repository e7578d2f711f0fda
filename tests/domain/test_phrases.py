"""The spellings of people and agents: what binds is heard however it is written, and harmless sentences are not."""

import pytest

from hansard.domain.compaction import conversations
from hansard.domain.compaction.bullets import compact
from hansard.domain.compaction.topics import Part

MUST = (Part.PHASE, Part.BLOCKER, Part.DECISION, Part.UNAPPROVED, Part.CONSTRAINT)


def heard(said: str, part: Part, speaker: str = "User") -> list[str]:
    # A first request of its own: what is the last request only by chance would be discarded by the ladder.
    text = f"User: Hi there.\nAssistant: Hello.\n{speaker}:\n{said}\nAssistant: Seen."
    return list(compact(conversations.read(text)).parts.get(part, ()))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Phase 2: implementation", "Phase 2: implementation"),
        ("## Phase 2: implementation", "Phase 2: implementation"),
        ("### Phase 2 - implementation", "Phase 2: implementation"),
        ("## Phase 2", "Phase 2"),
        ("**Phase 2: Wire the login**", "Phase 2: Wire the login"),
        ("**Phase 2:** Wire the login", "Phase 2: Wire the login"),
        ("Phase 2 of 4: tests", "Phase 2 of 4: tests"),
        ("Phase 2/4: tests", "Phase 2/4: tests"),
        ("Phase #2: tests", "Phase 2: tests"),
        ("Phase II: tests", "Phase II: tests"),
        ("🚀 Phase 3: rollout", "Phase 3: rollout"),
        ("- Phase 3: rollout", "Phase 3: rollout"),
        ("Phase - rollout", "rollout"),
        ("PHASE: rollout", "rollout"),
        ("Current phase is 2: wire the login", "Phase 2: wire the login"),
        ("The current phase is testing.", "Testing."),
        ("We're now in phase 2.", "Phase 2."),
        ("I am in phase 3: tests.", "Phase 3: tests."),
        ("Let's move on to phase 3.", "Phase 3."),
        ("Proceeding with phase 2: tests.", "Phase 2: tests."),
        ("Started phase 2.", "Phase 2."),
        ("Phase 2 has started.", "Phase 2"),
        ("Phase 2 (tests) begins now.", "Phase 2 (tests)"),
        ("We are in the testing phase.", "Testing phase."),
        ("Phase is now: testing", "testing"),
        ("Phase 2 (tests)", "Phase 2: tests"),
        ("Phase two: tests", "Phase two: tests"),
        ("=== Phase 2: tests ===", "Phase 2: tests"),
        ("We have entered phase 2.", "Phase 2."),
        ("Phase 2 is in progress.", "Phase 2"),
        ("Aktuelle Phase: Umsetzung", "Umsetzung"),
        ("Die aktuelle Phase ist Umsetzung.", "Umsetzung."),
        ("Wir sind jetzt in Phase 2.", "Phase 2."),
        ("Wir starten Phase 3: Tests.", "Phase 3: Tests."),
        ("Weiter mit Phase 3.", "Phase 3."),
        ("Phase 2 beginnt.", "Phase 2"),
    ],
)
def test_a_phase_is_heard_however_it_is_written(said: str, kept: str) -> None:
    assert heard(said, Part.PHASE) == [kept]
    assert heard(said, Part.PHASE, "Assistant") == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "In phase 3 we will add mail.", "Phase 2 will be hard.", "The moon has phases.", "Phase 1 was fun.",
        "Which phase are we in?", "The phase is complete.", "This phase of the moon is nice.",
        "If phase 2 starts, tell me.", "We phase it out.", "The login phases are slow.",
    ],
)  # fmt: skip
def test_what_only_mentions_a_phase_is_none(said: str) -> None:
    assert heard(said, Part.PHASE) == []


def test_a_plan_of_phases_names_no_active_one_if_another_line_does() -> None:
    plan = "## Phase 1: Setup\n- a\n## Phase 2: Build\n- b\n## Phase 3: Ship\n- c"

    assert heard(f"Current phase: 2\n\n{plan}", Part.PHASE) == ["2"]
    assert heard(plan, Part.PHASE) == ["Phase 1: Setup", "Phase 2: Build", "Phase 3: Ship"]
    assert heard(plan.replace("Phase 1: Setup", "✅ Phase 1: Setup"), Part.PHASE) == [
        "Phase 2: Build",
        "Phase 3: Ship",
    ]
    assert heard("Phase 1: done\nPhase 2: build", Part.PHASE) == ["Phase 2: build"]


@pytest.mark.parametrize(
    "later", ["Phase 2 is complete.", "Phase 2 complete: all green", "Phase complete: 2", "Phase 2: done"]
)
def test_a_phase_ends_by_its_number(later: str) -> None:
    assert heard(f"Phase 2: build\n\n{later}", Part.PHASE) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Blocker 3: DB is down", "3: DB is down"),
        ("Blocker #2: no SMTP", "2: no SMTP"),
        ("Blocker-4: no SMTP", "4: no SMTP"),
        ("Blocker - no SMTP.", "no SMTP."),
        ("Blocker — no SMTP.", "no SMTP."),
        ("⛔ Blocker: no SMTP", "no SMTP"),
        ("⛔️ **Blocker:** no SMTP", "no SMTP"),
        ("**Blocker 1**: no SMTP", "1: no SMTP"),
        ("**Blocker: no SMTP**", "no SMTP"),
        ("[BLOCKER] no SMTP", "no SMTP"),
        ("Blocker (P1): no SMTP", "no SMTP (P1)"),
        ("Blocker:no SMTP", "no SMTP"),
        ("## Blocker 2: no SMTP", "2: no SMTP"),
        ("### Blocker 2\nNo SMTP here.", "No SMTP here."),
        ("1. Blocker: no SMTP", "no SMTP"),
        ("Known blockers:\n- no SMTP", "no SMTP"),
        ("Showstopper: no SMTP", "no SMTP"),
        ("Our biggest blocker: no SMTP", "no SMTP"),
        ("Update: Blocker: no SMTP", "no SMTP"),
        ("On hold until legal signs off.", "On hold until legal signs off."),
        ("Waiting on ops for the credentials.", "Waiting on ops for the credentials."),
        ("Das Release ist blockiert, bis SMTP läuft.", "Das Release ist blockiert, bis SMTP läuft."),
        ("Blocked by a missing key.", "a missing key."),
        ("We are blocked on SMTP.", "SMTP."),
        ("I'm currently blocked because SMTP is down.", "I'm currently blocked because SMTP is down."),
        ("The release is blocked by SMTP.", "The release is blocked by SMTP."),
        ("The missing key is blocking us.", "The missing key is blocking us."),
        ("The missing key blocks the release.", "The missing key blocks the release."),
        ("SMTP is a blocker.", "SMTP is a blocker."),
        ("The only blocker is the missing key.", "the missing key."),
        ("There is a blocker: no SMTP", "no SMTP"),
        ("I can't proceed without SMTP.", "I can't proceed without SMTP."),
        ("Cannot continue until ops answer.", "Cannot continue until ops answer."),
        ("We're stuck on SMTP.", "We're stuck on SMTP."),
        ("I am waiting for approval from ops.", "I am waiting for approval from ops."),
        ("Blockiert: kein SMTP", "kein SMTP"),
        ("Blockiert durch fehlendes SMTP.", "fehlendes SMTP."),
        ("Wir sind blockiert durch SMTP.", "SMTP."),
        ("Hindernis: kein SMTP", "kein SMTP"),
        ("Ich komme nicht weiter, weil SMTP fehlt.", "Ich komme nicht weiter, weil SMTP fehlt."),
        ("Der Schlüssel ist ein Blocker.", "Der Schlüssel ist ein Blocker."),
        ("Das blockiert uns.", "Das blockiert uns."),
    ],
)
def test_a_blocker_is_heard_however_it_is_written(said: str, kept: str) -> None:
    assert heard(said, Part.BLOCKER) == [kept]
    assert heard(said, Part.BLOCKER, "Assistant") == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "We are not blocked.", "No blockers.", "Blockers: none", "This is no longer a blocker.",
        "SMTP is not a blocker.", "The tree is the work tree one stands in.",
        "Is SMTP a blocker?", "If we are blocked by SMTP, tell me.", "Use an ad blocker.", "The code block is long.",
        "Blocker 3: resolved", "Nothing blocks us.", "Keine Blocker.", "I am waiting for the tests.",
        "✅ Blocker: no SMTP",
        "I can't find the file.", "It is a blocking call.", "Wir sind nicht blockiert.",
    ],
)  # fmt: skip
def test_what_only_mentions_a_blocker_is_none(said: str) -> None:
    assert heard(said, Part.BLOCKER) == []


@pytest.mark.parametrize(
    "later", ["Resolved: Blocker 3", "Blocker 3 is resolved.", "Blocker #3: fixed", "Resolved: DB is down", "Fixed: 3"]
)
def test_a_blocker_with_a_number_is_resolved_by_it_or_by_its_words(later: str) -> None:
    assert heard(f"Blocker 3: DB is down\n\nBlocker 4: no net\n\n{later}", Part.BLOCKER) == ["4: no net"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Decision #10: use argon2", "10: use argon2"),
        ("Decision 8: use argon2", "8: use argon2"),
        ("Decision D-8: use argon2", "D-8: use argon2"),
        ("Decision D-8 approved: use argon2", "D-8: use argon2"),
        ("Decision approved: use argon2", "use argon2"),
        ("Decision A5: use argon2", "A5: use argon2"),
        ("Decision no. 8: use argon2", "8: use argon2"),
        ("**Decision 8:** use argon2", "8: use argon2"),
        ("**Decision: use argon2**", "use argon2"),
        ("## Decision 8: use argon2\n\nIt is slow.", "8: use argon2"),
        ("Decision - use argon2", "use argon2"),
        ("Decision → use argon2", "use argon2"),
        ("✅ Decision: use argon2", "use argon2"),
        ("[Decision] use argon2", "use argon2"),
        ("Decision (2026-05-01): use argon2", "use argon2 (2026-05-01)"),
        ("Final decision: use argon2", "use argon2"),
        ("Design decision: use argon2", "use argon2"),
        ("Key decision #3 — use argon2", "3: use argon2"),
        ("Decisions so far:\n- use argon2", "use argon2"),
        ("Consensus: use argon2", "use argon2"),
        ("I've decided to use argon2.", "I've decided to use argon2."),
        ("We decided against mail.", "We decided against mail."),
        ("It was decided that we use argon2.", "It was decided that we use argon2."),
        ("Decided to use argon2.", "Decided to use argon2."),
        ("Agreed on argon2.", "Agreed on argon2."),
        ("We settled on argon2.", "We settled on argon2."),
        ("We chose argon2.", "We chose argon2."),
        ("The decision is to use argon2.", "The decision is to use argon2."),
        ("Entscheidung: argon2 nehmen", "argon2 nehmen"),
        ("Entscheidung 4: argon2 nehmen", "4: argon2 nehmen"),
        ("Beschluss: argon2 nehmen", "argon2 nehmen"),
        ("Wir haben uns für argon2 entschieden.", "Wir haben uns für argon2 entschieden."),
        ("Wir haben uns auf argon2 geeinigt.", "Wir haben uns auf argon2 geeinigt."),
        ("Es wurde beschlossen, argon2 zu nehmen.", "Es wurde beschlossen, argon2 zu nehmen."),
        ("Ich habe entschieden, dass wir argon2 nehmen.", "Ich habe entschieden, dass wir argon2 nehmen."),
    ],
)
def test_a_decision_is_heard_however_it_is_written(said: str, kept: str) -> None:
    assert heard(said, Part.DECISION) == [kept]
    assert (heard(said, Part.DECISION, "Assistant"), heard(said, Part.UNAPPROVED, "Assistant")) == ([], [kept])


@pytest.mark.parametrize(
    "said",
    [
        "I approve A5.", "I approve the second plan.", "Approved A5.", "Let's go with argon2.",
        "We're going with argon2.", "I'm going with argon2.", "Use argon2, that's decided.", "Argon2 it is.",
        "We'll use argon2.", "Wir nehmen argon2.", "Ich genehmige A5.", "Wir bleiben bei argon2.", "Go with option B.",
    ],
)  # fmt: skip
def test_a_choice_of_the_user_is_a_decision_and_a_plan_of_the_assistant_is_none(said: str) -> None:
    assert heard(said, Part.DECISION) == [said]
    assert heard(said, Part.UNAPPROVED, "Assistant") == []


@pytest.mark.parametrize(
    "said",
    [
        "We have not decided.", "We have not yet agreed on it.", "We need to decide.", "The decision is open.",
        "Have we decided?", "If we decide to wait, tell me.", "Approved - thanks.", "Decisions are hard.",
        "Wir haben noch nicht entschieden.", "Let's go.", "We could go with argon2.", "Decision 8: rejected",
        "Decision (proposed): use mail", "I agree.", "Wer entscheidet das?",
    ],
)  # fmt: skip
def test_what_only_mentions_a_decision_is_none(said: str) -> None:
    assert heard(said, Part.DECISION) == []


def test_an_approval_by_number_approves_that_one_alone() -> None:
    proposed = "User: how?\nAssistant: Decision A5: by post\nDecision A6: by mail\nUser: "
    parts = compact(conversations.read(f"{proposed}I approve A5.")).parts
    assert (parts[Part.DECISION], parts[Part.UNAPPROVED]) == (("A5: by post",), ("A6: by mail",))
    parts = compact(conversations.read(f"{proposed}Approved, thanks.")).parts
    assert parts[Part.DECISION] == ("A5: by post", "A6: by mail")
    parts = compact(conversations.read(f"{proposed}Approved, use S3.")).parts
    assert (Part.DECISION in parts, len(parts[Part.UNAPPROVED])) == (False, 2)
    parts = compact(conversations.read(f"{proposed}I approve B7.")).parts
    assert (parts[Part.DECISION], len(parts[Part.UNAPPROVED])) == (("I approve B7.",), 2)


@pytest.mark.parametrize(
    "said",
    [
        "Dont push to main.", "DO NOT push to main!", "don’t push to main.", "Secrets must never be logged.",
        "The agent may not delete data.", "It is forbidden to log passwords.", "I don't want you to touch prod.",
        "Ask me before deleting anything.", "Leave the billing module alone.", "Keep the public API unchanged.",
        "IMPORTANT: never push to main.", "And please don't touch prod.", "You are not allowed to deploy.",
        "Nobody may push to main.", "No force pushes.", "No new dependencies.", "No secrets in the logs.",
        "Avoid touching the schema.", "Refrain from refactoring.", "Hands off the billing module.",
        "Stay away from prod.", "Before you delete anything, ask me.", "Check with me before you deploy.",
        "Nothing gets deleted without my approval.", "Fix the login, but don't touch prod.",
        "Fix the login and never log a password.", "Production is read-only.", "The schema is frozen.",
        "Make sure nothing leaves the network.", "Be careful not to break the API.", "Passwords should not be logged.",
        "Tests mustn't hit the network.", "The API must stay compatible.", "Stick to the standard library.",
        "Touch only files in src.", "I'd rather you didn't touch prod.", "Deploying on Friday is prohibited.",
        "Pls dont touch prod", "Prod is not to be touched.", "Only ops may deploy.", "Deploys need my approval.",
        "Passwords must be hashed.", "It's not ok to log secrets.", "We don't log secrets.", "Stop pushing to main.",
        "Do it without touching the API.", "Customer data stays in the EU.", "The tests must pass before you merge.",
        "Kein Push auf main.", "Die API bleibt unverändert.", "Vor dem Löschen immer fragen.",
        "Bitte nicht auf main pushen.", "Niemals Passwörter loggen.", "Passwörter dürfen nie geloggt werden.",
        "Du darfst keine Daten löschen.", "Keine Secrets loggen.", "Finger weg von der Produktion.",
        "Lass das Billing-Modul in Ruhe.", "Frag mich, bevor du etwas löschst.", "Lösche keine Daten.",
        "Es ist verboten, Passwörter zu loggen.", "Die API muss unverändert bleiben.", "Nur Dateien in src ändern.",
        "Ich will nicht, dass du die Produktion anfasst.", "Fass die Produktion nicht an.",
        "Please keep the old API alive until March.", "Read-only access to prod only.", "Keep the old host running.",
        "Die Produktion ist tabu.", "Unter keinen Umständen deployen.", "Nichts ohne meine Zustimmung mergen.",
    ],
)  # fmt: skip
def test_a_constraint_of_the_user_is_heard_however_it_is_said(said: str) -> None:
    assert heard(said, Part.CONSTRAINT) == [said]
    assert heard(said, Part.CONSTRAINT, "Assistant") == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Constraint 2: no mail", "2: no mail"),
        ("🔒 Constraint: no mail", "no mail"),
        ("Constraint - no mail", "no mail"),
        ("* Constraint — no mail", "no mail"),
        ("**Guardrail 1:** no mail", "1: no mail"),
        ("Rule 1: no mail", "1: no mail"),
        ("Policy: no mail", "no mail"),
        ("Off limits: the billing module", "Forbidden: the billing module"),
        ("Never: push to main", "Forbidden: push to main"),
        ("## Red lines\n- never push to main", "never push to main"),
        ("Einschränkung: kein Mailversand", "kein Mailversand"),
        ("Verboten: auf main pushen", "Forbidden: auf main pushen"),
        ("Sicherheitsregeln:\n- kein Mailversand", "kein Mailversand"),
    ],
)
def test_a_constraint_under_a_label_is_heard_from_everybody(said: str, kept: str) -> None:
    assert heard(said, Part.CONSTRAINT) == [kept]
    assert heard(said, Part.CONSTRAINT, "Assistant") == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "It may not work.", "This should not take long.", "That should not be a problem.", "I don't know.",
        "I don't want to wait.", "No problem.", "No, thanks.", "No idea.", "No tests failed.", "Keep going.",
        "Leave a comment in the code.", "Check the logs first.", "The test can't pass.",
        "I tried it, but don't know why.",
        "I tried it and never got an answer.", "Don't worry.", "Keep it simple.",
        "Keep trying until it works.", "Read-only access to prod works.", "No changes were made.",
        "Why must it not be logged?", "It isn't done yet.", "I cannot see it.", "Run the tests.", "Add a login form.",
        "Nicht schlecht.", "Keine Ahnung.", "Das war nicht so gut.", "Ich habe das nie gesehen.", "Keine Fragen.",
        "Mach weiter.", "Use argon2 for hashing.", "The tests are not done.", "Never mind.", "Looks good to me.",
        "Das habe ich nicht verstanden.", "I have not seen the file.", "We do not know that yet.",
    ],
)  # fmt: skip
def test_a_harmless_sentence_binds_nobody(said: str) -> None:
    assert [heard(said, part) for part in MUST] == [[]] * len(MUST)


def test_a_sentence_that_goes_on_in_the_next_line_is_kept_whole() -> None:
    assert heard("Never delete rows in the\nbilling table. Thanks.", Part.CONSTRAINT) == [
        "Never delete rows in the billing table."
    ]
    assert heard("- never delete rows in the\n  billing table", Part.CONSTRAINT) == [
        "never delete rows in the billing table"
    ]


def test_a_very_long_sentence_is_looked_at_only_at_its_beginning() -> None:
    long = "Never touch " + "x is not blocked and never not " * 40_000

    assert heard(long, Part.CONSTRAINT) == [long.strip()]
