"""The replay of a run: every event of a stage has its own page, and the pages link to each other."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from championship.games.dirt import event_sentences
from championship.games.dirt.words import space_words
from championship.runs.models import Run
from championship.runs.play.rebuilding import rebuild
from engine import registry
from engine.dirt.fold import KINDS
from tests.championship.runs.factories import (
    careful_turn,
    driven,
    on_the_road,
    open_turn,
    play,
    put,
)
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}


def replay_address(run: Run) -> str:
    """The address of a run's replay."""
    return f"{run.get_absolute_url()}replay/"


def page_at(run: Run, at: int | str | None = None, **headers: str) -> str:
    """The replay at an event, as a visitor sees it."""
    answer = Client().get(replay_address(run), {} if at is None else {"at": at}, **headers)
    assert answer.status_code == 200
    return answer.content.decode()


def cars_on(page: str) -> dict[str, str]:
    """What the page says of each car, by start number: where it is and in which gear."""
    listed = page.split('class="roadorder"')[1].split("</ol>")[0]
    cars = {}
    for item in listed.split("<li")[1:]:
        words = " ".join(unescape(re.sub(r"<[^>]+>", " ", item.partition(">")[2])).split())
        cars[words.split()[1]] = words
    return cars


def sentence_on(page: str) -> str:
    """The highlighted sentence."""
    found = re.search(r'<ol class="events">.*?aria-current="step"><a[^>]*>(.*?)</a>', page, re.S)
    return unescape(found.group(1)) if found else ""


def ways_from(page: str) -> dict[str, int]:
    """The events that the buttons lead to, by the name of the button. Disabled buttons are left out."""
    return {name: int(at) for name, at in re.findall(r'id="go-([\w-]+)"[^>]*?href="\?at=(\d+)"', page)}


def states_of(run: Run) -> list[dict[str, Any]]:
    """The state before the first event and after each."""
    rules = registry.get(run.game)
    states = [rules.setup(run.stage, run.entrants, run.options)]
    for event in run.events.order_by("number"):
        states.append(rules.apply(states[-1], event.data))
    return states


@pytest.fixture(name="driven")
def driven_by_three() -> Run:
    """A convoy stage that three cars have driven to the end."""
    run, _entries = driven("Ana", "Bo", "Cem", stages=("4/1",))
    return run


# Every moment -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_moment_of_a_stage_shows_the_cars_as_they_stood(driven: Run) -> None:
    states = states_of(driven)
    events = list(driven.events.order_by("number"))
    assert len(events) == driven.events_told > 100
    assert states[-1] == driven.state == rebuild(run=driven)
    drivers = {seat.name: str(seat.entry) for seat in driven.seats.select_related("entry")}
    for at, state in enumerate(states):
        page = page_at(driven, at, **HTMX)
        assert f'id="moment" data-at="{at}"' in page
        for driver, car in state["drivers"].items():
            said = cars_on(page)[driver]
            if car["stage_time"] is None:
                assert f"gear {car['gear']} · {space_words(car['space'])}" in said
            if car["finished"]:
                assert "finished" in said
        if at:
            assert sentence_on(page) == event_sentences.sentence(events[at - 1].data, drivers).text != ""


def test_what_htmx_gets_is_what_the_whole_page_shows(driven: Run) -> None:
    """Of the map it gets only the moving parts, which replace those on the page."""
    at = driven.events_told // 2
    whole, part = page_at(driven, at), page_at(driven, at, **HTMX)
    assert "<html" not in part
    assert part.count('id="replay-overlay"') == whole.count('id="replay-overlay"') == 1
    assert 'hx-swap-oob="true"' in part
    assert 'hx-swap-oob="true"' not in whole
    assert 'id="replay"' in whole
    assert 'id="replay"' not in part, "no land, no page around it"
    assert cars_on(whole) == cars_on(part)
    assert sentence_on(whole) == sentence_on(part) != ""
    again = page_at(driven, at, **HTMX, HTTP_HX_HISTORY_RESTORE_REQUEST="true")
    assert "<html" in again, "who comes back by the browser's history gets the page"
    assert "HX-Request" in Client().get(replay_address(driven)).headers["Vary"]


def test_all_kinds_of_event_have_words() -> None:
    assert set(event_sentences.SENTENCE_BY_KIND) == set(KINDS)


# Ways -------------------------------------------------------------------------------------------------


def test_the_buttons_lead_through_all_events_and_back(driven: Run) -> None:
    last = driven.events_told
    assert ways_from(page_at(driven, 0)) == {"next": 1, "next-turn": 1, "last": last}
    assert ways_from(page_at(driven, 1)) == {
        "first": 0, "previous-turn": 0, "previous": 0, "next": 2, "last": last,
        "next-turn": first_events(driven)[1],
    }  # fmt: skip
    assert set(ways_from(page_at(driven, last))) == {"first", "previous-turn", "previous"}
    assert ways_from(page_at(driven, last))["previous"] == last - 1


def first_events(run: Run) -> list[int]:
    """The numbers of the events with which the turns begin."""
    firsts: dict[int, int] = {}
    for event in run.events.select_related("post__turn").order_by("number"):
        firsts.setdefault(event.post.turn.number, event.number)
    return list(firsts.values())


