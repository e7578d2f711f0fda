"""Owns every limit, named with its unit last. The reference page docs/reference/limits.md is generated from here."""

SLUG_BYTES_MAX = 200
"""The slug of a proposal."""
NAME_BYTES_MAX = 200
"""The name of a person, an agent or a service."""
NAME_WORDS_MAX = 4
"""Words of such a name, small ones such as "de la" aside. A longer one is a sentence, and stands in every block."""
TITLE_BYTES_MAX = 500
"""The title of a proposal or a decision; the name and the subject of a memory."""
CONTENT_BYTES_MAX = 65_536
"""The content of a proposal, a decision or a memory."""
RATIONALE_BYTES_MAX = 16_384
"""The rationale of a proposal or a decision."""
REASON_BYTES_MAX = 4_096
"""The reason of a memory, a run or a review; the note of a review or a rating."""
TASK_BYTES_MAX = 16_384
"""The task of a run or a turn."""
WORD_BYTES_MAX = 200
"""The category and the source_ref of a memory; the task type of a run; the id of a session."""

TAG_BYTES_MAX = 64
"""One tag."""
TAGS_COUNT_MAX = 32
"""The tags of a record."""
GLOB_BYTES_MAX = 400
"""One glob of the files that a decision applies to."""
GLOBS_COUNT_MAX = 50
"""The globs of a decision."""
CITATION_BYTES_MAX = 1_000
"""One citation of a memory."""
CITATIONS_COUNT_MAX = 50
"""The citations of a memory."""
CLAIM_CHARACTERS_MAX = 300
"""One claim that is looked up in the work tree."""
CLAIMS_COUNT_MAX = 50
"""The claims of a memory that are looked up."""
ISSUE_BYTES_MAX = 400
"""One issue of a session."""
ISSUES_COUNT_MAX = 100
"""The issues of a session."""

SESSION_FOCUS_BYTES_MAX = 2_000
"""The focus of a session."""
SESSION_SUMMARY_BYTES_MAX = 65_536
"""The summary of a session."""
SESSION_STATE_BYTES_MAX = 262_144
"""The state of a session."""

PAGE_ITEMS_DEFAULT = 100
"""A page of a list."""
PAGE_ITEMS_MAX = 1_000
"""A page of a list."""
SEARCH_TEXT_BYTES_MAX = 1_000
"""The text that a list is narrowed by."""
QUERY_BYTES_MAX = 1_048_576
"""The question of a search."""
RECALL_ITEMS_MAX = 200
"""The memories that a search gives."""
BULK_ITEMS_MAX = 1_000
"""The records that one call names."""
REMEMBER_MANY_ITEMS_MAX = 100_000
"""The memories that one call records."""
POSITION_MAX = 2**53
"""The place of a memory in its conversation or document."""
TIME_MAX = 253_402_300_799_999_999
"""The last microsecond of the year 9999: no later day can be named."""
PATH_BYTES_MAX = 2_048
"""A path or an address."""
SALT_BYTES = 16
"""The salt of a record."""

DIMENSIONS_MAX = 8_192
"""Numbers in a vector."""

EXPORT_WAIT_SECONDS_DEFAULT = 5
"""How long an export waits for another one of the same folder, unless it is told."""

CHARTER_BYTES_MAX = 16_777_216
"""The text that a block is put behind."""
PROMPT_BYTES_MAX = 16_777_216
"""A prompt is read for what it asks and never stored; a longer one is refused."""
NUMBER_COUNTED_MAX = 500_000
"""The highest number that the next ones go on from. A higher one is kept, and takes no numbers from what follows."""
