"""The command line, one file per command.

What a command needs is imported when it runs, so that `limpet --help` answers at once.
Data goes to standard output, messages to standard error. How commands end:

    0    fine
    1    what was checked is not as it should be
    2    the command was not understood
    69   the server cannot be reached
    70   a bug in limpet
    130  stopped with Ctrl-C
"""

from limpet.cli.group import main

__all__ = ["main"]
