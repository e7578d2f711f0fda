"""`python -m hansard.interfaces.cli` is the command line too."""

from hansard.interfaces.cli import entry

entry()
