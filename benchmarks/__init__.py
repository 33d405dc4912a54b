"""Measures limpet, its peers and the bare server in one run: `python3 dev.py bench`."""
