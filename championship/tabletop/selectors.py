"""The data of the pages of an evening, each in a fixed number of queries."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import pgettext

from championship.catalogue.pads import Pad, PadField, pad_of
from championship.platform.prepared_queries import BoundQuery, prepared
from championship.rallies.control import career
from championship.rallies.control.awaited_drivers import missing_cards
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results import measures
from championship.rallies.results.selectors import COMPLETE, heat_called
from championship.tabletop.links import Pass
from championship.tabletop.models import Evening, Roll, Score, SignOn, Table
from championship.tabletop.services.names import to_decide
from championship.tabletop.starters import open_stage_of, starters_of

Standing = Score.Standing


def evenings_of_page(rally: str, **_known: Any) -> BoundQuery[tuple[Any, ...]]:
    """Return the query of the evenings at the table of the rally of that key, for a page that reads all at once."""
    return _evenings.bind(rally=rally)


@prepared
def _evenings(rally: Any) -> QuerySet[Evening, tuple[Any, ...]]:
    return Evening.objects.filter(rally__key=rally).order_by("pk").values_list("pk")[:1]


def in_words(score: Score, rally: Rally) -> str:
    """What a score says of the car: "3:25", "retired", or both."""
    told = [] if score.measure is None else [measures.result(score.measure, rally.measure)]
    if score.retired:
        retired = pgettext("result", "retired")
        told.append(f"{retired}: {score.reason}" if score.reason else retired)
    return ", ".join(told)


@dataclass(frozen=True, slots=True)
class Counted:
    """A field of a pad with the number that it shows."""

    field: PadField
    number: int

    @property
    def name(self) -> str:
        return f"n_{self.field.name}"

    @property
    def worth_in_words(self) -> str:
        """What each one adds, with its sign."""
        return f"{self.field.worth:+d}".replace("-", "−")


@dataclass(frozen=True)
class Car:
    """A car on a pad. `stands`: the score that counts; `others`: those to decide about. `handed_in`: its result is in.
    `groups`: the fields of the pad by heading. `card`: time control waits for its card. `heat`: its heat in words,
    where its table has several.
    """

    entry: Entry
    stands: Score | None = None
    others: Sequence[Score] = ()
    handed_in: bool = False
    groups: Sequence[tuple[str, Sequence[Counted]]] = ()
    card: bool = False
    heat: str = ""

    @property
    def fresh_key(self) -> str:
        """A new key for a form without a script."""
        return secrets.token_hex(8)

    @property
    def typed_now(self) -> str:
        """The result that was typed, as a field takes it: "3:25"."""
        if self.stands is None or self.stands.measure is None:
            return ""
        if self.entry.rally.measure.unit == "seconds":
            return measures.clock_time(self.stands.measure)
        return str(self.stands.measure)

    @property
    def done(self) -> bool:
        """Whether nothing is left to enter or to decide."""
        return self.handed_in or (self.stands is not None and not self.others)


@dataclass(frozen=True)
class PadPage:
    """What a link to pads shows. `stage`: the one on the road or at time control; None when there is none. `cars`:
    those of the link that drive it. `last`: no other stage follows. `names`: the sign-ons about which somebody has to
    decide whose they are.
    """

    by: Pass
    rally: Rally
    pad: Pad
    stage: SpecialStage | None
    cars: Sequence[Car] = ()
    last: bool = False
    names: Sequence[SignOn] = ()

    @property
    def sits_at(self) -> str:
        """The table of the link's only car, in words; "" for a link of a table, and for a car that has none."""
        sign_on = getattr(self.by.entry, "sign_on", None)
        return str(sign_on.table) if sign_on is not None else ""

    @property
    def on_the_road(self) -> bool:
        return self.stage is not None and self.stage.status == SpecialStage.Status.RUNNING

    @property
    def at_control(self) -> bool:
        return self.stage is not None and self.stage.status == SpecialStage.Status.TIME_CONTROL

    @property
    def ready(self) -> bool:
        """Whether the results of all these cars can be handed in."""
        waiting = [car for car in self.cars if not car.handed_in]
        return self.on_the_road and bool(waiting) and all(car.done for car in waiting)

    @property
    def all_in(self) -> bool:
        return bool(self.cars) and all(car.handed_in for car in self.cars)

    @property
    def worths(self) -> dict[str, Any]:
        """What each number adds to the result, for the script of the page."""
        return {f"n_{each.name}": list(each.table) or each.worth for each in self.pad.fields}


