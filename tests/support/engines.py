"""Marks for the few contract tests that are about one engine's nature: they run on that engine alone."""

import pytest

on_sqlite = pytest.mark.parametrize("engine", ["sqlite"])
on_postgres = pytest.mark.parametrize("engine", ["postgres"])
