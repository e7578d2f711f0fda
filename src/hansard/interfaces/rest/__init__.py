"""Owns the REST interface: what a program reaches over HTTP, translated in and translated out."""
