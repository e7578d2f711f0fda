"""Owns which folders of a project hold notes, and whose a note in there is."""

from pathlib import PurePosixPath

HANSARD_FOLDER = ".hansard"
NOTES_FOLDER = f"{HANSARD_FOLDER}/notes"
SHARED_FOLDER = "shared"
_NOTES = PurePosixPath(NOTES_FOLDER).parts


def note_folder(ref: str) -> str | None:
    """The agent whose note folder the file is in, or the shared one; None for any other file."""
    if not ref.startswith(NOTES_FOLDER):
        return None
    parts = PurePosixPath(ref).parts
    inside = parts[: len(_NOTES)] == _NOTES and ".." not in parts
    return parts[len(_NOTES)] if inside and len(parts) > len(_NOTES) + 1 else None


def is_shared(ref: str) -> bool:
    """Whether the file is a note of the team."""
    return note_folder(ref) == SHARED_FOLDER