def test_from_turn_to_turn(driven: Run) -> None:
    firsts, at, seen = first_events(driven), 0, []
    while "next-turn" in (ways := ways_from(page_at(driven, at, **HTMX))) and ways["next-turn"] != driven.events_told:
        at = ways["next-turn"]
        seen.append(at)
    assert seen == [first for first in firsts if first != driven.events_told]
    while "previous-turn" in (ways := ways_from(page_at(driven, at, **HTMX))):
        assert ways["previous-turn"] == max([first for first in firsts if first < at], default=0)
        at = ways["previous-turn"]
    assert at == 0
    inside = firsts[3] + 2
    assert ways_from(page_at(driven, inside))["previous-turn"] == firsts[3], "first to the beginning of this turn"


def test_the_time_line_has_every_turn_in_its_round(driven: Run) -> None:
    page = page_at(driven, first_events(driven)[4])
    line = page.split('class="timeline"')[1].split("</section>")[0]
    assert [int(at) for at in re.findall(r'data-at="(\d+)"', line)] == first_events(driven)
    rounds = [event.data["round"] for event in driven.events.filter(kind="round").order_by("number")]
    assert [int(number) for number in re.findall(r">Round (\d+)<", line)] == [1, *rounds]
    assert line.count('aria-current="step"') == 1
    assert line.count('data-kind="finish"') + line.count('data-kind="retire"') == 3


def test_the_log_leads_to_each_moment_and_has_an_anchor_for_each_line(driven: Run) -> None:
    log = Client().get(f"{driven.get_absolute_url()}log/").content.decode()
    lines = re.findall(r'<li data-kind="\w+" id="(\w+)">(.*?)</li>', log, re.S)
    assert len({anchor for anchor, _text in lines}) == len(lines) > 40
    moments = [int(re.search(r"replay/\?at=(\d+)", text).group(1)) for _anchor, text in lines]  # type: ignore[union-attr]
    assert moments == sorted(moments)
    assert moments[-1] == driven.events_told
    assert {anchor for anchor, _text in lines if anchor.startswith("p")} == {
        f"p{post.number}" for post in driven.posts.all()
    }
    for name in ("replay", "proof"):
        assert f'href="{driven.get_absolute_url()}{name}/"' in log


# Numbers that are no moment ---------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["-1", "x", "", "1.5", "٣", "1e3", "9" * 5000, "0x1", " 1", "1\x00"])
def test_an_invalid_event_number_gets_404(at: str) -> None:
    run, _entries = on_the_road("Ana", "Bo")
    assert Client().get(replay_address(run), {"at": at}).status_code == 404


def test_a_future_event_number_shows_the_latest_event_and_says_so() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    assert "So far there are 0 events." in page_at(run, 5)
    assert "The cars wait on the grid." in page_at(run, 5)
    play(run, ana, **careful_turn(run))
    page = page_at(run, 999999)
    assert f"So far there are {run.events_told} events. This is the latest." in page
    assert cars_on(page) == cars_on(page_at(run, run.events_told))
    assert "So far" not in page_at(run, run.events_told)


def test_without_a_number_it_begins_on_the_grid(driven: Run) -> None:
    page = page_at(driven)
    assert "Before the first turn" in page
    assert all("on the grid" in said for said in cars_on(page).values())


# Who may watch, and while the stage is driven ---------------------------------------------------------


def test_everybody_with_the_address_may_watch_while_the_stage_is_driven() -> None:
    run, entries = on_the_road("Ana", "Bo")
    for _turn in range(5):
        play(run, open_turn(run).seat.entry, **careful_turn(run))
    for looker in (Client(), signed_in(make_user()), signed_in(entries[1].driver)):
        page = looker.get(replay_address(run), {"at": run.events_told}).content.decode()
        assert f"event {run.events_told} of {run.events_told}" in page
        secret = bytes(run.secret).hex()
        assert secret not in page
        assert not re.search(r"\b(decks|bag)\b", page)
        assert "crash 1/2/3" not in page
    assert Client().get("/runs/nobody/replay/").status_code == 404
    assert Client().post(replay_address(run)).status_code == 405


def test_a_half_made_turn_is_shown_up_to_its_last_event() -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    play(run, ana, do="roll")
    page = page_at(run, 1)
    assert sentence_on(page) == "Lays 2 moves."
    assert page.count('data-face="unrolled"') == 2
    page = page_at(run, 2)
    assert page.count('data-face="unrolled"') == 1, "the first die has fallen"


def test_secured_dice_have_no_face() -> None:
    """R3: what is secured is not rolled."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    put(run, ana, tokens=5)
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    play(run, ana, do="roll")
    play(run, ana, do="secure")
    secured = run.events.get(kind="secure").number
    page = page_at(run, secured)
    assert sentence_on(page) == "Secures gear 2 for 1 s."
    assert page.count('data-face="secured"') == 1
    assert 'data-face="secured"' not in page_at(run, secured - 1)


def test_a_replay_takes_as_many_queries_for_a_long_run_as_for_a_short_one(django_assert_max_num_queries: Any) -> None:
    short, _entries = on_the_road("Ana")
    long, entries = driven("Ana", "Bo", "Cem", "Dag", stages=("4/1",))
    counts = set()
    for run in (short, long):
        for client in (Client(), signed_in(entries[0].driver)):
            with django_assert_max_num_queries(10) as counted:
                assert client.get(replay_address(run), {"at": run.events_told}).status_code == 200
            counts.add((client.cookies.get("sessionid") is not None, len(counted)))
    assert len(counts) == 2, "one number for who is signed in, one for who is not"
