"""Translation in, translation out: each interface calls services through the facade, and never another interface."""
