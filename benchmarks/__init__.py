"""The bars of the product, each measured beside a reference in the same run: `python -m benchmarks`."""
