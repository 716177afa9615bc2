"""Runs for tests, and drivers who play them through the web or the services."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from django.test import Client

from championship.notices.models import Notice
from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally
from championship.runs.models import Event, Post, Run, SentAhead, Turn
from championship.runs.play import drive_codrivers, play_turn, send_ahead
from championship.runs.play.advancing_run import draw_source_for
from engine import chance, registry
from engine.dirt import legal_moves
from engine.dirt.course.compiled_stage import compiled
from tests import worlds
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.factories import signed_in

_keys = itertools.count(1)


def on_the_road(*names: str, **how: Any) -> tuple[Run, list[Entry]]:
    """A rally of library stages that has just started, with these crews.

    Returns its first run, and the entries of that run in starting order.
    """

    def built() -> int:
        rally = make_rally(**how)
        enter(rally, *names)
        rally_services.start_rally(by=organiser_of(rally), rally=rally)
        return Run.objects.get(special_stage__rally=rally, number=1).pk

    key = worlds.again("on the road", [names, how], built, lambda key: Run.objects.filter(pk=key).exists())
    run = Run.objects.get(pk=key)
    return run, starters(run)


def starters(run: Run) -> list[Entry]:
    """The entries of a run in starting order."""
    seats = run.seats.select_related("entry__driver", "entry__rally__club").order_by("position")
    return [seat.entry for seat in seats]


def desk_of(entry: Entry) -> Client:
    """The browser of an entry's driver."""
    return signed_in(entry.driver)


def form_of(page: Any) -> dict[str, str]:
    """The hidden fields of the first turn form on a page."""
    text = page.content.decode()
    form = re.split(r'action="/runs/[\w-]+/turn/"', text)[1]
    return {
        name: re.search(rf'name="{name}" value="([^"]*)"', form).group(1)  # type: ignore[union-attr]
        for name in ("version", "key")
    }


def send(client: Client, run: Run, **fields: Any) -> Any:
    """Post a step of a turn as the page's form would, with the page's version and key unless `fields` has others."""
    page = client.get(run.get_absolute_url(), {"plan": fields["plan"]} if fields.get("plan") else {})
    return client.post(f"/runs/{run.key}/turn/", {**form_of(page), **fields})


def drive_whole_turn(client: Client, run: Run) -> None:
    """Make one turn with the decisions of the careful codriver. Its first step is sent with the form of the page. The
    page is not opened again for the others.
    """
    run.refresh_from_db()
    rules = registry.get(run.game)
    driver = rules.to_play(run.state)[0]
    before, began = rules.turns_made(run.state, driver), run.version
    while run.status == Run.Status.RUNNING and rules.turns_made(run.state, driver) == before:
        orders = rules.autopilot(run.state, driver)
        fields = {key: ("yes" if value else "no") if key == "take" else value for key, value in orders.items()}
        if run.version == began:
            answer = send(client, run, **fields)
        else:
            answer = client.post(f"/runs/{run.key}/turn/", {"version": run.version, "key": fresh_key(), **fields})
        assert answer.status_code == 302, answer.content.decode()[:2000]
        run.refresh_from_db()


def drive_stage(rally: Rally, number: int, clients: dict[str, Client]) -> None:
    """Make all turns of a stage, each posted by the driver whose turn it is. `clients` are by start number."""
    for run in Run.objects.filter(special_stage__rally=rally, special_stage__number=number):
        rules = registry.get(run.game)
        while playing := rules.to_play(run.state):
            drive_whole_turn(clients[playing[0]], run)


# Comparing a run before and after --------------------------------------------------------------------


def all_of(run: Run) -> dict[str, Any]:
    """Everything that a post, the clock or a sweep may change about a run."""
    return {
        "run": Run.objects.filter(pk=run.pk).values().get(),
        "posts": list(Post.objects.filter(run=run).order_by("number").values()),
        "events": list(Event.objects.filter(run=run).order_by("number").values()),
        "turns": list(Turn.objects.filter(run=run).order_by("number").values()),
        "notices": list(Notice.objects.order_by("pk").values("pk", "kind", "subject_key", "status")),
    }


def open_turn(run: Run) -> Turn:
    """The one turn that the run waits for."""
    return Turn.objects.select_related("seat__entry__driver").get(run=run, ended_at=None)


def alert_on(page: Any) -> str:
    """The error message on the page. The test fails when there is none."""
    said = re.search(r'role="alert"(?![^>]*hidden)[^>]*>(.*?)</div>', page.content.decode(), re.S)
    assert said, f"{page.status_code}: no word about what went wrong"
    return " ".join(re.sub(r"<[^>]+>", " ", said.group(1)).split())


# Playing without looking at the page ------------------------------------------------------------------


def fresh_key() -> str:
    """A key that no other post has."""
    return f"post {next(_keys)}"


def post(client: Client, run: Run, **fields: Any) -> Any:
    """Post a step of a turn with the run's current version. A field that is None is left out."""
    version = Run.objects.values_list("version", flat=True).get(pk=run.pk)
    sent = {"version": version, "key": fresh_key(), **fields}
    return client.post(f"/runs/{run.key}/turn/", {name: value for name, value in sent.items() if value is not None})


