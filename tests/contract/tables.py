"""Toys in the real service: rallies, entries, pages with their buttons, turns sent with them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any

from django.test import Client

from championship.clubs.models import Club
from championship.rallies import services as rallies
from championship.rallies.control.services import time_control as control
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs.models import Run
from championship.stages.models import StageDesign
from engine import registry
from tests import worlds
from tests.championship.rallies.factories import enter, organiser_of, ready_made
from tests.factories import make_club, make_user, signed_in

CREWS = ("Ana", "Bo", "Cem", "Dag", "Eva", "Fin", "Gus", "Hal", "Ida", "Jan")
BUTTON = re.compile(r'name="orders"[^>]*? value="([^"]*)"')


def make_rally(game: str, *, stages: int = 1, club: Club | None = None, **how: Any) -> Rally:
    """Return a rally of a toy with open entries. Its stages take the courses of its library in turn."""
    ready_made()
    club = club or make_club(owner=make_user("Olga Organiser"))
    courses = cycle(StageDesign.objects.filter(club=None, game=game).order_by("source"))
    settings = {"options": {}, "mode": "convoy", "turn_hours": 24, "reminder_hours": 4, "auto_start": True, **how}
    organiser = club.memberships.order_by("pk")[0].user
    return rallies.create_rally(
        by=organiser, club=club, name=f"Rally of {game}", game=game, designs=list(islice(courses, stages)), **settings
    )


def crews(game: str, wish: int) -> tuple[str, ...]:
    """Return `wish` crews, or the nearest number that one table of the game can seat."""
    seats = registry.get(game).seats
    return CREWS[: min(max(wish, seats.least), seats.most)]


def on_the_road(game: str, *crews: str, **how: Any) -> tuple[Run, list[Entry]]:
    """Return the first run of a rally that has just started, and its entries in starting order."""

    def built() -> int:
        rally = make_rally(game, **how)
        enter(rally, *crews)
        rallies.start_rally(by=organiser_of(rally), rally=rally)
        return Run.objects.get(special_stage__rally=rally, number=1, special_stage__number=1).pk

    run = put_back("toy on the road", [game, crews, how], built)
    return run, [place.entry for place in run.seats.select_related("entry__driver").order_by("position")]


def put_back(name: str, terms: Any, build: Callable[[], int]) -> Run:
    """Return the run whose key `build` returns, from a cached world where possible."""
    return Run.objects.get(pk=worlds.as_it_was(name, terms, build, lambda key: Run.objects.filter(pk=key).exists()))


def page_of(entry: Entry | None, run: Run) -> str:
    """Return the page of the run as the driver of the entry sees it, or as a visitor sees it when the entry is None."""
    client = Client() if entry is None else signed_in(entry.driver)
    answer = client.get(run.get_absolute_url())
    assert answer.status_code == 200
    return answer.content.decode()


def ways_on(page: str) -> list[dict[str, Any]]:
    """Return the orders behind the buttons of a page, without the order to resign."""
    form = page.split('class="giving-up"')[0]
    return [json.loads(html.unescape(value)) for value in BUTTON.findall(form)]


def hidden_on(page: str) -> dict[str, str]:
    """Return version and key from the hidden fields of the first turn form of a page."""
    form = re.split(r'action="/runs/[\w-]+/turn/"', page)[1]
    return {name: re.findall(rf'name="{name}" value="([^"]*)"', form)[0] for name in ("version", "key")}


def send(entry: Entry, run: Run, orders: dict[str, Any], page: str | None = None, **more: str) -> Any:
    """Press a button: send orders with the version and the key of `page`, or of the current page."""
    fields = {**hidden_on(page or page_of(entry, run)), "orders": json.dumps(orders), "salt": "5a" * 8, **more}
    return signed_in(entry.driver).post(f"/runs/{run.key}/turn/", fields)


def waited_for(run: Run) -> Iterator[Entry]:
    """Yield the entries that are to play next. The rows are read again after each."""
    rules = registry.get(run.game)
    while True:
        run.refresh_from_db()
        playing = rules.to_play(run.state)
        if run.status != Run.Status.RUNNING or not playing:
            return
        yield run.seats.select_related("entry__driver").get(name=playing[0]).entry


def drive(run: Run) -> None:
    """Let all drivers send the codriver's orders until the run is over."""
    rules = registry.get(run.game)
    for entry in waited_for(run):
        answer = send(entry, run, rules.autopilot(run.state, str(entry.start_number)))
        assert answer.status_code == 302, answer.content.decode()[:3000]


def next_run(rally: Rally, number: int) -> Run:
    """Return the only run of a stage. Where the drivers are to decide something before it (the capability `Career`), an
    organiser closes time control first; so nobody has decided anything.
    """
    before = rally.stages.filter(number=number - 1, status=SpecialStage.Status.TIME_CONTROL).first()
    if before is not None:
        control.close_time_control(by=organiser_of(rally), special_stage=before)
    return Run.objects.get(special_stage__rally=rally, special_stage__number=number)


def sign_of(game: str) -> int:
    """Return 1 or -1: multiplied by it, the best measure is the smallest."""
    return 1 if registry.get(game).measure.better == "fewest" else -1
