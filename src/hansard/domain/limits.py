"""Owns every limit, named with its unit last. The reference page docs/reference/limits.md is generated from here."""

SLUG_BYTES_MAX = 200
NAME_BYTES_MAX = 200
TITLE_BYTES_MAX = 500
CONTENT_BYTES_MAX = 65_536
RATIONALE_BYTES_MAX = 16_384
REASON_BYTES_MAX = 4_096
TASK_BYTES_MAX = 16_384
WORD_BYTES_MAX = 200

TAG_BYTES_MAX = 64
TAGS_COUNT_MAX = 32
GLOB_BYTES_MAX = 400
GLOBS_COUNT_MAX = 50
CITATION_BYTES_MAX = 1_000
CITATIONS_COUNT_MAX = 50
CLAIM_CHARACTERS_MAX = 300
CLAIMS_COUNT_MAX = 50
ISSUE_BYTES_MAX = 400
ISSUES_COUNT_MAX = 100

SESSION_FOCUS_BYTES_MAX = 2_000
SESSION_SUMMARY_BYTES_MAX = 65_536
SESSION_STATE_BYTES_MAX = 262_144

PAGE_ITEMS_DEFAULT = 100
PAGE_ITEMS_MAX = 1_000
SEARCH_TEXT_BYTES_MAX = 1_000
QUERY_BYTES_MAX = 1_048_576
RECALL_ITEMS_MAX = 200
BULK_ITEMS_MAX = 1_000
REMEMBER_MANY_ITEMS_MAX = 100_000
POSITION_MAX = 2**53
TIME_MAX = 253_402_300_799_999_999
"""The last microsecond of the year 9999: no later day can be named."""
PATH_BYTES_MAX = 2_048
SALT_BYTES = 16

DIMENSIONS_MAX = 8_192
"""Numbers in a vector."""

EXPORT_WAIT_SECONDS_DEFAULT = 5
"""How long an export waits for another one of the same folder, unless it is told."""

CHARTER_BYTES_MAX = 16_777_216
PROMPT_BYTES_MAX = 16_777_216
"""A prompt is read for what it asks and never stored; a longer one is refused."""
NUMBER_COUNTED_MAX = 500_000
"""The highest number that the next ones go on from. A higher one is kept, and takes no numbers from what follows."""