def lay_draft(client: Client, run: Run, *, headers: Mapping[str, str] | None = None, **fields: Any) -> Any:
    """Post a step of laying a plan, with the run's current version."""
    version = Run.objects.values_list("version", flat=True).get(pk=run.pk)
    return client.post(f"/runs/{run.key}/draft/", {"version": version, **fields}, headers=dict(headers or {}))


def play(run: Run, entry: Entry, **orders: Any) -> None:
    """Play a step of a turn through the service, and refresh `run`."""
    run.refresh_from_db()
    play_turn(by=entry.driver, run=run, orders=orders, version=run.version, key=fresh_key())
    run.refresh_from_db()


def careful_turn(run: Run) -> dict[str, Any]:
    """Orders for the whole turn of the seat that is to play."""
    rules = registry.get(run.game)
    return {"do": "standing", "plan": rules.autopilot(run.state, rules.to_play(run.state)[0]).get("plan", "")}


def driven_to_the_end(run: Run, *entries: Entry) -> None:
    """Hand these cars, which must be all cars of the run, to the codriver until the run is over."""
    for entry in entries:
        rally_services.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED


def driven(*names: str, **how: Any) -> tuple[Run, list[Entry]]:
    """A run that codrivers have driven to its end, and its entries in starting order."""

    def built() -> int:
        run, entries = on_the_road(*names, **how)
        driven_to_the_end(run, *entries)
        return run.pk

    key = worlds.as_it_was("driven", [names, how], built, lambda key: Run.objects.filter(pk=key).exists())
    run = Run.objects.get(pk=key)
    return run, starters(run)


# Situations -------------------------------------------------------------------------------------------


def put(run: Run, entry: Entry, **dashboard: Any) -> None:
    """Set a car's place and dashboard in the run's snapshot, without events. Driving to such a scene takes long."""
    run.refresh_from_db()
    run.state["drivers"][str(entry.start_number)].update(dashboard)
    run.save(update_fields=["state"])


def with_luck(run: Run, orders: Mapping[str, Any], wanted: Callable[[Mapping[str, Any]], bool]) -> None:
    """Give the run a secret with which these orders of the seat that is to play lead to a state that `wanted` accepts.

    From then on the run draws as runs of format 1 do, so that a browser's salt does not change the result.
    """
    run.refresh_from_db()
    rules = registry.get(run.game)
    driver = rules.to_play(run.state)[0]
    run.record_format = 1
    for number in range(5000):
        secret = number.to_bytes(chance.SECRET_BYTES)
        run.secret, run.commitment = secret, chance.commitment(secret)
        state, _events = rules.play(run.state, driver, orders, draw_source_for(run))
        if wanted(state):
            run.save(update_fields=["secret", "commitment", "record_format"])
            return
    raise AssertionError("no luck")


def before_the_finish(run: Run) -> tuple[dict[str, Any], str]:
    """The dashboard of a car that finishes with one move in gear 3, and that move."""
    rules = registry.get(run.game)
    driver = rules.to_play(run.state)[0]
    car = run.state["drivers"][driver]
    for space in reversed(list(compiled(run.stage).index)):
        there = {"space": space, "gear": 3, "on_track": True, "started": True}
        state = {**run.state, "drivers": {**run.state["drivers"], driver: {**car, **there}}}
        for move in legal_moves.choices(state, driver, "").moves:
            if "finish" in move.notes and move.loses is None and "c" not in move.text:
                return there, move.text
    raise AssertionError("no finish")


def all_but_the_first_are_home(run: Run) -> str:
    """Put the first starter before the finish and all others at it. Returns the plan that ends the stage."""
    first, *others = starters(run)
    there, move = before_the_finish(run)
    put(run, first, cards=[150], **there)
    for place, other in enumerate(others):
        put(run, other, started=True, finished=True, cards=[200 + place], stage_time=200 + place, turns=6)
    run.state["round"] = len(run.state["starters"])
    run.save(update_fields=["state"])
    return move


# Plans sent ahead -------------------------------------------------------------------------------------

SHORT = "1:1.2.r 2:1.3.r"
SENT_ORDERS = {"roll": "one by one", "stop_at": 2}


def ahead(run: Run, entry: Entry, plan: str = SHORT, **orders: Any) -> SentAhead:
    """Send a plan of this entry's driver before the turn comes."""
    run.refresh_from_db()
    return send_ahead(by=entry.driver, run=run, plan=plan, orders=orders or SENT_ORDERS, version=run.version)


def post_ahead(client: Client, run: Run, **fields: Any) -> Any:
    """Send a plan before the turn comes, through the form."""
    version = Run.objects.values_list("version", flat=True).get(pk=run.pk)
    form = {"do": "send", "plan": SHORT, "roll": "one by one", "stop_at": "2"}
    return client.post(f"/runs/{run.key}/ahead/", {"version": version, **form, **fields})


def only_plan(entry: Entry) -> SentAhead:
    """The one plan that this entry's driver has sent."""
    return SentAhead.objects.get(seat__entry=entry)


def too_fast(run: Run, entry: Entry) -> str:
    """A plan of DIRT that ends above the limit of its last space (M1)."""
    seat, tried = str(entry.start_number), [""]
    for plan in tried:
        for move in legal_moves.choices(run.state, seat, plan).moves:
            if move.loses == "M1":
                return f"{plan} {move.text}".strip()
            tried.append(f"{plan} {move.text}".strip())
    raise AssertionError("every space may be entered in every gear")
