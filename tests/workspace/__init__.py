"""The files of a project: what git ignores, and the work trees of a repository."""
