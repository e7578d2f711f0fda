"""The in-process recall index of a project: terms and vectors of everything that can be found, in numpy arrays."""
