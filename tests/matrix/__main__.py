"""`python -m tests.matrix`: all faults, with as many seeds as wanted."""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.matrix import lines, poison, servers, workers  # noqa: F401 - they fill the list
from tests.matrix.judge import complaints
from tests.matrix.scenes import SCENES, Scene
from tests.matrix.stage import DURABLE, Stage
from tests.support.servers import Server


def play(scene, server, jobs, seed):
    folder = Path(tempfile.mkdtemp(prefix="limpet-matrix-"))
    stage = Stage(server, folder, jobs=jobs, seed=seed)
    began = time.monotonic()
    try:
        verdict = scene.play(stage)
    except BaseException:
        print(stage.said[-3000:])
        raise
    finally:
        stage.close()
    said = complaints(verdict, scene.bounds)
    print(f"{scene.name:4} {time.monotonic()-began:5.1f}s jobs={verdict.jobs} lost={len(verdict.lost)} stuck={len(verdict.stuck)} extra={verdict.extra} most={verdict.most_per_strike} rec={verdict.recovery_s:.3f} late={verdict.places_lost} dis={verdict.disorder} res={verdict.resumed_s:.3f} strikes={verdict.strikes}", said, flush=True)
    if said:
        print(verdict)
        shutil.copy(folder/"said", "/tmp/said-"+scene.name)
        shutil.copy(folder/"witness", "/tmp/witness-"+scene.name)
    shutil.rmtree(folder)

server = Server(*DURABLE).start()
try:
    for name in sys.argv[1:]:
        play(SCENES[name], server, 40, 1)
finally:
    server.remove()
