"""The end of a run for its driver: the place and the result, the cars around it, where it was won and lost, how many
cars are still on the road, and the one thing that comes next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from championship.platform.refusals import NotYet
from championship.rallies.control.awaited_drivers import missing_cards
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.classification import Line, Remarks, classify
from championship.rallies.results.retirement_reasons import Retirement
from championship.rallies.results.selectors import results_of
from championship.rallies.selectors import Viewer
from championship.runs.models import Event, Run, Seat
from championship.runs.watch import gaps, page_versions, watching
from championship.runs.watch.gaps import Gaps
from championship.runs.watch.selectors import RunPage
from championship.runs.watch.split_sections import CarSections, sections_of
from engine import registry
from engine.contract import Arrivals, Highlights, Json, OrdersAhead, RuleError, offered


@dataclass(frozen=True, slots=True)
class Onward:
    """The one thing that a driver does next: a button and its address."""

    label: str
    address: str


@dataclass(frozen=True, slots=True)
class FinishCard:
    """The end of a run. `lines`: the cars that have a result on the stage, best first. `mine`: the viewer's line among
    them; None for a viewer without a car, and where the run gives no result before all cars are in.

    `driving`: how many cars of the stage are still on the road. `sections`: the sections of the viewer's car, where the
    game measures on the way. `over`: the run is over. `told`: what the game tells of the viewer's drive beside the
    result, for its own template.

    `follows`: on what the card depends after the run (`page_versions.after`), as long as other runs of the stage are
    under way, and in an evening until the rally is over, so that the reader hears of what comes next; else None.
    """

    over: bool
    lines: Sequence[Line]
    mine: Line | None
    driving: int
    onward: Onward | None = None
    sections: CarSections | None = None
    borders: int = 0
    follows: list[list[Any]] | None = None
    told: Mapping[str, Json] = field(default_factory=dict)

    @property
    def leader(self) -> Line | None:
        """The best line so far."""
        return self.lines[0] if self.lines and self.lines[0].place is not None else None

    @property
    def ahead(self) -> Line | None:
        """The line before the viewer's own."""
        here = self._index
        return self.lines[here - 1] if here else None

    @property
    def behind(self) -> Line | None:
        """The line after the viewer's own, if it has a place."""
        here = self._index
        after = self.lines[here + 1 :] if here is not None else ()
        return after[0] if after and after[0].place is not None else None

    @property
    def placed(self) -> int:
        """How many cars have a place."""
        return sum(line.place is not None for line in self.lines)

    @property
    def is_alone(self) -> bool:
        """Whether only the viewer's car drives the stage: its place says nothing."""
        return len(self.lines) == 1 and not self.driving

    @property
    def told_in_gaps(self) -> bool:
        """Whether gaps say anything: not where the result is a place."""
        return self.mine is not None and self.mine.measure.unit != "places"

    @property
    def _index(self) -> int | None:
        if self.mine is None or self.mine.place is None:
            return None
        return next(at for at, line in enumerate(self.lines) if line.entry.pk == self.mine.entry.pk)


def finish_card(page: RunPage, viewer: Viewer) -> FinishCard | None:
    """Return the card of a run that is over, or in which the viewer's car drives no more; None otherwise.

    Eleven queries for a run that is over and a viewer who drove in it, one more while other runs are under way, and one
    for a game with highlights. Four at most while others drive; none while the viewer's car is on the road.
    """
    if page.run.status == Run.Status.FINISHED:
        return _of_finished_run(page, viewer)
    if page.run.hidden:  # whether a car drives on may be one of the secrets
        return None
    if page.run.status == Run.Status.RUNNING and page.mine is not None and _is_in(page, page.mine):
        return _while_others_drive(page, page.mine, viewer)
    return None


def _is_in(page: RunPage, seat: Seat) -> bool:
    """Whether a seat of a run that is under way plays no more, as far as its game can say so."""
    if page.my_turn is not None or seat.name in watching.to_play(page.run):
        return False
    return not _plays_on(page.run, seat.name)


def _plays_on(run: Run, seat: str) -> bool:
    """Whether the seat still has a turn to come. A game without orders ahead cannot say: then it counts as driving."""
    can_say = offered(registry.get(run.game), OrdersAhead)
    if can_say is None or seat in watching.to_play(run):
        return True
    try:
        can_say.ahead(run.state, seat)
    except RuleError:
        return False
    return True


def _while_others_drive(page: RunPage, mine: Seat, viewer: Viewer) -> FinishCard:
    """Return the stand so far, from the splits or the arrivals, where the game has them."""
    run, rally = page.run, page.run.special_stage.rally
    driving = sum(_plays_on(run, seat.name) for seat in page.seats)
    onward = Onward(_("To my turns"), reverse("runs:mine")) if not rally.practice else None
    found = gaps.of_run(run, page.seats, viewer) if gaps.has_splits(run.game) else None
    lines = _lines_by_splits(found, run.special_stage) if found else _lines_by_arrivals(page)
    own = next((line for line in lines if line.entry.pk == mine.entry_id), None)
    return FinishCard(
        over=False,
        lines=lines,
        mine=own,
        driving=driving,
        onward=onward,
        sections=sections_of(found).get(mine.entry_id) if found else None,
        borders=found.borders if found else 0,
        told=_told_of(run, mine),
    )