def pad_page(by: Pass) -> PadPage:
    """The page of a link to pads: eight queries at most, for many cars as for one."""
    rally = by.evening.rally
    stage, pad = open_stage_of(rally), pad_of(rally.game, rally.all_options)
    if stage is None:
        return PadPage(by, rally, pad, None, names=list(to_decide(by)))
    entries = starters_of(stage)
    if by.table is not None:
        entries = entries.filter(sign_on__table=by.table)
    if by.entry is not None:
        entries = entries.filter(pk=by.entry.pk)
    last = not rally.stages.filter(number__gt=stage.number).exists()
    cars = _cars(rally, stage, pad, list(entries), last=last)
    return PadPage(by, rally, pad, stage, cars, last, list(to_decide(by)))


def _cars(rally: Rally, stage: SpecialStage, pad: Pad, entries: Sequence[Entry], *, last: bool) -> list[Car]:
    stands: dict[int, Score] = {}
    others: dict[int, list[Score]] = defaultdict(list)
    live = Q(standing__in=[Standing.STANDS, Standing.CONFLICT])
    for score in stage.scores.filter(live, entry__in=entries):
        if score.standing == Standing.STANDS:
            stands[score.entry_id] = score
        else:
            others[score.entry_id].append(score)
    for entry in entries:
        entry.rally = rally
    handed = set(stage.times.filter(entry__in=entries).values_list("entry", flat=True))
    at_control = stage.status == SpecialStage.Status.TIME_CONTROL
    several = len({entry.heat for entry in entries}) > 1  # type: ignore[attr-defined]
    missing = set(missing_cards(stage).values_list("pk", flat=True)) if at_control else set()
    return [
        Car(
            entry=entry,
            stands=stands.get(entry.pk),
            others=others.get(entry.pk, ()),
            handed_in=entry.pk in handed,
            groups=_groups(pad, _shown(pad, entry, stands.get(entry.pk))),
            card=entry.pk in missing and bool(career.decisions(rally, stage, entry.car, last=last)),
            heat=heat_called(entry.heat) if several else "",  # type: ignore[attr-defined]
        )
        for entry in entries
    ]


def _shown(pad: Pad, entry: Entry, stands: Score | None) -> Mapping[str, int]:
    begins = pad.begins(entry.car) if entry.car else {}
    return begins if stands is None else {**begins, **stands.numbers}


def _groups(pad: Pad, numbers: Mapping[str, int]) -> list[tuple[str, list[Counted]]]:
    found: dict[str, list[Counted]] = {}
    for each in pad.fields:
        found.setdefault(str(each.group), []).append(Counted(each, numbers.get(each.name, 0)))
    return list(found.items())


def version_of(by: Pass) -> str:
    """What a pad shows, as a short text that changes with it: five queries."""
    stage = open_stage_of(by.evening.rally)
    names = to_decide(by).aggregate(open=Count("pk"), contested=Count("contested_at"))
    waiting = f"{names['open']} {names['contested']}"
    if stage is None:
        return f"{by.evening.rally.status} {waiting}"
    mine = Q()
    if by.entry is not None:
        mine = Q(entry=by.entry)
    elif by.table is not None:
        mine = Q(entry__sign_on__table=by.table)
    scores, times, cards = stage.scores.filter(mine), stage.times.filter(mine), stage.cards.filter(mine)
    newest = scores.aggregate(newest=Max("pk"), open=Count("pk", filter=Q(standing=Standing.CONFLICT)))
    told = (stage.number, stage.status, newest["newest"], newest["open"], times.count(), cards.count(), waiting)
    return " ".join(map(str, told))


