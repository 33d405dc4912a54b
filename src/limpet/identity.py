"""What makes two jobs the same: the key under which uniqueness is kept."""

import hashlib

#: Identities longer than this are kept as a digest, so that a mark stays small.
RAW_KEY_BYTES = 64


def unique_key(identity: bytes) -> bytes:
    """Turn an identity (a payload or a chosen key) into the mark kept on the server.

    Short ones are kept as they are, long ones by their SHA-256. The first byte tells which, so
    no raw identity can be mistaken for a digest.
    """
    if len(identity) <= RAW_KEY_BYTES:
        return b"=" + identity
    return b"#" + hashlib.sha256(identity).hexdigest().encode()
