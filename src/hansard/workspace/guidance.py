"""Owns reading the consolidated memory of a project: one plain file of text that the pipeline writes."""

import os
from pathlib import Path

from hansard.workspace.files import Enclosure

SUMMARY_FILE = "memory_summary.md"
COPIES_FOLDER = "told"
"""Where texts of then are that kept receipts name by their digest."""
GUIDANCE_BYTES_MAX = 262_144
COPY_BYTES_MAX = 4 * GUIDANCE_BYTES_MAX
"""A byte that was no UTF-8 is three bytes when it is written again."""


def guidance_of(data_folder: Path, project_id: str) -> str | None:
    """The text, or None if there is none. Raises Invalid or OSError for anything but a plain file without links.

    What is no UTF-8 is shown as such. A longer file is read up to the limit.
    """
    if not os.path.lexists(data_folder / "projects" / project_id / SUMMARY_FILE):
        # Most projects have none, and opening folders one by one costs more.
        return None
    with Enclosure(data_folder) as files:
        found = files.read(path_of(project_id), bytes_max=GUIDANCE_BYTES_MAX)
    if found is None:
        return None
    text = found.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    return text if text.strip() else None


def keep_copy(data_folder: Path, project_id: str, digest: str, text: str) -> None:
    """Keeps the text for as long as a receipt names it. Raises Invalid or OSError."""
    with Enclosure(data_folder) as files:
        inside = copy_path(project_id, digest)
        if files.digest(inside) is None:
            # Others of this machine may not read what agents were told.
            (data_folder / "projects" / project_id).chmod(0o700)
            files.write(inside, text.encode("utf-8", "surrogatepass"))


def copy_of(data_folder: Path, project_id: str, digest: str) -> str | None:
    """The text that was kept under this digest, if it was kept on this machine. Raises Invalid or OSError."""
    with Enclosure(data_folder) as files:
        found = files.read(copy_path(project_id, digest), bytes_max=COPY_BYTES_MAX)
    return None if found is None else found.decode("utf-8", "surrogatepass")


def copies(data_folder: Path, project_id: str) -> list[str]:
    """The digests of what is kept. Raises Invalid or OSError."""
    folder = data_folder / "projects" / project_id / COPIES_FOLDER
    if not folder.is_dir():
        return []
    with Enclosure(data_folder) as files:
        names = files.names(f"projects/{project_id}/{COPIES_FOLDER}")
    return [name.removesuffix(".md") for name in names if name.endswith(".md") and not name.startswith(".")]


def drop_copy(data_folder: Path, project_id: str, digest: str) -> None:
    with Enclosure(data_folder) as files:
        files.remove(copy_path(project_id, digest))


def path_of(project_id: str) -> str:
    """Where the text is, below the data folder."""
    return f"projects/{project_id}/{SUMMARY_FILE}"


def copy_path(project_id: str, digest: str) -> str:
    """Where the text with this digest is kept, below the data folder."""
    return f"projects/{project_id}/{COPIES_FOLDER}/{digest}.md"
