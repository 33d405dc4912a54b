"""The stages of a run; each notes its samples in the book."""
