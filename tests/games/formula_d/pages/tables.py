"""Races of Formula D on the road, and drivers who play them through the pages."""

from __future__ import annotations

import html
import re
from typing import Any

from django.test import Client

from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.stages.models import StageDesign
from championship.stages.services import create_design
from engine.formula_d.game import game
from tests.championship.rallies.factories import enter, organiser_of, ready_made
from tests.factories import make_club, make_user, signed_in
from tests.games.formula_d.engine import pond

POND = "pond"
"""The track that the organiser's club has imported: the shortest of all, see `pond`."""
WET_POND = "wet pond"
"""The same track, where it always rains."""
DRY_POND = "dry pond"
"""The same track, where the weather is always good."""
WEATHER_OF_POND = {WET_POND: "rain 1-20", DRY_POND: "good 1-20"}


def make_race(track: str = "monaco", *, club: Any = None, **options: Any) -> Rally:
    """Return a race with open entries, on a track of the library, `POND`, `WET_POND` or `DRY_POND`."""
    by = make_user("Olga Organiser")
    club = club or make_club(owner=by)
    if track == POND or track in WEATHER_OF_POND:
        spec = {"csv": pond.track(WEATHER_OF_POND[track]) if track in WEATHER_OF_POND else pond.track()}
        design = create_design(by=by, club=club, name="Round the pond", game="formula_d", spec=spec)
    else:
        ready_made()
        design = StageDesign.objects.get(club=None, game="formula_d", source=track)
    return rallies.create_rally(
        by=by,
        club=club,
        name="Grand Prix",
        game="formula_d",
        designs=[design],
        options=options,
        mode="convoy",
        turn_hours=24,
        reminder_hours=4,
        auto_start=True,
    )


def on_the_grid(*crews: str, track: str = "monaco", codrivers: int = 0, **options: Any) -> tuple[Run, list[Entry]]:
    """Return the run of a race that has just started, and its entries in order of entry, the codrivers' last."""
    rally = make_race(track, **options)
    entries = enter(rally, *crews, *(f"Codriver {number}" for number in range(1, codrivers + 1)))
    for entry in entries[len(crews) :]:
        rallies.set_driven_by(by=organiser_of(rally), entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    return Run.objects.get(special_stage__rally=rally), entries


def playing(run: Run) -> Entry:
    """Return the entry that has the turn, the first of several."""
    run.refresh_from_db()
    seat = game().to_play(run.state)[0]
    return run.seats.select_related("entry__driver").get(name=seat).entry


def page_of(entry: Entry | None, run: Run, **asked: str) -> str:
    """Return the page of the race as the driver of the entry sees it, or as a visitor sees it when the entry is
    None.
    """
    client = Client() if entry is None else signed_in(entry.driver)
    answer = client.get(run.get_absolute_url(), asked)
    assert answer.status_code in (200, 422), answer.status_code
    return answer.content.decode()


def form_on(page: str, ident: str = "drive") -> dict[str, str]:
    """Return the hidden fields of a form of the page, as a browser sends them."""
    form = re.search(rf'<form[^>]*id="{ident}".*?</form>', page, re.DOTALL)
    assert form is not None, "the page has no such form"
    fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form.group())
    return {name: html.unescape(value) for name, value in fields if name != "csrfmiddlewaretoken"}


def send(entry: Entry, run: Run, **fields: str) -> Any:
    """Press a button of the turn form: send its hidden fields and the typed values."""
    asked = {"plan": fields["plan"]} if fields.get("plan") else {}
    page = page_of(entry, run, **asked)
    return signed_in(entry.driver).post(f"/runs/{run.key}/turn/", {**form_on(page), "salt": "5a" * 8, **fields})


def best_of(run: Run) -> dict[str, str]:
    """Return the fields of the codriver's orders for the entry that has the turn."""
    from championship.games.formula_d import laid

    seat = game().to_play(run.state)[0]
    orders = game().autopilot(run.state, seat)
    if "path" in orders:
        return {"do": orders["do"], "plan": laid.to_text(orders)}
    fields = {"do": orders["do"]}
    fields |= {name: str(orders[name]) for name in ("gear", "tyres") if orders.get(name) is not None}
    if orders["do"] == "garage":
        fields |= {f"build_{area}": str(number) for area, number in orders.get("build", {}).items()}
        fields |= {"repair": str(orders["repair"])} if "repair" in orders else {}
    if orders["do"] == "pit" and "technical" in orders:
        fields |= {"stop": "technical", **{f"repair_{area}": str(n) for area, n in orders["technical"].items()}}
    return fields


def rolled(run: Run, *, space: str, gear: int, spaces: int, rival: tuple[str, int]) -> Entry:
    """Place two cars, and let the entry that has the turn roll so many spaces. Return that entry.

    rival: the space and the gear of the other car.
    """
    entry = playing(run)
    seat, state = str(entry.start_number), run.state
    other = next(name for name in state["cars"] if name != seat)
    state["cars"][seat].update(space=space, gear=gear, lap=1, started=True)
    state["cars"][other].update(space=rival[0], gear=rival[1], lap=1, started=True)
    for event in (
        {"kind": "turn", "seat": seat, "bonus": 0},
        {"kind": "gear", "seat": seat, "gear": gear},
        {"kind": "roll", "seat": seat, "gear": gear, "spaces": spaces, "strain": False},
        {"kind": "phase", "seat": seat, "phase": "move"},
    ):
        state = game().apply(state, event)
    Run.objects.filter(pk=run.pk).update(state=state)
    run.refresh_from_db()
    return entry
