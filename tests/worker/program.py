"""A worker as a program: `python -m tests.worker.program '{"concurrency": 2}'`."""

import json
import logging
import sys

from limpet.worker.worker import Worker
from tests.worker.apps import app


def main(options: str) -> int:
    """Work with these options until told to stop."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    return Worker(app, **json.loads(options)).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
