"""What the tests share: a clock that only moves when told to, and the mark of an invariant."""
