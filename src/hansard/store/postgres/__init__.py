"""The store for many machines: one PostgreSQL database, any number of processes."""
