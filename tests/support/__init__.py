"""Helpers shared by all tests: real servers, both flavours of the API, waiting for conditions."""
