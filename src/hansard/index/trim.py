"""Gives memory that was freed back to the system, where the allocator keeps it otherwise."""


def give_back() -> None:
    """Loading an index leaves a fifth of its size in small free pieces, which glibc would keep for good."""
    import ctypes

    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        # Another system's allocator, which has its own ways.
        return
    trim(0)
