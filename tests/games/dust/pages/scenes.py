"""Tables of Dirt & Dust in the real service: rallies, pages, steps sent with forms."""

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
from engine import registry
from engine.dust.cards import card_set_reading
from tests.championship.rallies.factories import enter, organiser_of, ready_made
from tests.factories import make_club, make_user, signed_in

PLENTY = [{"do": "keys 5"}, {"do": "popularity 1"}]
"""Effects of a card that can pay for anything."""


def make_rally(stage: str = "saltwind", spec: Any = None, options: Any = None) -> Rally:
    """Return a rally of one stage with open entries. `spec`: a custom course."""
    ready_made()
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    if spec is None:
        design = StageDesign.objects.get(club=None, game="dust", source=stage)
    else:
        design = create_design(by=olga, club=club, name="Own", game="dust", spec=spec)
    return rallies.create_rally(
        by=olga,
        club=club,
        name="Dusty Rally",
        game="dust",
        designs=[design],
        options=options or {},
        mode=Rally.Mode.CONVOY,
        turn_hours=24,
        reminder_hours=4,
        auto_start=True,
    )


def on_the_road(*crews: str, stage: str = "saltwind", spec: Any = None, options: Any = None) -> tuple[Run, list[Entry]]:
    """Return a run that has just started, and its entries in starting order. `spec`: a custom course."""
    rally = make_rally(stage, spec, options)
    enter(rally, *crews)
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    run = Run.objects.get(special_stage__rally=rally)
    return run, [place.entry for place in run.seats.select_related("entry__driver").order_by("position")]


def rich_set(copies: int = 1) -> dict[str, Any]:
    """Return a course with our own cards, changed so that every card of a first deck gives keys and popularity, and
    each pile has `copies` copies.
    """
    document = dict(card_set_reading.own_document())
    document["limits"] = {**document["limits"], "copies_in_pile": copies}
    document["card"] = [
        {**card, "effects": PLENTY} if card["set"] in ("start", "driver") else card for card in document["card"]
    ]
    return {"stage": "saltwind", "set": document}


def page_of(entry: Entry | None, run: Run) -> str:
    """Return the page of the run as the driver of the entry sees it, or as a visitor sees it when the entry is None."""
    client = Client() if entry is None else signed_in(entry.driver)
    answer = client.get(run.get_absolute_url())
    assert answer.status_code == 200
    return answer.content.decode()


def offers_on(page: str) -> list[str]:
    """Return the steps behind the buttons of a cockpit."""
    inside = page.split('id="lay"')[1].split("</form>")[0] if 'id="lay"' in page else ""
    return [html.unescape(step) for step in re.findall(r'name="move" value="([^"]*)"', inside)]


def fields_of(page: str, form: str) -> dict[str, str]:
    """Return the hidden fields of a form by its id."""
    inside = page.split(f'id="{form}"')[1].split("</form>")[0]
    return {
        name: html.unescape(value)
        for name, value in re.findall(r'type="hidden" name="(version|key|plan)" value="([^"]*)"', inside)
    }


def post(entry: Entry, run: Run, plan: str, page: str | None = None, **more: Any) -> Any:
    """Send steps, with the version and the key of `page`, or of the current page."""
    fields = {**fields_of(page or page_of(entry, run), "send"), "do": "steps", "plan": plan, "salt": "5a" * 8, **more}
    return signed_in(entry.driver).post(f"/runs/{run.key}/turn/", fields)


def lay(entry: Entry, run: Run, page: str | None = None, **more: Any) -> Any:
    """Press a button of the cockpit, such as move="buy turbo"."""
    fields = {**fields_of(page or page_of(entry, run), "lay"), **more}
    return signed_in(entry.driver).post(f"/runs/{run.key}/draft/", fields)


def seat_of(run: Run, entry: Entry) -> dict[str, Any]:
    """Return the present state of an entry's driver in the engine."""
    run.refresh_from_db()
    found: dict[str, Any] = run.state["drivers"][str(entry.start_number)]
    return found


def ended(entry: Entry, run: Run) -> None:
    """Let a driver end the turn of the round with as few steps as possible."""
    for plan in ("prepare", "end"):
        answer = post(entry, run, plan)
        assert answer.status_code == 302, answer.content.decode()[:2000]


def by_codriver(entry: Entry, run: Run) -> None:
    """Let a driver send the codriver's steps until the turn is made."""
    rules, seat = registry.get("dust"), str(entry.start_number)
    made = rules.turns_made(run.state, seat)
    while rules.turns_made(run.state, seat) == made:
        assert post(entry, run, "; ".join(rules.autopilot(run.state, seat)["steps"])).status_code == 302
        run.refresh_from_db()
