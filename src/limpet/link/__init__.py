"""The wire: sends commands, sends them again when a reply got lost, and waits for work."""
