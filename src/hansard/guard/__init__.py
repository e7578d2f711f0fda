"""Owns what every write passes: the secret scan today; what is stored, shown or logged has been through here."""
