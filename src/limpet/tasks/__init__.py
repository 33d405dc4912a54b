"""Calls of functions as jobs: how they are written, bound, retried and timed; all pure."""
