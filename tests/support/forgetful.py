"""A program that never closes what it opened: `python -m support.forgetful TARGET`."""

import sys

from hansard import Hansard
from hansard.settings import Settings

opened = Hansard.open(sys.argv[1], settings=Settings(user="ana", embedding_provider="none"))
opened.project("shop").propose(agent="tank", slug="forgotten-to-close", type="scope", content="Oh.")
