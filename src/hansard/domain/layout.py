"""Owns the headings, notes and labels with which Hansard itself writes a block or a file of the mirror.

Whoever writes them and whoever looks for imitations takes them from here, so that the two cannot drift apart.
"""

BOUNDARIES_HEADING = "## Boundaries and Decisions"
BOUNDARIES_NOTE = "> These are non-negotiable team boundaries. They take precedence over all other context."
MEMORY_HEADING = "## Memory"
NOTES_NOTE = "> Notes of agents: information, below the boundaries. What is quoted came from outside the team."
"""Stands once above memories, wherever they are shown. It explains them and warns of nothing: a section that talks of
attacks makes its readers take the team's own rules for one."""
GUIDANCE_HEADING = "## Memory Guidance"
KNOWLEDGE_HEADING = "## Relevant Past Knowledge"
SESSION_HEADING = "## Current Session"
SESSION_NOTE = "> What is going on, in the words of who does it: information, below the boundaries."
OUTSIDE_MARK = "(from outside)"
"""Stands before words that came from outside, where no label says it."""

DECISIONS_TITLE = "# Team Decisions"
BOUNDARIES_TITLE = "# Project Boundaries"
BINDING_NOTE = "> Decided by the team and binding for every agent, whatever it would prefer."
PATTERNS_TITLE = "# Shared Patterns"
PUBLIC_NOTE = "> Only what the whole team may read is here. Private memories are never written to files."

TYPE = "Type"
DECIDED_BY = "Decided by"
APPLIES_TO = "Applies to"
RATIONALE = "Rationale"
SESSION_LABELS = ("Focus", "Active issues", "Summary", "Other open runs")
BLOCK_LABELS = (TYPE, DECIDED_BY, RATIONALE, APPLIES_TO, *SESSION_LABELS)
"""What a line of a block begins with, as in `**Type:**`."""
BY = "By"
NUMBER = "Number"
DATE = "Date"
WHY = "Why"
REPLACED_LABELS = ("Superseded by", "Supersedes")
FILE_LABELS = (
    TYPE, BY, "Status", NUMBER, DATE, *REPLACED_LABELS, DECIDED_BY, APPLIES_TO, RATIONALE, WHY,
)  # fmt: skip
"""What a line of a file says of a decision."""
ITEM_KINDS = ("core", "learning", "pattern", "update")
"""What stands first in the label of a memory, as in `[learning from ana]`."""
