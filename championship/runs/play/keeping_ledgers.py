"""Ledgers are computed by a worker and stored, when the draws of their runs may be shown.

A ledger names every draw. So a run gets one only when it is over and no other car may still meet the same draws, by the
rule of the proof (`watch.proof.may_show`). A sweep finds the runs without a ledger, and those whose game computes
ledgers in another way since. One that takes too much processor time or memory is stopped and put off alone.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from championship.failures.services import Attempts
from championship.platform import clock
from championship.rallies.models import SpecialStage
from championship.runs.models import Event, KeptAccounts, KeptLedger, Run
from championship.runs.watch import proof
from engine import registry
from engine.contract import IdealDrive, Ledgers, RunLedger, offered
from engine.contract.ledger import CHANCE, DRIVING, TRAFFIC

KIND = "ledger of a run"
MOST_EVENTS = 50_000
"""A run with more events is not read. The longest ordinary runs, of ten cars, have up to 12,500."""
PROCESSOR_SECONDS = 30.0
"""The most processor time of one ledger, but for the event under way."""
MEMORY = 512 * 2**20
"""By how many bytes the largest memory of the process may grow for one ledger."""
MOST_SECONDS = 40.0
"""A sweep begins no further run after this time, so that it ends before the limit of a task."""
AT_ONCE = 200
"""How many runs a sweep looks up."""


class TooLong(Exception):
    """A ledger takes too much processor time or memory, or its run has too many events."""


class _Metered(list[dict[str, Any]]):
    """The events of a run. Reading them one by one is refused when too much has been used since the beginning."""

    def __init__(self, events: Sequence[dict[str, Any]], seconds: float, memory: int) -> None:
        super().__init__(events)
        self.until, self.largest = time.process_time() + seconds, _peak() + memory

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the events.

        Raises: TooLong before the next event when the processor time or the memory is used up.
        """
        for number, event in enumerate(super().__iter__()):
            if time.process_time() > self.until or _peak() > self.largest:
                raise TooLong(f"stopped at event {number + 1} of {len(self)}")
            yield event


def _peak() -> int:
    """Return the largest memory of this process so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def keep_missing_ledgers(seconds: float = PROCESSOR_SECONDS, memory: int = MEMORY) -> int:
    """Compute the ledgers that are missing or out of date, the newest runs first, until the time is over. A run that
    fails, or takes more than so much processor time or memory, is put off alone. Returns how many were stored.
    """
    tries, begun, done = Attempts(KIND, now=clock.now()), time.monotonic(), 0
    put_off = [unit for unit in tries.put_off() if unit]
    for run in runs_without_ledger().exclude(key__in=put_off).order_by("-finished_at", "-pk")[:AT_ONCE]:
        if time.monotonic() - begun > MOST_SECONDS:
            break
        done += bool(tries.attempt(run.key, partial(keep_ledger, run, seconds, memory)))
    return done


def runs_without_ledger() -> QuerySet[Run]:
    """Return the runs whose draws may be shown, of games with ledgers, that have no ledger of the present version, or
    one that took too long. A rally that has switched its ledgers off gets none.
    """
    wanted = Q(pk__in=[])
    for name, ledgers in _games():
        wanted |= Q(game=name) & ~Q(Exists(_kept().filter(version=ledgers.ledger_version, too_long=False)))
    open_ones = Exists(Run.objects.filter(special_stage=OuterRef("special_stage"), status=Run.Status.RUNNING))
    still_driven = Q(special_stage__rally__for_everybody=True, special_stage__status=SpecialStage.Status.RUNNING)
    still_driven |= Q(open_ones, special_stage__rally__for_everybody=False)
    shown = ~still_driven | Q(record_format=1, common=None)
    return Run.objects.filter(wanted, shown, status=Run.Status.FINISHED, special_stage__rally__ledgers=True)


def _games() -> list[tuple[str, Ledgers]]:
    games = ((name, offered(registry.get(name), Ledgers)) for name in registry.names())
    return [(name, ledgers) for name, ledgers in games if ledgers is not None]


def _kept() -> QuerySet[KeptLedger]:
    return KeptLedger.objects.filter(run=OuterRef("pk"))


def keep_ledger(run: Run, seconds: float = PROCESSOR_SECONDS, memory: int = MEMORY) -> bool:
    """Compute and store the ledger of a run, in place of an older one. Returns False when its draws may not be shown.
    Two at once store the same: the second waits for the row and writes it again.

    Raises: TooLong when it would take more than so much processor time or memory. Then the pages say so.
    """
    ledgers = offered(registry.get(run.game), Ledgers)
    if ledgers is None or not proof.may_show(run):
        return False
    rows = list(Event.objects.filter(run=run).order_by("number").values_list("data", flat=True)[: MOST_EVENTS + 1])
    try:
        if len(rows) > MOST_EVENTS:
            raise TooLong(f"more than {MOST_EVENTS} events")
        setup = registry.get(run.game).setup(run.stage, run.entrants, run.options)
        found = ledgers.ledger(setup, _Metered(rows, seconds, memory))
    except TooLong:
        _store(run, ledgers.ledger_version, None)
        raise
    drives = offered(registry.get(run.game), IdealDrive)
    _store(run, ledgers.ledger_version, found, drives.ideal_drive(setup) if drives else ())
    return True


@transaction.atomic
def _store(run: Run, version: str, found: RunLedger | None, ideal: Sequence[str] = ()) -> None:
    """Store a ledger; None: it takes too long. `ideal`: the places of the ideal drive."""
    Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    kept, _new = KeptLedger.objects.update_or_create(
        run=run,
        defaults={
            "version": version,
            "error": found.error if found else 0,
            "unit": found.unit if found else "",
            "better": found.measure.better if found and found.measure else "",
            "ideal": list(ideal),
            "too_long": found is None,
            "computed_at": clock.now(),
        },
    )
    KeptAccounts.objects.filter(ledger=kept).delete()
    if found is None:
        return
    seats = dict(run.seats.values_list("name", "pk"))
    KeptAccounts.objects.bulk_create(
        [
            KeptAccounts(
                ledger=kept,
                seat_id=seats[name],
                start=books.start,
                driving=books.total(DRIVING),
                chance=books.total(CHANCE),
                traffic=books.total(TRAFFIC),
                result=books.result,
                bookings=[
                    [each.turn, each.event, each.account, each.amount, each.kind, dict(each.facts)]
                    for each in books.bookings
                ],
            )
            for name, books in found.seats.items()
            if name in seats
        ]
    )
