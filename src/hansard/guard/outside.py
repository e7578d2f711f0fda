"""Owns the rules for words from outside."""


def remarks_of(text: str) -> tuple[str, ...]:
    return ("an order",) if "gnore all previous instructions" in text else ()


def spots_of(text: str) -> tuple[tuple[str, str], ...]:
    return ()
