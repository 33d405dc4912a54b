"""A process that pushes a number of items and notes each one after the server confirmed it."""

import os
import sys

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from limpet.engine import attach

home, name, count, notes = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]

book = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
engine = attach(home)
client = redis.Redis.from_url(engine.url, retry=Retry(NoBackoff(), 0), socket_timeout=20)
for number in range(count):
    try:
        client.rpush("pushed", f"{name}-{number}")
    except redis.ConnectionError:
        engine.revive()  # perhaps pushed, perhaps not: go on with the next one
    else:
        os.write(book, f"{name}-{number}\n".encode())
client.close()
engine.release()
