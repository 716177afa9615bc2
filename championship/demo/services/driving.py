"""Drives runs of the demo: many posts of one run in a row, each at its own moment."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from championship.demo.recording import Given
from championship.platform import clock
from championship.rallies.models import Entry
from championship.runs.models import Run
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import AdvancingRun, load_runs, locked_run


@transaction.atomic
def drive(run: Run, orders: Callable[[AdvancingRun], Given | None]) -> Run:
    """Post orders in the run until `orders` returns None. Returns the run as it is then.

    `orders` may set the clock: a post comes at the moment that the clock tells after it. Posts of a car that the
    codriver drives come from nobody. No worker is asked to play the codriver's turns.
    """
    [advancing] = load_runs([locked_run(run.pk)])
    while (given := orders(advancing)) is not None:
        now, entry = clock.now(), advancing.seats[given.seat].entry
        by = entry.driver if entry.driven_by == Entry.DrivenBy.PERSON else None
        key = f"demo {advancing.run.version}" if by else ""
        advancing.play(given.seat, given.orders, now=now, by=by, key=key, salt=given.salt if by else "")
        advance([advancing], now=now, call=False)
    return advancing.run
