"""Open stages, and people who drive them."""

from __future__ import annotations

from championship.accounts.models import User
from championship.openstage import services
from championship.openstage.models import Week
from championship.openstage.opening_times import LEAST_OPEN, end_of, monday_of
from championship.openstage.services import Closings, Openings
from championship.platform import clock
from championship.runs.models import Run
from championship.runs.play import play_turn
from engine import registry
from tests.championship.runs.factories import fresh_key


def opened() -> Week:
    """This week's open stage, as the sweep opens it: on a Sunday, when none opens any more, as it did before."""
    now = clock.now()
    week = services.open_due(now=min(now, end_of(monday_of(now)) - LEAST_OPEN))
    assert week is not None
    return week


def open_and_close() -> None:
    """Do what the sweep does for open stages at set times, and nothing for anybody's deadline."""
    now = clock.now()
    for action in (Closings(), Openings()):
        for row_id in action.due(now):
            action.act(row_id, now)


def close_due() -> int:
    """Close the stages whose time is over, as the sweep does. Return how many this call closed."""
    now = clock.now()
    return sum(services.close(week=week, now=now) for week in services.weeks_to_close(now=now))


def on_the_stage(person: User) -> Run:
    """Begin the person's run and make one post in it."""
    run = services.drive(by=person)
    go_on(run, person, posts=1)
    return run


def go_on(run: Run, person: User, posts: int = 10_000) -> None:
    """Drive on as the careful codriver would, for `posts` posts at most."""
    run.refresh_from_db()
    rules = registry.get(run.game)
    while posts and run.status == Run.Status.RUNNING:
        seat = rules.to_play(run.state)[0]
        orders = rules.autopilot(run.state, seat)
        play_turn(by=person, run=run, orders=orders, version=run.version, key=fresh_key(), salt=fresh_key())
        run.refresh_from_db()
        posts -= 1


def come_in(person: User) -> Run:
    """Drive the person's run to the end."""
    run = services.drive(by=person)
    go_on(run, person)
    return run


def retire(run: Run, person: User) -> None:
    """The person gives up."""
    rules = registry.get(run.game)
    seat = rules.to_play(run.state)[0]
    play_turn(by=person, run=run, orders=rules.resign(run.state, seat), version=run.version, key=fresh_key())
