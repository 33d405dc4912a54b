"""A reliable, unique, atomic job queue on Redis or Valkey."""
