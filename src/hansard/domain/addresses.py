"""Owns the addresses by which a block names what it does not hold in full, and what each of them stands for."""

DECISIONS = "memory://decisions/"
MEMORIES = "memory://memories/"
GUIDANCE = "memory://root"


def named_by(reference: str, place: str) -> str:
    """The id or number in an address of this place; any other text as it is."""
    head, rest = reference[: len(place)], reference[len(place) :]
    return rest.rstrip("/") if head.lower() == place else reference
