"""One use case per module. Services ask the policy, open a transaction, change records and chronicle the change."""
