"""A scene as a page of a run, so that the game's own panel and map show it. Its rows are in memory only."""

from __future__ import annotations

import hashlib

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform import clock
from championship.rallies.models import COLOURS, Entry, Rally, SpecialStage
from championship.rallies.results.measures import measure_of_game
from championship.runs.models import Event, Post, Run, Seat, Turn
from championship.runs.watch import watching
from championship.runs.watch.scenes import Driven, Scene
from championship.runs.watch.selectors import RunPage
from engine import registry

NO_ROW = 0
"""The primary key of what is in memory only. No row has it, so a query for it finds nothing."""


def page_of(game: str, scene: Scene, driven: Driven, *, address: str, over: bool) -> RunPage:
    """Return the page of what was driven in a scene. `address`: that of the page, on which the run is."""
    run = _run(game, scene, driven, address)
    run.status = Run.Status.FINISHED if over else Run.Status.RUNNING
    seats = [_seat(run, name, number, driven) for number, name in enumerate(driven.opening.seats, 1)]
    mine = next(seat for seat in seats if seat.name == driven.opening.pupil)
    rules = registry.get(game)
    made = rules.turns_made(driven.state, mine.name)
    turn = Turn(pk=NO_ROW, run=run, seat=mine, number=1, made_before=made, since=run.opened_at, deadline=run.opened_at)
    return RunPage(
        run=run,
        seats=seats,
        mine=mine,
        turns=[] if over or scene.answers else [turn],
        posts=_posts(run, seats, driven),
        version=run.version,
        post_count=run.version,
    )


def _run(game: str, scene: Scene, driven: Driven, address: str) -> Run:
    rules, measure, now = registry.get(game), measure_of_game(game), clock.now()
    rally = Rally(
        pk=NO_ROW,
        name=str(scene.title),
        game=game,
        ruleset_version=rules.version,
        unit=measure.unit,
        better=measure.better,
        options=dict(driven.opening.options),
        status=Rally.Status.RUNNING,
        practice=True,
        started_at=now,
    )
    stage = SpecialStage(pk=NO_ROW, rally=rally, number=1, name=str(scene.title), spec=driven.opening.course)
    run = Run(
        pk=NO_ROW,
        key=hashlib.sha256(address.encode()).hexdigest()[:24],
        special_stage=stage,
        number=1,
        game=game,
        ruleset_version=rules.version,
        stage=driven.opening.course,
        entrants=[{"id": name} for name in driven.opening.seats],
        options=dict(driven.opening.options),
        state=driven.state,
        version=len(driven.posts),
        events_told=len(driven.events),
        opened_at=now,
    )
    setattr(run, "get_absolute_url", lambda: address)  # noqa: B010 - panels link to the page of their run
    return run


def _seat(run: Run, name: str, number: int, driven: Driven) -> Seat:
    own = name == driven.opening.pupil
    crew = _("You") if own else _("Codriver")
    entry = Entry(
        pk=number,
        rally=run.special_stage.rally,
        driver=User(pk=NO_ROW, name=crew),
        crew=crew,
        start_number=int(name) if name.isdecimal() else number,
        colour=(number - 1) % COLOURS,
        status=Entry.Status.CONFIRMED,
        driven_by=Entry.DrivenBy.PERSON if own else Entry.DrivenBy.CODRIVER,
    )
    return Seat(pk=number, run=run, special_stage=run.special_stage, entry=entry, name=name, position=number)


def _posts(run: Run, seats: list[Seat], driven: Driven) -> list[Post]:
    """Return the posts of a scene, newest first, with their events. All posts of a seat's turn share one turn."""
    by_name, rules = {seat.name: seat for seat in seats}, registry.get(run.game)
    posts, events, turns = list[Post](), list[Event](), dict[tuple[str, int], Turn]()
    for number, each in enumerate(driven.posts, 1):
        seat, made = by_name[each.seat], rules.turns_made(each.before, each.seat)
        turn = turns.setdefault(
            (each.seat, made),
            Turn(
                pk=len(turns) + 1,
                run=run,
                seat=seat,
                number=len(turns) + 1,
                made_before=made,
                since=run.opened_at,
                deadline=run.opened_at,
            ),
        )
        by = seat.entry.driver if each.seat == driven.opening.pupil else None
        post = Post(pk=number, run=run, number=number, turn=turn, by=by, orders=dict(each.orders), at=run.opened_at)
        posts.append(post)
        for data in each.events:
            told = len(events) + 1
            events.append(Event(pk=told, run=run, number=told, post=post, kind=data["kind"], data=dict(data)))
    posts.reverse()
    watching.put_events(posts, events)
    return posts
