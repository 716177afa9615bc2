"""One season: a round by web, one in an evening in seconds, one at the table, and one where some are at the table and
others on line.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.deadlines.services.brisk import tick
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.clock.evening_pace import EveningPace
from championship.rallies.control.services.time_control import close_time_control
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.selectors import results_of
from championship.runs.models import Run, Turn
from championship.seasons import selectors, services
from championship.tabletop.links import Pass
from championship.tabletop.services import handing_in, opening
from engine import registry
from tests.championship.rallies.factories import make_rally, stage_of
from tests.championship.runs.evening import to_seconds
from tests.championship.runs.factories import open_turn, play
from tests.championship.seasons.scenes import finished_rally, people
from tests.championship.tabletop.factories import car_pass, drives, fresh, writes
from tests.factories import make_club, make_user, signed_in

pytestmark = pytest.mark.django_db


def entered(rally: Rally, by: User, drivers: list[User]) -> dict[User, Entry]:
    """The entries of these drivers, confirmed."""
    wanted = [rallies.EntryRequest(driver, driver.name) for driver in drivers]
    return {entry.driver: entry for entry in rallies.enter_for(by=by, rally=rally, wanted=wanted)}


def closes(rally: Rally, by: User) -> Rally:
    """The rally after its time control was closed."""
    stage = stage_of(rally, 1)
    if stage.status == SpecialStage.Status.TIME_CONTROL:
        close_time_control(by=by, special_stage=stage)
    return Rally.objects.get(pk=rally.pk)


def in_seconds(club: Club, by: User, drivers: list[User], at: Callable[[datetime], datetime]) -> Rally:
    """A rally that all have driven in one evening, four seconds a step. The first driver's time ran out once, and the
    second clock had the codriver drive.
    """
    own_wheel = {"after_miss": "turn"}
    rally = make_rally(by=by, club=club, stages=("1/3",), mode="convoy", name="Thursday", timekeeping=own_wheel)
    entered(rally, by, drivers)
    to_seconds(rally, EveningPace(turn=90))
    rallies.start_rally(by=by, rally=rally)
    run = Run.objects.get(special_stage__rally=rally)
    missed = Turn.objects.filter(run=run, missed=True)
    while run.status == Run.Status.RUNNING:
        at(clock.now() + timedelta(seconds=4))
        tick(now=clock.now())
        turn = open_turn(run)
        if missed.exists() or turn.seat.entry.driver != drivers[0]:
            run.refresh_from_db()
            play(run, turn.seat.entry, **registry.get(run.game).autopilot(run.state, turn.seat.name))
    return closes(rally, by)


def at_the_table(club: Club, by: User, seconds: dict[User, int]) -> Rally:
    """A rally that all have driven at the table."""
    rally = make_rally(by=by, club=club, stages=("1/3",), mode="at the table", name="Table")
    entries = entered(rally, by, list(seconds))
    evening = opening.open_evening(by=by, rally=rally, tables=1)
    opening.seat_everybody(by=by, evening=evening)
    rallies.start_rally(by=by, rally=rally)
    drives(fresh(evening), {entries[driver]: result for driver, result in seconds.items()})
    return closes(rally, by)


def mixed(club: Club, by: User, seconds: dict[User, int], there: User) -> Rally:
    """A rally on the open road: one driver was at the table, the others had runs."""
    rally = make_rally(by=by, club=club, stages=("1/3",), mode="open road", name="Mixed")
    entries = entered(rally, by, list(seconds))
    evening = opening.open_evening(by=by, rally=rally, tables=1)
    opening.choose_where(by=by, rally=rally, entry=entries[there], at_table=True)
    opening.seat_everybody(by=by, evening=fresh(evening))
    rallies.start_rally(by=by, rally=rally)
    assert Run.objects.filter(special_stage__rally=rally).count() == len(seconds) - 1
    writes(car_pass(evening, entries[there]), entries[there], seconds[there])
    assert handing_in.hand_in(by=Pass(fresh(evening)), number=1, person=by) == 1
    for driver, entry in entries.items():
        if driver != there:
            entry.refresh_from_db()
            rallies.record_stage_time(
                special_stage=stage_of(rally, 1), entry=entry, measure=seconds[driver], retired=False, car=entry.car
            )
    return closes(rally, by)


def test_all_four_kinds_of_round_count_in_one_table(at: Callable[[datetime], datetime]) -> None:
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, bo, cem = people(club, 3)
    season = services.create_championship(by=olga, club=club, name="All kinds")

    by_web = finished_rally(club, olga, {ana: (200,), bo: (210,), cem: (220,)})
    evening = in_seconds(club, olga, [ana, bo, cem], at)
    table = at_the_table(club, olga, {ana: 230, bo: 200, cem: 210})
    both = mixed(club, olga, {ana: 220, bo: 210, cem: 200}, there=cem)
    for rally in (by_web, evening, table, both):
        assert rally.status == Rally.Status.FINISHED
        services.add_round(by=olga, championship=season, rally=rally)

    codes = [[line.remarks.codes for line in results_of(rally).overall] for rally in (by_web, table, both)]
    assert codes == [[(), (), ()], [("T",), ("T",), ("T",)], [("T",), (), ()]]
    in_order = [(line.place, line.entry.driver) for line in results_of(evening).overall]
    assert [place for place, _driver in in_order] == [1, 2, 3]
    points = season.scheme.points
    driven = {driver.pk: points[place - 1] for place, driver in in_order if place is not None}
    first, second, third = points[:3]
    totals = {line.who.pk: line.total for line in selectors.table(season).drivers}
    assert totals == {
        ana.pk: first + third + third + driven[ana.pk],
        bo.pk: second + first + second + driven[bo.pk],
        cem.pk: third + second + first + driven[cem.pk],
    }
    assert Turn.objects.get(missed=True).seat.entry.driver == ana
    page = signed_in(olga).get(season.get_absolute_url()).content.decode()
    assert all(driver.name in page for driver in (ana, bo, cem))
