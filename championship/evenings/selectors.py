"""Every read of an evening's pages: who is there and ready, what is asked, what each table waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.core import signing
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject
from django.http import Http404, HttpRequest

from championship.accounts.models import User
from championship.audit.models import Record
from championship.evenings.arriving.selectors import Arriving, arriving
from championship.evenings.models import (
    Agreement,
    CheckIn,
    CheckInHour,
    DriverPause,
    Question,
    Stop,
    Subject,
    Unseen,
)
from championship.platform import clock
from championship.platform.prepared_queries import Prepared, any_of, prepared
from championship.rallies import selectors as rallies
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.selectors import Viewer
from championship.runs.models import Run, Seat, Turn
from championship.runs.watch import live, watching
from championship.runs.watch.live import Live, LiveTable
from championship.runs.watch.present_runs import OPEN_FOR

SALT = "championship.evenings.board"
BOARD_STAYS = timedelta(days=1)
"""How long the secret address of a board works after the end of its rally."""


@dataclass(frozen=True, slots=True)
class Person:
    """A car of the rally and its driver: who is there, ready, and has agreed to what. `away`: the codriver drives, or
    the driver has dropped out. `unseen`: the driver does not want to be shown as here. `came`: they have checked in.
    """

    entry: Entry
    here: bool
    away: bool
    agreed: frozenset[str]
    unseen: bool = False
    came: bool = False

    @property
    def ready(self) -> bool:
        return "ready" in self.agreed

    @property
    def missing(self) -> bool:
        """Whether the driver does not have the page of a run open, as far as they let others see it."""
        return not (self.here or self.away or self.unseen)


@dataclass(frozen=True, slots=True)
class Table:
    """A run of the stage on the road. `since`, `until`: of the turn that it has waited for longest. None
    where turns are hidden. `time_up`: the time of this turn is over, and until then the others may give more.
    """

    shown: LiveTable
    since: datetime | None = None
    until: datetime | None = None
    time_up: bool = False


@dataclass(frozen=True, slots=True)
class EveningPage:
    """What the page of an evening and its board show. `mine`: the reader's own car. `question`: what organisers ask.
    `stage`: what is on the road, or None. `next_stage`: the stage that organisers may open now. `stop`: when the
    evening ends, or has ended, as organisers have set. `may_resume`: the rally is paused, and its drivers may end the
    pause; `pause_ends`: when the clock does. `arriving`: who comes. `my_pauses`: how many the reader has begun.
    """

    rally: Rally
    people: tuple[Person, ...]
    mine: Person | None
    question: Question | None
    stage: Live | None
    tables: tuple[Table, ...]
    next_stage: SpecialStage | None
    stop: Stop | None
    arriving: Arriving
    may_resume: bool = False
    pause_ends: datetime | None = None
    my_pauses: int = 0
    unseen_everywhere: bool = False

    @property
    def pauses_left(self) -> int:
        """How many pauses the reader may still begin in this evening."""
        return max(0, self.rally.rules_of_evening.pauses - self.my_pauses)

    @property
    def asks_for_pause(self) -> list[Person]:
        """Who wants a pause, or its end."""
        subject = "resume" if self.rally.paused_at else "pause"
        return [person for person in self.people if subject in person.agreed and not person.away]

    @property
    def missing(self) -> list[Person]:
        """The drivers who do not have the page of a run open, as far as they let others see it."""
        return [person for person in self.people if person.missing]

    @property
    def came(self) -> int:
        """How many have checked in."""
        return sum(person.came for person in self.people)

    @property
    def my_table(self) -> Table | None:
        """The table that waits for the reader's own car, as everybody may know; None where none does."""
        own = self.mine and not self.mine.away and self.mine.entry
        return next((table for table in self.tables if own and own in table.shown.driving), None)

    @property
    def may_give_more(self) -> list[Table]:
        """The tables at which the reader drives, and others are to play whom the reader may give a minute more."""
        own = self.mine and not self.mine.away and self.rally.keeps_seconds and self.mine.entry
        return [
            table
            for table in self.tables
            if own and table.until and own in table.shown.entries and set(table.shown.driving) != {own}
        ]

    @property
    def agreed(self) -> int:
        """How many have agreed to what is asked."""
        return self._count(self.question.subject) if self.question else 0

    @property
    def asked(self) -> int:
        """How many are asked."""
        return sum(not person.away for person in self.people)

    @property
    def want_change(self) -> int:
        """How many want a pause, or its end."""
        return self._count("resume" if self.rally.paused_at else "pause")

    def _count(self, subject: str) -> int:
        return sum(subject in person.agreed for person in self.people if not person.away)

    @property
    def slowest(self) -> Table | None:
        """The table that has waited for longest; None with fewer than two that wait."""
        waiting = [table for table in self.tables if table.since is not None and not table.shown.over]
        return min(waiting, key=lambda table: table.since or clock.now()) if len(waiting) > 1 else None


def asked_entries(rally: Rally) -> QuerySet[Entry]:
    """The entries whose drivers are asked: those that drive themselves."""
    return rally.entries.filter(status=Entry.Status.CONFIRMED, driven_by=Entry.DrivenBy.PERSON)


