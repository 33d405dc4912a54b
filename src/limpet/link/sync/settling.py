# Generated from src/limpet/link/aio/settling.py by `python3 dev.py docs`; edit that file.
"""Giving back what nobody got."""

from collections.abc import Container
from typing import TYPE_CHECKING

from limpet.commands import finish, workers
from limpet.errors import BackendError
from limpet.keys import queue_keys
from limpet.link.lanes import Loss, Unsettled

if TYPE_CHECKING:
    from limpet.link.sync.link import Link


def settle(link: "Link", losses: Unsettled, queues: Container[str] | None = None) -> None:
    """Give back what nobody got, in these queues or in all.

    A queue that refuses keeps its loss for the next time and stands in nobody's way; so does one
    on a node of a cluster that is away. Without a server at all the first loss is the last try.
    """
    kept: list[Loss] = []
    away: BackendError | None = None
    try:
        while (loss := losses.take()) is not None:
            kept.append(loss)
            if queues is not None and loss.queue not in queues:
                continue
            try:
                _give_back(link, loss)
            except BackendError as error:
                away = error if error.maybe_done else away
                if away is not None and not link.target.clustered:
                    break
            else:
                kept.pop()
    finally:
        for loss in kept:
            losses.keep(loss)
    if away is not None:
        raise away


def _give_back(link: "Link", loss: Loss) -> None:
    keys = queue_keys(loss.queue)
    if loss.lane is None:
        link.send(finish.release(keys, [d.receipt for d in loss.deliveries], None))
    else:
        link.send_again(workers.abandon(keys), loss.lane)
