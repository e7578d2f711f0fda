"""Words that tell their reader what to do: how they are found, in whichever spelling, language or order."""
