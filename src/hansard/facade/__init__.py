"""The parts of the public project: who calls, and one module for each group of calls."""
