"""Owns the server: one process with REST, MCP, a page to sign in at, health and metrics."""
