"""One function per script: what to send and how to read the answer. No input, no output."""
