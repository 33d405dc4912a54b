"""A process on strings: reads orders as JSON lines, answers each with one."""

import json
import sys
from typing import Any

from redis import Redis

from limpet.engine import Engine, attach, status

home = sys.argv[1]
engines: list[Engine] = []


def obey(order: str, *args: Any) -> Any:
    """Carry out one order."""
    match order:
        case "attach":
            engines.append(attach(home, **(args[0] if args else {})))
            return status(home).pid
        case "revive":
            engines[-1].revive()
            return status(home).pid
        case "release":
            engines.pop().release()
            return True
        case "push":
            with Redis.from_url(engines[-1].url) as client:
                return client.rpush("pushed", *args)
    return f"unknown order {order}"


print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    print(json.dumps(obey(*json.loads(line))), flush=True)