def present_entries(rally: Rally) -> set[int]:
    """The entries whose drivers have the page of their run open: for what they agree on, also those who do not want it
    to be shown. One query.
    """
    since = clock.now() - OPEN_FOR
    here = Seat.objects.filter(run__special_stage__rally=rally, run__status=Run.Status.RUNNING, seen_open_at__gt=since)
    return set(here.values_list("entry", flat=True))


def standing_agreements(rally: Rally) -> QuerySet[Agreement]:
    """What drivers of a rally have agreed to and still want. Who wanted a pause wanted the one after the last; who
    wanted to go on wanted the end of this one. One query, for the last pause.
    """
    found = Agreement.objects.filter(entry__rally=rally)
    last = rally.pauses.order_by("-ended_at").values_list("ended_at", flat=True).first()
    if last is not None:
        found = found.exclude(subject=Subject.PAUSE, at__lt=last)
    if rally.paused_at is not None:
        found = found.exclude(subject=Subject.RESUME, at__lt=rally.paused_at)
    return found


def pauses_begun(rally: Rally) -> QuerySet[DriverPause]:
    """The pauses of this evening that drivers have begun."""
    return DriverPause.objects.filter(entry__rally=rally, at__gte=rally.evening_since or clock.now())


def unseen_people(rally: Rally) -> dict[int, bool]:
    """The people who do not want to be shown as here in a rally, by id: whether they want it nowhere. One query."""
    found = dict[int, bool]()
    wishes = Unseen.objects.filter(Q(rally=None) | Q(rally=rally), person__in=rally.entries.values("driver"))
    for person, chosen_for in wishes.values_list("person", "rally"):
        found[person] = found.get(person, False) or chosen_for is None
    return found


def is_unseen_everywhere(person: User) -> bool:
    """Whether the person wants to be shown as here nowhere. One query."""
    return Unseen.objects.filter(person=person, rally=None).exists()


def drivers_paused(rally: Rally) -> bool:
    """Whether the drivers of a rally that is paused have agreed on this pause. One query."""
    began = Record.objects.filter(subject_type=rally._meta.label_lower, subject_id=str(rally.pk))
    last = began.filter(action__in=["rally paused", "rally restored"]).order_by("-pk").first()
    return last is not None and bool(last.details.get("agreed"))


def evening_page(rally: Rally, viewer: Viewer) -> EveningPage:
    """Read the page. Ten queries, two more in a pause, and those of the live part of a stage (`live.of_stage`)."""
    here, agreed, unseen = present_entries(rally), dict[int, set[str]](), unseen_people(rally)
    for entry_id, subject in standing_agreements(rally).values_list("entry", "subject"):
        agreed.setdefault(entry_id, set()).add(subject)
    entries = list(rally.entries.select_related("driver", "evening_check_in").order_by("start_number", "pk"))
    comes = arriving(rally, entries, viewer.pk)
    people = tuple(
        Person(
            entry,
            here=entry.pk in here and entry.driver_id not in unseen,
            away=entry.driven_by != Entry.DrivenBy.PERSON or entry.starts_from is None,
            agreed=frozenset(agreed.get(entry.pk, ())),
            unseen=entry.driver_id in unseen,
            came=entry.pk in comes.checked_in,
        )
        for entry in entries
        if entry.status == Entry.Status.CONFIRMED
    )
    begun = list(pauses_begun(rally)) if rally.keeps_seconds else []
    stages = list(rally.stages.order_by("number"))
    for stage in stages:
        stage.rally = rally
    road = next((stage for stage in stages if stage.status == SpecialStage.Status.RUNNING), None)
    control = any(stage.status == SpecialStage.Status.TIME_CONTROL for stage in stages)
    planned = next((stage for stage in stages if stage.status == SpecialStage.Status.PLANNED), None)
    shown = None if road is None else live.of_stage(road)
    may_open = rally.status == Rally.Status.RUNNING and road is None and not control
    return EveningPage(
        rally=rally,
        people=people,
        mine=next((person for person in people if person.entry.driver_id == viewer.pk), None),
        question=Question.objects.filter(rally=rally).first(),
        stage=shown,
        tables=() if shown is None else _tables(shown),
        next_stage=planned if may_open else None,
        may_resume=rally.keeps_seconds and rally.paused_at is not None and drivers_paused(rally),
        stop=Stop.objects.filter(rally=rally).select_related("stage").first(),
        arriving=comes,
        pause_ends=next((pause.until for pause in begun if pause.at == rally.paused_at), None),
        my_pauses=sum(comes.mine is not None and pause.entry_id == comes.mine.pk for pause in begun),
        unseen_everywhere=bool(viewer.pk and unseen.get(viewer.pk)),
    )


def _tables(shown: Live) -> tuple[Table, ...]:
    open_runs = [] if shown.secret else [
        table.run.pk for table in shown.tables if not table.over and not watching.may_hide(table.run)
    ]  # fmt: skip
    waits = dict[int, tuple[datetime, datetime, bool]]()
    turns = Turn.objects.filter(run__in=open_runs, ended_at=None, to_come=False).order_by("-since")
    for run, since, until, time_up_at in turns.values_list("run", "since", "deadline", "time_up_at"):
        waits[run] = since, until, time_up_at is not None
    return tuple(Table(table, *waits.get(table.run.pk, ())) for table in shown.tables)


