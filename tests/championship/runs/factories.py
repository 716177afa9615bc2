"""Stages on the road, and drivers who play them through the web."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client

from championship.rallies import services as rally_services
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from engine import ruleset
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.factories import signed_in


def on_the_road(*names: str, **how: Any) -> tuple[Run, list[Entry]]:
    """A rally of the library that has just started, for these crews: its first run, and the entries in starting order."""
    rally = make_rally(**how)
    entries = enter(rally, *names)
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    run = Run.objects.get(special_stage__rally=rally, number=1)
    by_id = {entry.pk: entry for entry in entries}
    order = [by_id[place.entry_id] for place in run.places.order_by("position")]
    for entry in order:
        entry.refresh_from_db()
    return run, order


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
    """Post a step of a turn as the page's form would, with the page's own version and key unless told otherwise."""
    page = client.get(run.get_absolute_url(), {"plan": fields["plan"]} if fields.get("plan") else {})
    return client.post(f"/runs/{run.key}/turn/", {**form_of(page), **fields})


def drive_whole_turn(client: Client, run: Run) -> None:
    """Make one turn by the page's forms, deciding as the careful codriver does."""
    run.refresh_from_db()
    rules = ruleset.get(run.game)
    driver = rules.to_play(run.state)[0]
    before = rules.turns_made(run.state, driver)
    while run.status == Run.Status.RUNNING and rules.turns_made(run.state, driver) == before:
        orders = rules.autopilot(run.state, driver)
        fields = {key: ("yes" if value else "no") if key == "take" else value for key, value in orders.items()}
        answer = send(client, run, **fields)
        assert answer.status_code == 302, answer.content.decode()[:2000]
        run.refresh_from_db()


def drive_stage(rally: Rally, number: int, clients: dict[str, Client]) -> None:
    """All turns of a stage, each posted by the driver whose turn it is; `clients` by start number."""
    for run in Run.objects.filter(special_stage__rally=rally, special_stage__number=number):
        rules = ruleset.get(run.game)
        while playing := rules.to_play(run.state):
            drive_whole_turn(clients[playing[0]], run)
