"""What holds for every input, searched for counterexamples."""
