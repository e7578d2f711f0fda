"""What every write passes: the secret scan."""
