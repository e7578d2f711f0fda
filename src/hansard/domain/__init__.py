"""The pure rules of Hansard: standard library only, no clock, no disk, no SQL."""
