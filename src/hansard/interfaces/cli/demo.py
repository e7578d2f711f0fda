"""Owns `hansard demo`: a small web shop with three agents, to look around in."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from hansard.app import Hansard
from hansard.domain.actors import Actor, key_of
from hansard.domain.errors import UnknownProject
from hansard.domain.vocabulary import Role
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, command, emit, say
from hansard.interfaces.cli.edge import PROGRAM
from hansard.project import Project
from hansard.settings import BY_NAME

KEY = "demo-shop"
AGENTS = ("tank", "trinity", "morpheus")

# Slug, author, type, title, content, rationale, and what the review made of it.
PROPOSALS: tuple[tuple[str, str, str, str, str, str, str], ...] = (
    ("one-database", "trinity", "architectural", "One PostgreSQL for all shop data",
     "Orders, customers and stock live in one PostgreSQL database. No service keeps data of its own elsewhere.",
     "Refunds touch all three; two databases lost an order in March.", "merge"),
    ("guest-checkout", "morpheus", "scope", "Guest checkout is in scope",
     "A customer can order without an account. Asking for a password before payment is not allowed.",
     "38 % of carts were abandoned at the sign-up page.", "merge"),
    ("no-marketplace", "morpheus", "scope", "No third-party sellers this year",
     "Do not add seller accounts, commissions or payouts.", "Legal review starts in January at the earliest.", "merge"),
    ("mysql-first", "tank", "architectural", "MySQL for the catalogue",
     "The catalogue is read from a MySQL replica.", "It was there already.", "supersede"),
    ("review-before-merge", "trinity", "process", "Two green runs before a merge",
     "Merge only after the test suite was green twice on the branch.", "The payment tests are flaky.", "merge"),
    ("money-as-integers", "tank", "technical", "Money is integer cents",
     "Amounts are integers in the smallest unit; the currency stands beside them.",
     "Rounding of floats cost 0.3 % of the VAT.", "merge"),
    ("stripe-idempotency", "tank", "learning", "Stripe retries need an idempotency key",
     "Calls to the payment provider without an Idempotency-Key were charged twice when the worker restarted.",
     "Seen in run 12 of the checkout work.", "merge"),
    ("retry-with-jitter", "trinity", "pattern", "Retry with jitter",
     "Wrap calls to other services in the retry helper of shop/net.py: three tries, exponential, full jitter.",
     "Synchronised retries took the stock service down.", "merge"),
    ("search-moved", "trinity", "update", "Search no longer uses the catalogue table",
     "Product search reads the view product_search; queries on products directly are slow since the split.",
     "Corrects the older note about the products index.", "merge"),
    ("weekly-release", "morpheus", "process", "Release every Tuesday", "Ship on Tuesdays at 10:00 UTC.",
     "Support is staffed then.", "archive"),
    ("kafka-events", "tank", "architectural", "Publish order events on Kafka",
     "Every change of an order is published as an event.", "Other teams may want to listen.", "reject"),
    ("track-everyone", "morpheus", "scope", "Track anonymous visitors",
     "Store a fingerprint of each visitor.", "More data for campaigns.", "reject"),
    ("image-cdn", "trinity", "architectural", "Serve product images from a CDN",
     "Images are uploaded to object storage and served through a CDN with signed URLs.",
     "The web servers spend 40 % of their time on images.", "pending"),
    ("cart-expiry", "tank", "scope", "Carts expire after 30 days", "Carts older than 30 days are deleted at night.",
     "The table has 4 million dead rows.", "pending"),
    ("flaky-payment-test", "tank", "learning", "The payment test needs a fixed clock",
     "test_refund fails near midnight because it compares dates in two zones.", "Failed three nights in a row.",
     "pending"),
)  # fmt: skip

# Type, title and content of what was decided without the inbox.
DIRECT: tuple[tuple[str, str, str], ...] = (
    ("technical", "Python 3.12 and no newer", "The shop runs on Python 3.12 until the payment library supports 3.13."),
    ("process", "Secrets come from the environment", "No key or password stands in a file of the repository."),
)

MEMORIES: tuple[dict[str, Any], ...] = (
    {"agent": "tank", "type": "core_context", "importance": "high",
     "content": "You maintain checkout and payment: shop/checkout, shop/payment and their tests."},
    {"agent": "tank", "type": "core_context",
     "content": "Run `make check` before you propose a change; it takes 90 s."},
    {"agent": "trinity", "type": "core_context", "importance": "high",
     "content": "You maintain catalogue and search: shop/catalogue, shop/search."},
    {"agent": "morpheus", "type": "core_context", "importance": "high",
     "content": "You plan the work, review proposals and keep the scope small."},
    {"agent": "trinity", "type": "learning", "importance": "high", "tags": ["cross-team", "sandbox"],
     "content": "The sandbox blocks writes outside the worktree; put scratch files under .tmp/."},
    {"agent": "tank", "type": "learning", "importance": "medium",
     "content": "The sandbox of the payment provider declines amounts that end in 13 cents."},
    {"agent": "tank", "type": "learning", "importance": "low", "source": "task_completion",
     "content": "Task: rename Basket to Cart\n\nOutput:\n41 files changed, all tests green."},
    {"agent": "morpheus", "type": "pattern", "importance": "high", "tags": ["cross-team"],
     "content": "Write the migration and its way back in one change; deploy the migration alone first."},
)  # fmt: skip


@click.command()
@command()
def demo(call: Call) -> None:
    """Create the demo project, once, and show what an agent is told.

    --agent chooses whose turn it is: tank, trinity or morpheus.

    \b
    Example:
      hansard demo --db demo.db
    """
    reader = _reader(call)
    with call.hansard(create=True) as hansard:
        try:
            project = hansard.project(KEY)
            created = False
        except UnknownProject:
            project = hansard.project(KEY, create=True, name="A small web shop")
            _fill(hansard, project)
            created = True
        block = project.compile(agent=reader)
        counts = {
            "decisions": len(project.list_decisions(status="all").items),
            "proposals": len(project.list_inbox(status="all").items),
            "memories": len(project.list_memories().items),
        }
        place = hansard.settings.db
        shown_place = hansard.settings.shown(BY_NAME["db"])
        is_file = place is not None and "://" not in place
        alone = len(hansard.projects()) == 1

    def shown() -> None:
        told = ", ".join(f"{number} {name}" for name, number in counts.items())
        where = shown_place or "the default database"
        say(f"The project {KEY!r} {'was created' if created else 'is there already'} in {where}: {told}.")
        say(f"This is what {reader} is told at the start of a turn:\n")
        emit(f"{block.text}\n" if block else "")
        say("Look around:")
        for line in ("decisions list --status all", "inbox list", "memory list", "history verify"):
            say(f"  {_program()} {line} --project {KEY}" + (f" --db {shlex.quote(str(shown_place))}" if place else ""))
        if is_file and alone:
            say(f"To remove the demo, delete the file {place}: nothing else is in it.")
        elif alone:
            say("To remove the demo, drop the database: nothing else is in it.")

    call.answer({"created": created, "project": KEY, "counts": counts, "context": shapes.block(block)}, shown)


def _reader(call: Call) -> str:
    """Whose turn it is. The demo has a project and people of its own, so no other flag has a meaning."""
    for name in ("project", "role"):
        if call.flags.get(name) is not None:
            raise click.UsageError(f"The demo has a project of its own, {KEY!r}; leave out --{name}.")
    wanted = key_of(call.flags.get("agent") or AGENTS[0])
    if wanted not in AGENTS:
        raise click.UsageError(f"The agents of the demo are {', '.join(AGENTS)}; leave out --agent or name one.")
    return wanted


def _program() -> str:
    """How this program was called, so that what is printed works when it is pasted."""
    called = sys.argv[0]
    if Path(called).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m hansard"
    found = shutil.which(PROGRAM)
    if found is not None and Path(found).resolve() == Path(called).resolve():
        return PROGRAM
    return shlex.quote(called)


def _fill(hansard: Hansard, project: Project) -> None:
    """Lets everybody do their own part: agents propose, remember and finish, ana reviews and decides."""
    as_agent = {name: hansard.project(KEY, actor=Actor(name, Role.AGENT)) for name in AGENTS}
    run = as_agent["tank"].start_run(task="Make checkout safe to retry", task_type="feature")
    for slug, author, type_, title, content, rationale, fate in PROPOSALS:
        entry = as_agent[author].propose(
            slug=slug, type=type_, title=title, content=content, rationale=rationale,
            run_id=run.id if author == "tank" else None,
        )  # fmt: skip
        _review(project, entry.id, fate)
    for type_, title, content in DIRECT:
        project.decide(type=type_, title=title, content=content, by="ana", applies_to=["shop/**"])
    for name in AGENTS:
        as_agent[name].remember_many([one for one in MEMORIES if one["agent"] == name])
    as_agent["tank"].finish_run(run.id, outcome="completed")
    as_agent["trinity"].start_run(task="Move product images to object storage")
    project.start_session(focus="Checkout that survives a restart", issues=["#118", "#121"], by="ana")
    as_agent["tank"].update_session("Idempotency keys are in; the refund path still needs them.")


def _review(project: Project, entry_id: str, fate: str) -> None:
    if fate == "pending":
        return
    if fate == "reject":
        project.reject(entry_id, by="ana", reason="Not this year: see the scope decisions.")
        return
    decision = project.merge(entry_id, by="ana", note="Agreed in the weekly review.")
    if fate == "archive":
        project.archive(decision.id, by="ana")
    if fate == "supersede":
        first = next(one for one in project.list_decisions().items if one.title.startswith("One PostgreSQL"))
        project.supersede(decision.id, first.id, by="ana")
