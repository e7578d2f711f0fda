"""The SQL that both engines share. What differs between them is asked of the connection."""