def _told_of(run: Run, seat: Seat) -> Mapping[str, Json]:
    """Return what the game tells of a seat's drive; empty where it tells nothing. One query."""
    rules = offered(registry.get(run.game), Highlights)
    if rules is None:
        return {}
    events = Event.objects.filter(run=run, kind__in=rules.highlight_kinds, number__lte=run.events_told)
    return rules.highlights(events.order_by("number").values_list("data", flat=True)).get(seat.name, {})


def _lines_by_splits(found: Gaps, stage: SpecialStage) -> list[Line]:
    """Return the classification of the cars that are in: retired ones come last, without a place."""
    entries = {}
    for car in found.cars:
        car.seat.entry.rally = stage.rally
        entries[car.seat.entry_id] = car.seat.entry
    totals = {car.seat.entry_id: car.finish.measured for car in found.cars if car.finish}
    retired = Remarks(retired=(Retirement(stage.number, "", stage.rally.words),))
    out = [Line(car.seat.entry, None, None, remarks=retired) for car in found.cars if car.retired]
    return [*classify(totals, entries, {}, measure=found.measure), *out]


def _lines_by_arrivals(page: RunPage) -> list[Line]:
    """Return the classification of the cars that are in, as far as their game knows it."""
    rules = registry.get(page.run.game)
    known = offered(rules, Arrivals)
    if known is None:
        return []
    seats = {seat.name: seat for seat in page.seats}
    arrived = [(seats[one.seat], one) for one in known.arrived(page.run.state)]
    for seat, _one in arrived:
        seat.entry.rally = page.run.special_stage.rally
    return classify(
        {seat.entry_id: one.measure for seat, one in arrived if one.measure is not None},
        {seat.entry_id: seat.entry for seat, _one in arrived},
        {},
        measure=rules.measure,
        ranks={seat.entry_id: one.rank for seat, one in arrived},
    )


def _of_finished_run(page: RunPage, viewer: Viewer) -> FinishCard | None:
    """Return the card from the results of the stage."""
    stage, rally = page.run.special_stage, page.run.special_stage.rally
    if rally.for_everybody and page.mine is None:
        return None
    under_way = stage.status == SpecialStage.Status.RUNNING
    in_evening = rally.keeps_seconds and rally.status == Rally.Status.RUNNING
    # Before the results: a page may be newer.
    follows = page_versions.after(page.run.key) if under_way or in_evening else None
    results = results_of(rally, viewer.pk)
    lines = results.stage_lines(stage.number)
    recorded = len(results.by_stage.get(stage.number, {})) + results.sealed.get(stage.number, 0)
    driving = max(0, stage.start_places.count() - recorded) if under_way else 0
    entry = page.mine.entry if page.mine is not None else None
    mine = next((line for line in lines if entry is not None and line.entry.pk == entry.pk), None)
    found = _gaps_of(page, viewer) if entry is not None and gaps.has_splits(page.run.game) else None
    return FinishCard(
        over=True,
        lines=lines,
        mine=mine,
        driving=driving,
        onward=_onward(rally, stage, entry),
        sections=sections_of(found).get(entry.pk) if found is not None and entry is not None else None,
        borders=found.borders if found is not None else 0,
        follows=follows if driving or in_evening else None,
        told=_told_of(page.run, page.mine) if page.mine is not None else {},
    )


def _gaps_of(page: RunPage, viewer: Viewer) -> Gaps:
    """Return the gaps between all cars of the stage, or of this run where the viewer may not see all of them yet, or
    where everybody may start.
    """
    stage = page.run.special_stage
    if not stage.rally.for_everybody:
        try:
            return gaps.of_stage(stage, viewer)
        except NotYet:
            pass
    return gaps.of_run(page.run, page.seats, viewer)


def _onward(rally: Rally, stage: SpecialStage, entry: Entry | None) -> Onward | None:
    """Return what comes next. Three queries at most; none in practice, where the lessons say it."""
    if rally.practice:
        return None
    if rally.for_everybody:
        return Onward(_("To the table"), rally.get_absolute_url())
    if rally.status == Rally.Status.FINISHED:
        return Onward(_("To the podium"), reverse("rallies:podium", args=[rally.key]))
    in_control = stage.status == SpecialStage.Status.TIME_CONTROL
    if entry is not None and in_control and missing_cards(stage).filter(pk=entry.pk).exists():
        address = reverse("rallies:time_control", args=[rally.key, stage.number])
        return Onward(_("Hand in your card"), address)
    return on_the_road(rally, stage, entry) or Onward(_("To the results"), stage.get_absolute_url())


def on_the_road(rally: Rally, stage: SpecialStage, entry: Entry | None) -> Onward | None:
    """Return the way from a stage to what is driven after it: to the run of this car, if it drives there, else to the
    stage. None while nothing is driven elsewhere. Two queries at most.
    """
    if entry is not None:
        later = Run.objects.filter(seats__entry=entry, status=Run.Status.RUNNING, special_stage__rally=rally)
        run = later.select_related("special_stage").order_by("-special_stage__number").first()
        if run is not None and run.special_stage_id != stage.pk:
            return _to(rally, run.special_stage, run.get_absolute_url())
    if rally.status != Rally.Status.RUNNING or stage.status == SpecialStage.Status.RUNNING:
        return None
    road = rally.stages.filter(status=SpecialStage.Status.RUNNING).first()
    return None if road is None else _to(rally, road, road.get_absolute_url())


def _to(rally: Rally, stage: SpecialStage, address: str) -> Onward:
    return Onward(_("To %(stage)s") % {"stage": rally.stage_called(stage.number)}, str(address))
