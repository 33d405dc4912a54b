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


def lock_key(key: bytes) -> bytes:
    """Turn a lock key into the one kept on the server: readable if short, else its SHA-256."""
    if len(key) <= RAW_KEY_BYTES * 4:
        return key
    return b"sha256:" + hashlib.sha256(key).hexdigest().encode()
