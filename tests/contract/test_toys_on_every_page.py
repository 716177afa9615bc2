"""Every page works in every language for a game that offers no capability."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils.translation import override

from championship.rallies.models import Rally
from championship.runs.models import Run
from championship.runs.pages import plain
from engine import registry
from tests.championship.rallies.factories import organiser_of
from tests.contract.tables import crews, drive, make_rally, next_run, on_the_road, page_of, send, waited_for
from tests.factories import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]

GAMES = sorted({"dash", "hush", *registry.outside()})
"""The toys, and all games that a setting installs from outside the tree."""
each_game = pytest.mark.parametrize("game", GAMES)

SECRET_BID = {"do": "bid", "bid": 3}


def routes(found: Any = None, before: str = "") -> Iterator[str]:
    """Yield every route of the service, such as "runs/<slug:key>/log/", but for the administration."""
    for one in (found or get_resolver()).url_patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield route
        elif one.namespace != "admin":
            yield from routes(one, route)


def pages_of(rally: Rally, *, of_the_house: bool) -> list[str]:
    """Return the addresses of a rally, its runs, its course and its club, and all addresses without such names.

    of_the_house: with the pages for operators.
    """
    entry, run = rally.entries.order_by("start_number").first(), Run.objects.filter(special_stage__rally=rally).first()
    keys = {
        "rallies": rally.key,
        "runs": run and run.key,
        "stages": rally.stages.select_related("design")[0].design.key,  # type: ignore[union-attr]
    }
    names = {
        "slug:slug": rally.club.slug,
        "int:number": 1,
        "slug:game": rally.game,
        "int:entry_id": entry and entry.pk,
        "str:place": "1",
    }
    found = []
    for route in routes():
        values = {**names, "slug:key": keys.get(route.split("/")[0])}
        wanted = re.findall(r"<([^>]*)>", route)
        if (
            (wanted or of_the_house)
            and all(values.get(name) for name in wanted)
            and "(" not in route
            and not route.startswith("account")
        ):
            for name in wanted:
                route = route.replace(f"<{name}>", str(values[name]))
            found.append("/" + route)
    return found


def assert_all_pages_stand(rally: Rally, *people: Any, of_the_house: bool = False) -> None:
    """Open every page as a visitor and as these people, and the pages for operators if asked. A page that fails raises
    here.
    """
    pages = pages_of(rally, of_the_house=of_the_house)
    assert len(pages) > 30
    for client in (Client(), *(signed_in(person) for person in people)):
        for path in pages:
            answer = client.get(path)
            assert answer.status_code < 500, f"{path}: {answer.status_code}"
    for path in (rally.get_absolute_url(), rally.stages.all()[0].get_absolute_url()):
        assert client.get(path).status_code == 200


@pytest.mark.slow
@each_game
def test_no_page_breaks_for_a_game_that_offers_nothing(game: str) -> None:
    """Before the start, on the road, and at the end, for everybody."""
    rally = make_rally(game, stages=2)
    assert_all_pages_stand(rally, organiser_of(rally), of_the_house=True)
    run, entries = on_the_road(game, *crews(game, 2), club=rally.club, stages=2)
    under_way = run.special_stage.rally
    assert_all_pages_stand(under_way, organiser_of(rally), entries[0].driver)
    drive(run)
    drive(next_run(under_way, 2))
    assert_all_pages_stand(under_way, organiser_of(rally), entries[0].driver)


def test_pages_show_no_map_rounds_or_dice_of_a_game_that_has_none() -> None:
    run, (ana, _bo) = on_the_road("dash", "Ana", "Bo")
    rally, stage, text = run.special_stage.rally, run.special_stage, page_of(ana, run)
    assert 'id="keys"' in text
    for words in ("move the map", "look at your car", "closer, farther away", "dice, cards"):
        assert words not in text
    drive(run)
    for path, missing in (
        (rally.get_absolute_url(), 'id="maps"'),
        (stage.get_absolute_url(), 'class="map"'),
        (f"{stage.get_absolute_url()}chance/", "dice, cards"),
        (f"/runs/{run.key}/replay/", "Round 1"),
        (f"/runs/{run.key}/replay/", 'class="map"'),
    ):
        answer = Client().get(path)
        assert answer.status_code == 200 and missing not in answer.content.decode(), path


def test_the_plain_log_names_the_seat_of_an_event_outside_turns() -> None:
    """The opening belongs to no turn. Its event says which seat opens."""
    run, _crews = on_the_road("dash", "Ana", "Bo")
    opener = {seat.name: seat.entry for seat in run.seats.all()}[run.state["next"]]
    with override("en"):
        told = plain.sentence({"kind": "opens", "seat": "1"}, {"1": "Ana"}, {})
        assert (told.below(""), told.below("Bo"), told.below("Ana")) == ("Ana: Opens.", "Ana: Opens.", "Opens.")
    for path in (run.get_absolute_url(), f"/runs/{run.key}/replay/?at=1"):
        text = Client(headers={"Accept-Language": "en"}).get(path).content.decode()
        assert f"{opener}: Opens." in unescape(text), path


def test_the_plain_table_has_a_column_for_what_only_one_seat_has() -> None:
    view = {"seats": {"1": {"points": 3}, "2": {"points": 4, "card": "red"}}}
    assert plain.table_of(view, ["1", "2"]) == (["points", "card"], {"1": [3, None], "2": [4, "red"]})


@pytest.mark.slow
@pytest.mark.parametrize(("language", "words"), [("en", "gave up"), ("pl", "rezygnacja"), ("de", "aufgegeben")])
def test_a_resigned_seat_is_marked_in_the_readers_language(language: str, words: str) -> None:
    run, _entries = on_the_road("dash", "Ana", "Bo", "Cem")
    send(next(waited_for(run)), run, {"do": "resign"}, asks="sure", sure="yes")
    drive(run)
    client = Client(headers={"Accept-Language": language})
    text = client.get(f"/rallies/{run.special_stage.rally.key}/stages/1/overall/").content.decode()
    assert words in text and "resigned" not in text


@pytest.mark.parametrize("language", ["en", "de", "pl"])
def test_the_plain_pages_speak_the_readers_language(language: str) -> None:
    run, (ana, _bo) = on_the_road("dash", "Ana", "Bo")
    client = signed_in(ana.driver)
    ana.driver.language = language
    ana.driver.save()
    text = client.get(run.get_absolute_url(), headers={"Accept-Language": language}).content.decode()
    assert f'lang="{language}"' in text
