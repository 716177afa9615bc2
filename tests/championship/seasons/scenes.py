"""Seasons for tests: finished rallies with given times."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.rallies import services as rallies
from championship.rallies.models import Rally
from championship.seasons import services
from championship.seasons.models import Championship
from tests.championship.rallies.factories import drive, make_rally, stage_of
from tests.factories import make_member


def finished_rally(
    club: Club,
    by: User,
    times: Mapping[User, Sequence[int | None]],
    *,
    name: str = "Rajd Wisły",
    classes: Mapping[User, str] | None = None,
) -> Rally:
    """A rally that these drivers have driven. `times`: by driver, the seconds of each stage. None: retired from it."""
    stages = len(next(iter(times.values())))
    rally = make_rally(by=by, club=club, stages=["1/3", "2/3", "3/3"][:stages], name=name)
    wanted = [rallies.EntryRequest(driver, driver.name, (classes or {}).get(driver, "")) for driver in times]
    entries = {entry.driver: entry for entry in rallies.enter_for(by=by, rally=rally, wanted=wanted)}
    rallies.start_rally(by=by, rally=rally)
    for number in range(1, stages + 1):
        drive(rally, number, {entries[driver]: seconds[number - 1] for driver, seconds in times.items()})
        stage = stage_of(rally, number)
        if stage.status == "time control":
            rallies.close_time_control(by=by, special_stage=stage)
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    return rally


def people(club: Club, count: int) -> list[User]:
    """`count` new drivers of the club."""
    return [make_member(club, name=f"Driver {number:02}") for number in range(1, count + 1)]


def season(
    club: Club, by: User, drivers: Sequence[User], *, rounds: int, name: str = "Season", **settings: Any
) -> Championship:
    """A championship of `rounds` rounds of one stage. Drivers finish ten seconds apart, in a rotating order."""
    made = services.create_championship(by=by, club=club, name=name, **settings)
    for number in range(rounds):
        order = [*drivers[number % len(drivers) :], *drivers[: number % len(drivers)]]
        classes = {driver: made.classes[at % len(made.classes)] for at, driver in enumerate(drivers) if made.classes}
        times = {driver: (200 + 10 * place,) for place, driver in enumerate(order)}
        rally = finished_rally(club, by, times, name=f"Rally {number + 1}", classes=classes)
        services.add_round(by=by, championship=made, rally=rally)
    return made


def typed(page: str) -> dict[str, str]:
    """The fields of the page's first form of class `form`, as a browser would send them unchanged."""
    begins = re.search(r'<form method="post"[^>]* class="form', page)
    assert begins is not None
    form = page[begins.start() :]
    found: dict[str, str] = {}
    for tag in re.findall(r"<input [^>]*>", form[: form.index("</form>")]):
        given = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if given.get("type") in ("checkbox", "radio") and " checked" not in tag:
            continue
        found[given["name"]] = given.get("value", "on" if given.get("type") == "checkbox" else "")
    for name, body in re.findall(r'<select name="(\w+)".*?>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', body) or re.search(r'<option value="([^"]*)"', body)
        found[name] = chosen[1] if chosen else ""
    for name, body in re.findall(r'<textarea name="(\w+)".*?>(.*?)</textarea>', form, re.DOTALL):
        found[name] = body.strip()
    return found
