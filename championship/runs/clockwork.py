"""How the clockwork goes: what is due, what is overdue, what is stuck, and whether beat still beats."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Prefetch
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.notices import selectors as notices
from championship.rallies.models import SpecialStage
from championship.runs.models import Run, Sweep, Turn
from championship.runs.services.clock import DEADLINES, due_turns
from engine import ruleset

PATIENCE = timedelta(minutes=2)
"""A deadline is acted on within this time, and beat is heard from within it."""
NAMED = 20
"""Rows that are named; of more only the number is told."""
QUEUES = {"turns": "clock", "time controls": "clock", "notices": "mail, posts", "notices on their way": "mail, posts"}
"""Whose workers see to what."""


@dataclass(frozen=True, slots=True)
class Clockwork:
    """What the clock has to do at a moment. The lists name rows: the first NAMED, most pressing first.

    swept_at: the last sweep of deadlines, None before the first. due: turns, time controls and notices whose time
    has come. overdue: those that nobody has seen to within PATIENCE. unwaited: runs in which somebody is to play
    whom no turn waits for. letters: how many did not go out and wait for the operator; a single dead letter is no
    reason to wake anybody.
    """

    now: datetime
    swept_at: datetime | None
    due: dict[str, int]
    overdue: dict[str, list[str]]
    overdue_count: dict[str, int]
    unwaited: list[str]
    letters: int

    @property
    def beat_is_missing(self) -> bool:
        return self.swept_at is None or self.now - self.swept_at > PATIENCE

    @property
    def well(self) -> bool:
        """Whether there is nothing for anybody to look after."""
        return not (self.beat_is_missing or self.unwaited or any(self.overdue_count.values()))

    def plain(self) -> dict[str, Any]:
        """As JSON tells it."""
        return {
            "now": self.now.isoformat(),
            "swept_at": self.swept_at and self.swept_at.isoformat(),
            "beat_is_missing": self.beat_is_missing,
            "due": self.due,
            "overdue": {
                kind: {"count": self.overdue_count[kind], "first": self.overdue[kind]} for kind in self.overdue
            },
            "unwaited": self.unwaited,
            "letters": self.letters,
            "well": self.well,
        }

    def lines(self) -> list[str]:
        """As people read it."""
        said = [_("Last sweep: %(when)s") % {"when": self._last_sweep()}]
        if self.beat_is_missing:
            said.append(_("Beat is missing: nobody has gone over the deadlines for more than two minutes."))
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
            said.append(_("Somebody is to play, and no turn waits for them:"))
            said += [f"  {name}" for name in self.unwaited]
        if self.well:
            said.append(_("The clock goes well.") if self.letters else _("All is well."))
        return said

    def _last_sweep(self) -> str:
        if self.swept_at is None:
            return _("never")
        moment = self.swept_at.strftime("%Y-%m-%d %H:%M:%S UTC")
        ago = timedelta(seconds=int((self.now - self.swept_at).total_seconds()))
        return _("%(moment)s, %(span)s ago") % {"moment": moment, "span": ago}


def clockwork(now: datetime) -> Clockwork:
    """How the clockwork goes at this moment. Reads the state of every run that is on the road."""
    turns, late = due_turns(now), now - PATIENCE
    late_turns = turns.filter(deadline__lte=late).select_related("run__special_stage__rally").order_by("deadline")
    controls = SpecialStage.objects.filter(
        status=SpecialStage.Status.TIME_CONTROL, control_deadline__lte=now, rally__paused_at=None
    )
    late_controls = controls.filter(control_deadline__lte=late).select_related("rally").order_by("control_deadline")
    late_notices, lost_notices = notices.overdue(now), notices.stuck(now)
    found = {
        "turns": [f"{turn.run.special_stage.rally} / {turn} {turn.run.key}" for turn in late_turns[:NAMED]],
        "time controls": [f"{stage.rally} / {stage}" for stage in late_controls[:NAMED]],
        "notices": [str(notice) for notice in late_notices[:NAMED]],
        "notices on their way": [str(notice) for notice in lost_notices[:NAMED]],
    }
    return Clockwork(
        now=now,
        swept_at=Sweep.objects.filter(name=DEADLINES).values_list("at", flat=True).first(),
        due={"turns": turns.count(), "time controls": controls.count(), "notices": notices.due_count(now)},
        overdue=found,
        overdue_count={
            "turns": late_turns.count(),
            "time controls": late_controls.count(),
            "notices": late_notices.count(),
            "notices on their way": lost_notices.count(),
        },
        unwaited=_unwaited(),
        letters=notices.dead_count(),
    )


def _unwaited() -> list[str]:
    """Runs on the road in which the driver who is to play has no open turn."""
    waiting = Prefetch("turns", queryset=Turn.objects.filter(ended_at=None).select_related("place"), to_attr="waiting")
    runs = Run.objects.filter(status=Run.Status.RUNNING).only("key", "game", "state", "number", "special_stage")
    found = []
    for run in runs.order_by("pk").prefetch_related(waiting).iterator(chunk_size=200):
        if waits_for_nobody(run, {turn.place.driver for turn in run.waiting}):
            found.append(run.key)
    return found[:NAMED]


def waits_for_nobody(run: Run, waited: Collection[str]) -> bool:
    """Whether somebody is to play in a run on the road whom no turn waits for; `waited`: the drivers of open turns."""
    return bool(set(_to_play(run)) - set(waited)) or not waited


def _to_play(run: Run) -> tuple[str, ...]:
    """Who is to play, as the snapshot says; nobody where it says nothing at all."""
    try:
        return tuple(ruleset.get(run.game).to_play(run.state))
    except (KeyError, TypeError, IndexError, LookupError):
        return ()
