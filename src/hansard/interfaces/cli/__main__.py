"""`python -m hansard.interfaces.cli` is the command line too."""

import sys

from hansard.interfaces.cli import main

sys.exit(main())
