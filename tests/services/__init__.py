"""Use cases that need more than one noun."""
