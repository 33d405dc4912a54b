"""Where one message of the server's protocol ends: enough of it to cut a line at a chosen byte."""


def message_end(data: bytes, start: int = 0) -> int:
    """Tell where the message that begins at `start` ends; 0 if it is not complete yet."""
    line_end = data.find(b"\r\n", start)
    if line_end < 0:
        return 0
    kind, end = data[start : start + 1], line_end + 2
    if kind in b"+-:":
        return end
    size = int(data[start + 1 : line_end])
    if kind == b"$":
        end += size + 2 if size >= 0 else 0
        return end if end <= len(data) else 0
    for _ in range(size):
        end = message_end(data, end)
        if not end:
            return 0
    return end


def words_of(request: bytes) -> list[bytes]:
    """Read the words of one complete request."""
    words, at = [], request.index(b"\r\n") + 2
    for _ in range(int(request[1 : at - 2])):
        line_end = request.index(b"\r\n", at)
        size = int(request[at + 1 : line_end])
        words.append(request[line_end + 2 : line_end + 2 + size])
        at = line_end + size + 4
    return words