def of_evening(request: HttpRequest, key: str) -> Any:
    """What the page and the board depend on; None for a rally that there is not, or that the reader may not see."""
    try:
        rally = rallies.rally_by_key(key, request.user)
    except Http404:
        return None
    return _version(rally)


def of_board(request: HttpRequest, name: str) -> Any:
    """The same for the secret address of a board."""
    rally = rally_of_board(name)
    return None if rally is None else _version(rally)


def rally_of_board(name: str) -> Rally | None:
    """The rally of the secret address of a board; None when the name is none of ours, or works no longer. One query."""
    key = key_in(name)
    rally = None if key is None else Rally.objects.select_related("club").filter(key=key).first()
    if rally is None or rally.status == Rally.Status.CANCELLED:
        return None
    over = rally.finished_at if rally.status == Rally.Status.FINISHED else None
    return rally if over is None or clock.now() <= over + BOARD_STAYS else None


def stream_versions(topics: Sequence[str]) -> dict[str, Any]:
    """The versions of the topics "rally KEY" for the streams of open pages: one query for all of them, none without
    such a topic. A page that hears of a change reads the rest by itself.
    """
    keys = [topic.removeprefix("rally ") for topic in topics if topic.startswith("rally ")]
    return {f"rally {row[0]}": row[1:] for row in _versions(keys)} if keys else {}


def _version(rally: Rally) -> list[Any]:
    return [row[1:] for row in _versions([rally.key])]


def _versions(keys: Sequence[str]) -> list[tuple[Any, ...]]:
    """What the pages of these evenings depend on, as a spectator may know it: a row for each, its key first. One
    query.
    """
    return _now_by_key(live.sealing_games())(keys=list(keys), since=clock.now() - OPEN_FOR)


@lru_cache(maxsize=8)
def _now_by_key(sealing: tuple[str, ...]) -> Prepared[tuple[Any, ...]]:
    return prepared(lambda keys, since: _now(keys, since, sealing))


def _now(keys: Any, since: Any, sealing: tuple[str, ...]) -> QuerySet[Rally, tuple[Any, ...]]:
    mine, of_entry = OuterRef("pk"), {"entry__rally": OuterRef("pk")}
    unseen = Unseen.objects.filter(Q(rally=None) | Q(rally=OuterRef("entry__rally")), person=OuterRef("entry__driver"))
    here = Seat.objects.filter(
        ~Exists(unseen), run__special_stage__rally=mine, run__status=Run.Status.RUNNING, seen_open_at__gt=since
    )
    due = Turn.objects.filter(run__special_stage__rally=mine, run__status=Run.Status.RUNNING, ended_at=None)
    open_due = due.filter(run__common=None, run__hidden=False).exclude(run__game__in=sealing).order_by("pk")
    parts: dict[str, tuple[QuerySet[Any], dict[str, str]]] = {
        "here": (here.order_by("entry"), {"entry": "entry"}),
        "stages": (SpecialStage.objects.filter(rally=mine).order_by("number"), {"status": "status"}),
        "moved": (
            live.seen_by_spectators(OuterRef("key"), sealing),
            {"run": "pk", "status": "status", "seen": "seen", "open": "open_up_to"},
        ),
        "agreed": (Agreement.objects.filter(**of_entry).order_by("pk"), {"entry": "entry", "subject": "subject"}),
        "asked": (Question.objects.filter(rally=mine), {"question": "pk"}),
        "due": (open_due, {"turn": "pk", "deadline": "deadline"}),
        "stop": (Stop.objects.filter(rally=mine), {"at": "at", "how": "how", "done": "done_at"}),
        "hour": (CheckInHour.objects.filter(rally=mine), {"at": "at", "done": "done_at"}),
        "came": (
            CheckIn.objects.filter(**of_entry).order_by("pk"),
            {"entry": "entry", "at": "at", "outcome": "outcome"},
        ),
        "entries": (
            Entry.objects.filter(rally=mine).order_by("pk"),
            {"entry": "pk", "status": "status", "by": "driven_by", "first": "starts_from"},
        ),
    }
    told = {f"{name}_now": ArraySubquery(rows.values(json=JSONObject(**of))) for name, (rows, of) in parts.items()}
    rows = Rally.objects.filter(key__in=any_of(keys, "text")).annotate(**told).order_by("pk")
    return rows.values_list("key", "status", "paused_at", "evening_since", "evening", "evening_rules", *told)


def secret_name(rally: Rally) -> str:
    """The part of an address that shows the board of a rally to everybody who has it."""
    return signing.Signer(salt=SALT).sign(rally.key)


def key_in(name: str) -> str | None:
    """The key of the rally in a secret name; None when the name is none of ours."""
    try:
        return signing.Signer(salt=SALT).unsign(name)
    except signing.BadSignature:
        return None
