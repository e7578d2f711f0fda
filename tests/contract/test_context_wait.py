"""A turn does not wait for a store that does not answer: it goes on with its charter, and the receipt says why."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hansard import Hansard
from hansard.domain.receipts import Block
from hansard.project import Project
from hansard.settings import Settings
from support import postgres
from support.engines import on_postgres

# Whoever waits as the store does, waits for an hour.
PATIENT = Settings(user="ana", store_busy_seconds=3_600.0, context_wait_seconds=0.5)
CHARTER = "You are tank.\n"


def asked(project: Project, **more: Any) -> Block:
    block = project.compile(agent="tank", task="payments", charter=CHARTER, **more)
    assert block is not None
    return block


@contextmanager
def standing_still(url: str) -> Iterator[None]:
    """Holds every process that serves the database: it takes questions and does not answer."""
    with postgres.admin() as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = %s", (postgres.name_of(url),)
        ).fetchall()
    for (pid,) in rows:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for (pid,) in rows:
            os.kill(pid, signal.SIGCONT)


@on_postgres
def test_a_server_that_takes_a_question_and_does_not_answer_costs_no_turn(
    target: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="hansard")
    with Hansard.open(target, settings=PATIENT) as hansard:
        project = hansard.project("shop", create=True)
        project.decide(type="scope", title="Only payments", content="We build payments.")
        with standing_still(target):
            block = asked(project, keep=True)
        assert block.text == CHARTER
        record, receipt = block.receipt.notes
        assert record.startswith("The record could not be read: ")
        assert receipt.startswith("The receipt could not be kept: the record could not be read")
        assert "We build payments." in asked(project).text


def test_a_server_that_is_gone_is_asked_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="hansard")
    with postgres.private_folder() as folder:
        server = postgres.start(folder)
        with Hansard.open(postgres.address("postgres", server), settings=PATIENT) as hansard:
            project = hansard.project("shop", create=True)
            project.remember("We build payments.", agent="tank", type="core_context")
            server.stop()
            (note,) = asked(project).receipt.notes
    assert note.startswith("The record could not be read: ")


def test_a_receipt_does_not_keep_a_turn_waiting_for_another_writer(target: str) -> None:
    with Hansard.open(target, settings=PATIENT) as hansard, Hansard.open(target, settings=PATIENT) as other:
        project = hansard.project("shop", create=True)
        project.decide(type="scope", title="Only payments", content="We build payments.")
        with other.store.write(project.id):
            block = asked(project, keep=True)
    assert "We build payments." in block.text
    assert "The receipt could not be kept: " in block.receipt.notes[-1]


def test_a_receipt_does_not_wait_for_another_thread_either(target: str) -> None:
    begun, done = threading.Event(), threading.Event()
    with Hansard.open(target, settings=PATIENT) as hansard:
        project = hansard.project("shop", create=True)
        project.decide(type="scope", title="Only payments", content="We build payments.")

        def write() -> None:
            with hansard.store.write(project.id):
                begun.set()
                done.wait()

        writer = threading.Thread(target=write)
        writer.start()
        begun.wait()
        try:
            block = asked(project, keep=True)
        finally:
            done.set()
            writer.join()
    assert "The receipt could not be kept: " in block.receipt.notes[-1]
