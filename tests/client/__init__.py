"""The client beside the embedded project: the same calls, the same records, the same errors."""
