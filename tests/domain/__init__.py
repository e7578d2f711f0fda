"""The pure rules, one file per noun."""
