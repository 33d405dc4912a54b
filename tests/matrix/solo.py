"""A worker without a parent: `python -m tests.matrix.solo '{"concurrency": 2}'`."""

import json
import logging
import sys

from limpet import Worker
from tests.matrix.tasks import app

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    sys.exit(Worker(app, **json.loads(sys.argv[1])).run())
