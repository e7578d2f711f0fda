"""The default store: one SQLite file, written ahead and flushed on every commit."""
