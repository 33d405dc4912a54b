"""Keeping one server per home: started when missing, stopped when nobody uses it."""

import logging
import time

from limpet.engine import locks, server, talk
from limpet.engine.home import Home
from limpet.engine.steps import STEP_S, steps
from limpet.engine.talk import Pulse
from limpet.errors import EngineError

SIGN_WITHIN_S = 30.0
LOAD_WITHIN_S = 600.0
STOP_WITHIN_S = 30.0

_log = logging.getLogger("limpet.engine")


def ensure(home: Home) -> None:
    """Return once the server is ready, and start one if none lives.

    The caller holds the users' lock, so nobody stops the server meanwhile. A server that
    loads its data may take long; a silent one may not.
    """
    started = False
    last_sign_s = time.monotonic()
    for _ in steps(LOAD_WITHIN_S):
        pulse = talk.pulse(home.socket)
        if pulse is Pulse.READY:
            return
        if pulse is Pulse.LOADING:
            last_sign_s = time.monotonic()
        elif not started:
            started = server.start(home)
        elif server.ended(home):
            raise EngineError(f"the engine ended; {home.log} says:\n{server.last_words(home)}")
        if time.monotonic() - last_sign_s > SIGN_WITHIN_S:
            break
    raise EngineError(
        f"the engine in {home.path} lives but does not answer: see {home.log}, then stop it by hand"
    )


def stop_if_unused(home: Home) -> bool:
    """Stop the server unless somebody uses it or it shall be kept; tell whether none lives."""
    for _ in steps(STEP_S):  # a second look, for somebody else may just be looking too
        alone = locks.take(home.users_lock)
        if alone is not None:
            with alone:
                return not home.keep.exists() and _stop(home)
    return False


def _stop(home: Home) -> bool:
    """Shut down and wait for the end; a server that stays is a matter for the next user."""
    for _ in steps(STOP_WITHIN_S):
        gone = locks.take(home.server_lock)
        if gone is not None:
            gone.close()
            server.reap(home)
            return True
        if refusal := talk.shut_down(home.socket):
            _log.warning("the engine in %s refuses to stop: %s", home.path, refusal)
            return False
    _log.warning("the engine in %s did not stop: see %s", home.path, home.log)
    return False
