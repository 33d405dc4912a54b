"""Operations of several round trips, as generators: they say what to send and get the answers."""
