"""Orders that asked chance for something, and that an error of the service stopped: they are held.

From then on the run may only go on as if they had been carried out at once. The seat gets neither a second chance nor
any use of what the error showed: until it has played again, only the same orders are accepted from it, and they get
the same salt, whatever salt comes with them. The deadline runs on, and the codriver plays with that salt too.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from championship.platform import clock
from championship.platform.database_timeouts import is_database_unavailable
from championship.platform.refusals import Held, NotCarriedOut
from championship.runs.models import Seat

logger = logging.getLogger(__name__)

MOST_SHOWN = 300
"""How many characters of held orders a refusal shows."""


def note_held(seat: Seat, orders: Mapping[str, Any], salt: str) -> None:
    """Set the orders that a seat is held to. `salt` is the sender's own, without a second seal in front. The caller
    writes the column `held`.

    Orders that are held already stay, with their salt.
    """
    if seat.held is None:
        seat.held = {"orders": json.loads(json.dumps(orders)), "salt": salt, "at": clock.now().isoformat()}


def hold(seat: Seat, orders: Mapping[str, Any], salt: str, error: Exception) -> NotCarriedOut:
    """Hold a seat to its orders, log the error for operators, and return the exception for the sender. It must be
    raised when the transaction that holds the run has been committed.
    """
    note_held(seat, orders, salt)
    Seat.objects.filter(pk=seat.pk).update(held=seat.held)
    if is_database_unavailable(error):
        logger.warning("orders of seat %s in run %s waited too long after a draw", seat.pk, seat.run_id, exc_info=error)
        return NotCarriedOut(
            _(
                "The service is busy: your orders could not be carried out, and nothing has changed. They are kept: "
                "send them again in a moment. Until your turn goes on, no others are accepted."
            ),
            busy=True,
        )
    log_failure(seat, error)
    return NotCarriedOut(
        _(
            "A fault of the service stopped your orders after something was drawn for them. Nothing was played, and "
            "the operators have been notified. Until your turn goes on, no other orders are accepted; you may send the "
            "same again. Your deadline stays as it is."
        )
    )


def log_failure(seat: Seat, error: Exception) -> None:
    """Log for operators that orders of a seat asked chance for something and failed. `manage.py clock` and the metric
    `parc_ferme_held_orders` show the seat until it has played again.
    """
    logger.error(
        "orders of seat %s in run %s asked chance for something and could not be carried out",
        seat.pk,
        seat.run_id,
        exc_info=error,
    )


def salt_of(seat: Seat, orders: Mapping[str, Any], salt: str) -> str:
    """Return the salt with which orders of a seat are carried out: the given one, or that of the held orders.

    Raises: Held when the seat is held to other orders.
    """
    if seat.held is None:
        return salt
    if seat.held["orders"] != json.loads(json.dumps(orders)):
        shown = json.dumps(seat.held["orders"], ensure_ascii=False)
        raise Held(
            _(
                "Your earlier orders could not be carried out by a fault of the service, after something was drawn for "
                "them. Until your turn goes on, only the same orders are accepted: %(orders)s"
            )
            % {"orders": shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"}
        )
    return str(seat.held["salt"])
