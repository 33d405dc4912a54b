"""Calls of functions as jobs: how they are written, bound, retried and timed. No input, no output."""