# For organisers -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableNow:
    """A table as the organiser sees it: its cars, and how many results are entered and handed in."""

    table: Table
    cars: Sequence[SignOn]
    entered: int = 0
    handed_in: int = 0


@dataclass(frozen=True)
class EveningNow:
    """An evening as the organiser sees it. `absent`: confirmed cars without a table. `names`:
    sign-ons about which somebody has to decide whose they are."""

    evening: Evening
    stage: SpecialStage | None
    tables: Sequence[TableNow]
    absent: Sequence[Entry]
    conflicts: Sequence[Score]
    counting: Mapping[int, Score]
    names: Sequence[SignOn] = ()

    @property
    def disputes(self) -> list[tuple[Score, Score | None]]:
        """The entries to decide about, each with the one that counts now."""
        return [(score, self.counting.get(score.entry_id)) for score in self.conflicts]


def evening_now(evening: Evening) -> EveningNow:
    """The evening as the organiser sees it: nine queries."""
    rally, stage = evening.rally, open_stage_of(evening.rally)
    confirmed = rally.entries.filter(status=Entry.Status.CONFIRMED)
    scores = Score.objects.filter(special_stage__rally=rally, standing__in=[Standing.STANDS, Standing.CONFLICT])
    found = list(scores.select_related("entry", "special_stage").order_by("at", "pk"))
    for score in found:
        score.special_stage.rally = rally
    entered = {score.entry_id for score in found if stage is not None and score.special_stage_id == stage.pk}
    handed = set() if stage is None else set(stage.times.values_list("entry", flat=True))
    seated: dict[int, list[SignOn]] = defaultdict(list)
    for sign_on in evening.sign_ons.select_related("entry__driver", "table").order_by("entry__start_number"):
        sign_on.evening = evening
        seated[sign_on.table_id].append(sign_on)
    tables = []
    for table in evening.tables.all():
        table.evening = evening
        here = {each.entry_id for each in seated[table.pk]}
        tables.append(TableNow(table, seated[table.pk], len(here & entered), len(here & handed)))
    conflicts = [score for score in found if score.standing == Standing.CONFLICT]
    counting = {
        score.entry_id: score
        for score in found
        if score.standing == Standing.STANDS
        and any(
            score.special_stage_id == each.special_stage_id and score.entry_id == each.entry_id for each in conflicts
        )
    }
    absent = list(confirmed.filter(sign_on=None).order_by("start_number"))
    return EveningNow(evening, stage, tables, absent, conflicts, counting, list(to_decide(Pass(evening))))


# For everybody ------------------------------------------------------------------------------------

MOST_LISTED = 500


@dataclass(frozen=True)
class ByHand:
    """What was entered by hand in a rally, the latest first, and what phones have rolled."""

    scores: Sequence[Score]
    rolls: Sequence[Roll]


def by_hand(rally: Rally) -> ByHand:
    """What was entered by hand in a rally, as everybody may know it: three queries. On a stage where others drive runs,
    it is told when the stage is over.
    """
    stages = {stage.pk: stage for stage in rally.stages.select_related("rally")}
    told = [stage.pk for stage in stages.values() if stage.at_table or stage.status in COMPLETE]
    scores = Score.objects.filter(special_stage__in=told).select_related("entry", "seen")
    rolls = Roll.objects.filter(special_stage__in=told).select_related("entry")
    shown = ByHand(list(scores.order_by("-at", "-pk")[:MOST_LISTED]), list(rolls.order_by("-at", "-pk")[:MOST_LISTED]))
    for score in shown.scores:
        score.special_stage, score.entry.rally = stages[score.special_stage_id], rally
    for roll in shown.rolls:
        roll.special_stage, roll.entry.rally = stages[roll.special_stage_id], rally
    return shown
