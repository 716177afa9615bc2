"""The health of the clock: what is due, overdue and stuck, and whether beat still runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.deadlines.customers import all_customers
from championship.deadlines.health import PATIENCE, last_sweep, overdue, sweep_is_missing
from championship.failures.models import Failure
from championship.failures.services import lines_for_operators
from championship.notices import selectors as notices
from championship.runs.models import Run, Turn
from championship.runs.watch import watching

RUNS_PER_QUERY = 500
"""How many runs are read at once: that many states are in memory at the same time."""
MAX_LISTED = 20
"""How many rows are listed. Of more, only the number is shown."""
QUEUES = {"turns": "clock", "time controls": "clock", "notices": "mail, posts", "notices on their way": "mail, posts"}
"""Which queues' workers handle each kind of work."""


@dataclass(frozen=True, slots=True)
class ClockHealth:
    """What the clock has to do at a moment. The lists name rows: the first MAX_LISTED, most urgent first.

    swept_at: the last sweep of deadlines, None before the first. due: turns, time controls and notices whose time has
    come. overdue: those that were not handled within PATIENCE. unwaited: runs in which a seat that is to play has no
    open turn. held: seats whose orders were drawn for and could not be carried out, with their runs. failing: units of
    background work that keep failing and are put off; failing_count: how many there are. letters: how many could not be
    sent and wait for the operator; they do not count as a fault of the clock, since a single dead letter is no reason
    for an alarm.
    """

    now: datetime
    swept_at: datetime | None
    due: dict[str, int]
    overdue: dict[str, list[str]]
    overdue_count: dict[str, int]
    unwaited: list[str]
    failing: list[str]
    failing_count: int
    held: list[str]
    letters: int

    @property
    def beat_is_missing(self) -> bool:
        return sweep_is_missing(self.swept_at, self.now)

    @property
    def clock_was_set_back(self) -> bool:
        """Whether the last sweep is in the future: the machine's clock was set back, and no sweep has run since."""
        return self.swept_at is not None and self.swept_at - self.now > PATIENCE

    @property
    def healthy(self) -> bool:
        """Whether nothing needs the operator's attention."""
        faulty = self.unwaited or self.held or self.failing or any(self.overdue_count.values())
        return not (self.beat_is_missing or faulty)

    def plain(self) -> dict[str, Any]:
        """Return this as JSON values."""
        return {
            "now": self.now.isoformat(),
            "swept_at": self.swept_at and self.swept_at.isoformat(),
            "beat_is_missing": self.beat_is_missing,
            "clock_was_set_back": self.clock_was_set_back,
            "due": self.due,
            "overdue": {
                kind: {"count": self.overdue_count[kind], "first": self.overdue[kind]} for kind in self.overdue
            },
            "unwaited": self.unwaited,
            "failing": {"count": self.failing_count, "first": self.failing},
            "held": self.held,
            "letters": self.letters,
            "well": self.healthy,
        }

    def lines(self) -> list[str]:
        """Return this as text for people, in lines."""
        said = [_("Last sweep: %(when)s") % {"when": self._last_sweep()}]
        if self.clock_was_set_back:
            said.append(_("The machine's clock was set back, and the deadlines have not been checked since."))
            said.append("  " + _("Is beat running, and a worker for the queue clock?"))
        elif self.beat_is_missing:
            said.append(_("Beat is missing: the deadlines have not been checked for more than two minutes."))
            said.append("  " + _("Is beat running, and a worker for the queue clock?"))
        said.append(_("Due: %(what)s") % {"what": ", ".join(f"{kind} {n}" for kind, n in self.due.items())})
        for kind, names in self.overdue.items():
            if names:
                count = {"n": self.overdue_count[kind], "kind": kind}
                said.append(_("Overdue for more than two minutes, %(kind)s: %(n)d") % count)
                said += [f"  {name}" for name in names]
                said.append("  " + _("Is a worker running for: %(queues)s?") % {"queues": QUEUES[kind]})
        if self.letters:
            number = {"n": self.letters}
            said.append(
                ngettext(
                    "%(n)d letter did not go out and waits for you at /operator/letters/",
                    "%(n)d letters did not go out and wait for you at /operator/letters/",
                    self.letters,
                )
                % number
            )
        if self.unwaited:
            said.append(_("Somebody should play, but has no open turn:"))
            said += [f"  {name}" for name in self.unwaited]
        if self.failing:
            said.append(_("Work that fails again and again, and is put off: %(n)d") % {"n": self.failing_count})
            said += [f"  {text}" for text in self.failing]
            said.append("  " + _("The log has the whole errors. After a repair: manage.py clock --retry"))
        if self.held:
            said.append(_("Orders were drawn for, and an error stopped them. The log has the error:"))
            said += [f"  {name}" for name in self.held]
        if self.healthy:
            said.append(_("The clock goes well.") if self.letters else _("All is well."))
        return said

    def _last_sweep(self) -> str:
        if self.swept_at is None:
            return _("never")
        moment = self.swept_at.strftime("%Y-%m-%d %H:%M:%S UTC")
        if self.swept_at > self.now:
            return moment
        ago = timedelta(seconds=int((self.now - self.swept_at).total_seconds()))
        return _("%(moment)s, %(span)s ago") % {"moment": moment, "span": ago}


