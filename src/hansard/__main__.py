"""`python -m hansard` is the command line."""

import sys

from hansard.interfaces.cli import main

sys.exit(main())
