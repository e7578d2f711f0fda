"""Embedders: the bundled model, its tokens, and providers over HTTP."""