def clock_health(now: datetime) -> ClockHealth:
    """Return the health of the clock at this moment. Reads the state of every running run."""
    late_notices, lost_notices = notices.overdue(now), notices.stuck(now)
    due, overdue_texts, overdue_count = dict[str, int](), dict[str, list[str]](), dict[str, int]()
    for customer in all_customers():
        waiting = customer.due(now)
        late_rows = overdue(waiting, now)
        due[customer.name], overdue_count[customer.name] = waiting.count(), late_rows.count()
        first = customer.with_related(late_rows).order_by("deadline")[:MAX_LISTED]
        overdue_texts[customer.name] = [customer.overdue_text(row) for row in first]
    for kind, found in {"notices": late_notices, "notices on their way": lost_notices}.items():
        overdue_texts[kind], overdue_count[kind] = [str(notice) for notice in found[:MAX_LISTED]], found.count()
    return ClockHealth(
        now=now,
        swept_at=last_sweep(),
        due={**due, "notices": notices.due_count(now)},
        overdue=overdue_texts,
        overdue_count=overdue_count,
        unwaited=[name for customer in all_customers() for name in customer.stuck_texts()][:MAX_LISTED],
        failing=lines_for_operators(now, MAX_LISTED),
        failing_count=Failure.objects.open(now).count(),
        held=_held_seats(),
        letters=notices.dead_count(),
    )


def _held_seats() -> list[str]:
    """Return the run and the seat of open turns whose orders were drawn for and could not be carried out."""
    held = Turn.objects.filter(ended_at=None, seat__held__isnull=False).order_by("pk")
    return [f"{run} {seat}" for run, seat in held.values_list("run__key", "seat__name")[:MAX_LISTED]]


def unwaited_runs() -> list[str]:
    """Return the running runs in which a seat that is to play has no open turn. One query for each RUNS_PER_QUERY
    of the running runs.
    """
    found, last = list[str](), 0
    while rows := _on_the_road(after=last):
        found += [row.run.key for row in rows if lacks_open_turn(row.run, row.waited)]
        last = rows[-1].run.pk
    return found


@dataclass(frozen=True, slots=True)
class _RunningRun:
    """A running run, and the drivers of its open turns."""

    run: Run
    waited: list[str]


def _on_the_road(after: int) -> list[_RunningRun]:
    """Return the next running runs. One query."""
    waited = Turn.objects.filter(run=OuterRef("pk"), ended_at=None).order_by().values("seat__name")
    runs = Run.objects.filter(status=Run.Status.RUNNING, pk__gt=after).only("key", "game", "state")
    rows = runs.annotate(waited=ArraySubquery(waited)).order_by("pk")[:RUNS_PER_QUERY]
    return [_RunningRun(run, run.waited) for run in rows]


def lacks_open_turn(run: Run, waited: Collection[str]) -> bool:
    """Return whether a seat that is to play in a running run has no open turn. `waited`: the drivers of open turns."""
    return bool(set(_to_play(run)) - set(waited)) or not waited


def _to_play(run: Run) -> tuple[str, ...]:
    """Return the seats that are to play according to the snapshot; none where the snapshot cannot be read."""
    try:
        return watching.to_play(run)
    except (LookupError, TypeError):
        return ()
