"""Text to vectors: the bundled static model by default, other providers behind the same port."""
