"""The rules of compaction: how a conversation is read, what its sentences say, and which of them are kept."""
