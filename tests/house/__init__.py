"""The house rules, checked: where a line belongs, how large it may be, what is proven and what is documented."""
