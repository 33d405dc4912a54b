"""The time that this process sees: the server's own, or later where a test moved it."""

#: What every command says about the time: nothing, or "+" and microseconds to add to the server's.
at = ""


def shift(by_us: int) -> None:
    """Let all commands of this process happen so much later; 0 goes back to the server's time."""
    global at  # noqa: PLW0603 - one time for all connections of the process
    at = f"+{by_us}" if by_us else ""
