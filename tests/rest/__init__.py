"""Tests of the REST interface, against the real application in this process."""
