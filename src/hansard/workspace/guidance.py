"""Owns reading the consolidated memory of a project: one plain file of text that the pipeline writes."""

import os
from pathlib import Path

from hansard.workspace.files import Enclosure

SUMMARY_FILE = "memory_summary.md"
GUIDANCE_BYTES_MAX = 262_144


def guidance_of(data_folder: Path, project_id: str) -> str | None:
    """The text, or None if there is none. Raises Invalid or OSError for anything but a plain file without links.

    What is no UTF-8 is shown as such. A longer file is read up to the limit.
    """
    if not os.path.lexists(data_folder / "projects" / project_id / SUMMARY_FILE):
        # Most projects have none, and opening folders one by one costs more.
        return None
    with Enclosure(data_folder) as files:
        found = files.read(f"projects/{project_id}/{SUMMARY_FILE}", bytes_max=GUIDANCE_BYTES_MAX)
    if found is None:
        return None
    text = found.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    return text if text.strip() else None
