"""The acts of people in a season, through the services behind the pages. Each function is one act of one person."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from championship.accounts.models import User
from championship.accounts.services import update_profile
from championship.clubs.models import Club
from championship.clubs.services.holidays import take_holiday, today_of
from championship.platform.refusals import Refusal
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.services import change_timekeeping, pause_rally, resume_rally, submit_time_control
from championship.runs.models import Run, Seat, Turn
from championship.runs.play import play_turn, send_ahead
from engine import registry
from engine.contract import RuleError

STANDING = {"roll": "one by one", "stop_at": 2}
"""Standing orders for a plan that is sent ahead or driven at once."""


def drive(turn_id: int) -> bool:
    """Drive the turn if it is still open. Return whether that happened. Every third turn is driven step by step, the
    others with standing orders, at once.
    """
    turn = Turn.objects.select_related("run", "seat__entry__driver").get(pk=turn_id)
    run, driver, rules = turn.run, turn.seat.entry.driver, registry.get(turn.run.game)
    while run.status == Run.Status.RUNNING and rules.turns_made(run.state, turn.seat.name) == turn.made_before:
        if turn.seat.name not in rules.to_play(run.state):
            return False
        orders, key = rules.autopilot(run.state, turn.seat.name), f"{turn_id} {run.version}"
        if turn_id % 3 and orders.get("plan"):
            orders = {"do": "standing", "plan": orders["plan"], **STANDING}
        try:
            run = play_turn(by=driver, run=run, orders=orders, version=run.version, key=key).run
        except Refusal:
            return False  # the codriver drives, or has just driven: a person would reload the page
    return True


def plan_ahead(seat_id: int) -> bool:
    """Send orders ahead for the next turn of the seat, if another seat has the turn now. Return whether they were
    accepted.
    """
    seat = Seat.objects.select_related("run", "entry__driver").get(pk=seat_id)
    run, rules = seat.run, registry.get(seat.run.game)
    if run.status != Run.Status.RUNNING or seat.name in rules.to_play(run.state):
        return False
    try:
        plan = rules.autopilot(rules.ahead(run.state, seat.name), seat.name).get("plan", "")
        send_ahead(by=seat.entry.driver, run=run, plan=plan, orders=STANDING, version=run.version)
    except (Refusal, RuleError):
        return False  # the car is at the finish, the codriver drives, or there is no way to go on
    return True


def hand_in(stage: SpecialStage, driver: User) -> None:
    """Hand in the driver's card at time control: no penalty, the spare wheel kept."""
    with suppress(Refusal):  # the time control is closed
        submit_time_control(by=driver, special_stage=stage, decision={})


def leave(driver_id: int, club: Club, days: int, now: datetime) -> None:
    """Add a holiday that begins tomorrow in the driver's time zone."""
    driver = User.objects.get(pk=driver_id)
    first = today_of(driver, now) + timedelta(days=1)
    with suppress(Refusal):  # already stored before the database went down
        take_holiday(by=driver, club=club, first_day=first, last_day=first + timedelta(days=days - 1))


def move(driver_id: int, zone: str) -> None:
    """Change the driver's time zone."""
    driver = User.objects.get(pk=driver_id)
    update_profile(user=driver, name=driver.name, language=driver.language, time_zone=zone)


def pause(rally: Rally, organiser: User) -> None:
    """Pause a rally that is under way."""
    with suppress(Refusal):  # the rally is over
        pause_rally(by=organiser, rally=rally, reason="Snow on the passes")


def resume(rally: Rally, organiser: User) -> None:
    """End the pause."""
    with suppress(Refusal):  # the rally was over before the pause
        resume_rally(by=organiser, rally=rally)


def give_hours(rally: Rally, organiser: User, hours: int) -> None:
    """Change the hours of a turn, and no other time setting."""
    settings: dict[str, Any] = {}
    with suppress(Refusal):  # the rally is over
        change_timekeeping(by=organiser, rally=rally, turn_hours=hours, reminder_hours=4, settings=settings)
