"""What people do in a season, through the services behind their pages: each function is one act of one person."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from championship.accounts.models import User
from championship.accounts.services import update_profile
from championship.clubs.holidays import take_holiday, today_of
from championship.clubs.models import Club
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.services import change_timekeeping, pause_rally, resume_rally, submit_time_control
from championship.refusals import Refused
from championship.runs.models import Run, Seat, Turn
from championship.runs.services import play_turn, send_ahead
from engine import registry
from engine.contract import RuleError

STANDING = {"roll": "one by one", "stop_at": 2}
"""How a plan is rolled that is sent ahead, or made in one go."""


def drive(turn_id: int) -> bool:
    """The driver makes the turn, if it is still there to make; whether it was. Every third step by step, the others by
    standing orders in one go.
    """
    turn = Turn.objects.select_related("run", "seat__entry__driver").get(pk=turn_id)
    run, driver, rules = turn.run, turn.seat.entry.driver, registry.get(turn.run.game)
    while run.status == Run.Status.RUNNING and rules.turns_made(run.state, turn.seat.driver) == turn.made_before:
        if turn.seat.driver not in rules.to_play(run.state):
            return False
        orders, key = rules.autopilot(run.state, turn.seat.driver), f"{turn_id} {run.version}"
        if turn_id % 3 and orders.get("plan"):
            orders = {"do": "standing", "plan": orders["plan"], **STANDING}
        try:
            run = play_turn(by=driver, run=run, orders=orders, version=run.version, key=key).run
        except Refused:
            return False  # the codriver has the car, or has just driven: a person would look again
    return True


def plan_ahead(seat_id: int) -> bool:
    """The driver sends a plan for the next turn, if it is somebody else's now; whether it was taken."""
    seat = Seat.objects.select_related("run", "entry__driver").get(pk=seat_id)
    run, rules = seat.run, registry.get(seat.run.game)
    if run.status != Run.Status.RUNNING or seat.driver in rules.to_play(run.state):
        return False
    try:
        plan = rules.autopilot(rules.ahead(run.state, seat.driver), seat.driver).get("plan", "")
        send_ahead(by=seat.entry.driver, run=run, plan=plan, orders=STANDING, version=run.version)
    except (Refused, RuleError):
        return False  # the car is home, the codriver has it, or there is nothing to lay
    return True


def hand_in(stage: SpecialStage, driver: User) -> None:
    """The driver's card at time control: no penalty, the spare wheel kept."""
    with suppress(Refused):  # it has closed
        submit_time_control(by=driver, special_stage=stage, decision={})


def leave(driver_id: int, club: Club, days: int, now: datetime) -> None:
    """A holiday, from tomorrow on by the driver's own calendar."""
    driver = User.objects.get(pk=driver_id)
    first = today_of(driver, now) + timedelta(days=1)
    with suppress(Refused):  # taken already, before the database went away
        take_holiday(by=driver, club=club, first_day=first, last_day=first + timedelta(days=days - 1))


def move(driver_id: int, zone: str) -> None:
    """To another zone."""
    driver = User.objects.get(pk=driver_id)
    update_profile(user=driver, name=driver.name, language=driver.language, time_zone=zone)


def pause(rally: Rally, organiser: User) -> None:
    """The organiser stops the clock of a rally that is under way."""
    with suppress(Refused):  # it is over
        pause_rally(by=organiser, rally=rally, reason="Snow on the passes")


def resume(rally: Rally, organiser: User) -> None:
    """The organiser lets the clock go on."""
    with suppress(Refused):  # it was over before it was paused
        resume_rally(by=organiser, rally=rally)


def give_hours(rally: Rally, organiser: User, hours: int) -> None:
    """From now on a turn has so many hours; all else about time stays."""
    settings: dict[str, Any] = {}
    with suppress(Refused):  # it is over
        change_timekeeping(by=organiser, rally=rally, turn_hours=hours, reminder_hours=4, settings=settings)
