"""The end of a run for its driver: place, gaps, where it was won and lost, and the one thing that comes next."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from championship.platform import clock
from championship.rallies.clock.evening_pace import EveningPace
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.measures import PLACES, POINTS, SECONDS, Measure
from championship.runs.models import Run, Seat
from championship.runs.templatetags.runs_finish import split_bars
from championship.runs.watch.gaps import Gaps, table_of
from championship.runs.watch.split_sections import most_won_on_a_section, sections_of
from engine import registry
from engine.contract import SeatSplits
from tests.championship.rallies.factories import hand_in, started
from tests.championship.runs.evening import to_seconds
from tests.championship.runs.factories import (
    careful_turn,
    desk_of,
    driven,
    driven_to_the_end,
    on_the_road,
    open_turn,
    play,
    starters,
)
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Every test computes its own splits."""
    cache.clear()


def card_on(client: Client, run: Run) -> str:
    """The finish card of the run's page in words; "" when there is none."""
    page = client.get(run.get_absolute_url()).text
    found = re.search(r'<section class="finish.*?</section>', page, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found.group(0))).split()) if found else ""


def results_of_stage(run: Run) -> list[tuple[int, str]]:
    """The stage's results in seconds and the crews, best first."""
    times = run.special_stage.times.select_related("entry").order_by("measure")
    return [(time.measure or 0, time.entry.crew) for time in times]


def test_a_finished_run_tells_place_result_gaps_and_the_next_thing() -> None:
    run, entries = driven("Ana", "Bo", "Cem")
    by_crew = {entry.crew: entry for entry in entries}
    for entry, seconds in zip(entries, (210, 200, 225), strict=True):
        run.special_stage.times.filter(entry=entry).update(measure=seconds)
    first, second, third = results_of_stage(run)
    card = card_on(desk_of(by_crew[second[1]]), run)
    assert "The stage is over." in card
    assert f"Place 2 of 3 Time {second[0] // 60}:{second[0] % 60:02d}" in card
    assert re.search(rf"Ahead number \d+ {first[1]} 0:{second[0] - first[0]:02d} ahead of you", card)
    assert re.search(rf"Behind number \d+ {third[1]} 0:{third[0] - second[0]:02d} behind you", card)
    assert "Winner" not in card, "the car ahead is the winner"
    assert card.endswith("Hand in your card") and "still drive" not in card
    assert re.search(rf"Winner number \d+ {first[1]} 0:\d\d ahead of you", card_on(desk_of(by_crew[third[1]]), run))
    assert "Ahead" not in card_on(desk_of(by_crew[first[1]]), run)


def test_on_an_open_road_the_card_of_a_finished_run_follows_the_others() -> None:
    _rally, entries = started("Ana", "Bo", "Cem", mode="open road", stages=("1/3",))
    ana, bo, cem = (Run.objects.get(seats__entry=entry) for entry in entries)
    driven_to_the_end(ana, entries[0])
    browser = desk_of(entries[0])
    page = browser.get(ana.get_absolute_url())
    assert "2 cars still drive." in card_on(browser, ana)
    poll = re.search(r'id="run"[^>]* data-poll="([^"]*)" data-tag="([^"]*)"', page.text)
    assert poll, "it asks for news"
    address, tag = poll[1], unescape(poll[2])
    assert browser.get(address, headers={"If-None-Match": tag}).status_code == 304

    driven_to_the_end(bo, entries[1])
    news = browser.get(address, headers={"If-None-Match": tag})
    assert news.status_code == 200 and "1 car still drives." in news.text

    driven_to_the_end(cem, entries[2])
    assert browser.get(address, headers={"If-None-Match": news.context["news_tag"]}).status_code == 200
    assert "data-poll" not in browser.get(address).text.split('id="run"')[1].split(">")[0], "all are in: nothing to ask"


def test_cars_with_equal_results_are_level() -> None:
    run, entries = driven("Ana", "Bo")
    run.special_stage.times.update(measure=200, rank=[])
    first, second = sorted(entries, key=lambda entry: entry.start_number or 0)
    assert re.search(rf"Place 1 of 2 .* Behind number \d+ {second.crew} level", card_on(desk_of(first), run))
    assert re.search(rf"Place 1 of 2 .* Ahead number \d+ {first.crew} level", card_on(desk_of(second), run))


def test_the_next_thing_follows_the_rally() -> None:
    run, entries = driven("Ana", "Bo", stages=("1/3", "1/1"))
    rally, desk = run.special_stage.rally, desk_of(entries[0])
    page = run.get_absolute_url()
    control = f"/rallies/{rally.key}/stages/1/control/"
    assert f'class="button" href="{control}"' in desk.get(page).text
    hand_in(rally, 1, entries[0])
    assert card_on(desk, run).endswith("To the results")
    hand_in(rally, 1, entries[1])
    later = Run.objects.get(special_stage__rally=rally, special_stage__number=2)
    assert card_on(desk, run).endswith("To Stage 2")
    assert f'class="button" href="{later.get_absolute_url()}"' in desk.get(page).text
    driven_to_the_end(later, *starters(later))
    hand_in(
        rally,
        2,
        *[entry for entry in entries if not SpecialStage.objects.get(rally=rally, number=2).cards.filter(entry=entry)],
    )
    assert Rally.objects.get(pk=rally.pk).status == Rally.Status.FINISHED
    assert card_on(desk, run).endswith("To the podium")


def test_in_an_evening_the_page_of_a_run_that_is_over_hears_of_what_comes_next() -> None:
    run, entries = driven("Ana", "Bo", stages=("1/3", "1/1"))
    rally = run.special_stage.rally
    assert "data-poll" not in run_part(desk_of(entries[0]), run)
    to_seconds(rally, EveningPace(turn=120))
    readers = desk_of(entries[0]), signed_in(make_user("Reader"))
    for client in readers:
        assert f'data-live="/rallies/{rally.key}/evening/live/"' in run_part(client, run), "its own stream is over"
    tags = [unescape(re.findall(r'data-tag="([^"]+)"', run_part(client, run))[0]) for client in readers]

    def heard() -> list[int]:
        asked = [(client, {"If-None-Match": tag}) for client, tag in zip(readers, tags, strict=True)]
        return [client.get(f"{run.get_absolute_url()}changes/", headers=tag).status_code for client, tag in asked]

    assert heard() == [304, 304]
    control = desk_of(entries[0]).get(f"/rallies/{rally.key}/stages/1/control/")
    assert "data-poll" in control.text
    hand_in(rally, 1, *entries)
    assert heard() == [200, 200]
    later = Run.objects.get(special_stage__rally=rally, special_stage__number=2)
    assert [card_on(client, run).split()[-3:] for client in readers] == [["To", "Stage", "2"]] * 2
    assert f'data-news="{later.special_stage.called}"'.replace("Stage", "To Stage") in run_part(readers[0], run)
    control = desk_of(entries[0]).get(f"/rallies/{rally.key}/stages/1/control/")
    assert f'class="button" href="{later.get_absolute_url()}"' in control.text


def run_part(client: Client, run: Run) -> str:
    """The tag of the part of the run's page that polls."""
    return client.get(run.get_absolute_url()).text.partition('<div id="run"')[2].partition(">")[0]


def test_a_spectator_sees_the_winner_and_the_way_to_the_results() -> None:
    run, _entries = driven("Ana", "Bo")
    first, _second = results_of_stage(run)
    for client in (Client(), signed_in(make_user("Reader"))):
        card = card_on(client, run)
        assert re.search(rf"Winner number \d+ {first[1]} {first[0] // 60}:", card)
        assert "Place" not in card and card.endswith("To the results")


def drive_until_one_is_in(run: Run) -> tuple[Entry, Entry]:
    """Drive until one of two cars plays no more. Returns that entry and the other one."""
    rules = registry.get(run.game)
    entries = {str(entry.start_number): entry for entry in starters(run)}
    for _step in range(200):
        waits = rules.to_play(run.state)[0]
        play(run, entries[waits], **careful_turn(run))
        home = [name for name, car in run.state["drivers"].items() if car["stage_time"] is not None]
        if home:
            other = next(name for name in entries if name != home[0])
            return entries[home[0]], entries[other]
    raise AssertionError("nobody has finished")


def test_while_others_drive_the_card_shows_the_stand_so_far() -> None:
    run, _entries = on_the_road("Ana", "Bo", stages=("1/3",))
    assert not card_on(desk_of(starters(run)[0]), run), "nobody is in"
    home, other = drive_until_one_is_in(run)
    assert run.status == Run.Status.RUNNING
    seconds = run.state["drivers"][str(home.start_number)]["stage_time"]
    card = card_on(desk_of(home), run)
    assert card.startswith("You are in. 1 car still drives. Places can still change.")
    assert f"Place so far 1 of 1 Time {seconds // 60}:{seconds % 60:02d}" in card
    assert card.endswith("To my turns")
    assert not card_on(desk_of(other), run) and not card_on(Client(), run), "they have not finished"
    assert 'data-poll="' in desk_of(home).get(run.get_absolute_url()).text


def test_a_driver_who_has_given_up_is_told_so_and_how_many_still_drive() -> None:
    run, entries = on_the_road("Ana", "Bo", "Cem", stages=("1/3",))
    waits = open_turn(run).seat.entry
    play(run, waits, do="retire")
    card = card_on(desk_of(waits), run)
    assert card.startswith("Your drive is over. 2 cars still drive.") and "retired" in card
    assert "Place so far –" in card and "Places can still change" not in card
    assert not card_on(desk_of(next(entry for entry in entries if entry != waits)), run)


def test_on_the_open_road_the_card_counts_the_cars_on_the_road() -> None:
    rally, _entries = started("Ana", "Bo", "Cem", stages=("1/3",), mode="open road")
    first, *_others = Run.objects.filter(special_stage__rally=rally).order_by("number")
    driven_to_the_end(first, *starters(first))
    card = card_on(desk_of(starters(first)[0]), first)
    assert "2 cars still drive. Places can still change." in card and "Place so far 1 of 1" in card


def test_the_results_replace_the_road_order_when_the_run_is_over() -> None:
    run, entries = driven("Ana", "Bo", "Cem")
    page = desk_of(entries[0]).get(run.get_absolute_url()).text
    board = page.split('class="resultboard"')[1].split("</ol>")[0]
    seconds = {crew: taken for taken, crew in results_of_stage(run)}
    shown = sorted(seconds, key=lambda crew: board.index(f">{crew}<"))
    assert [seconds[crew] for crew in shown] == sorted(seconds.values())
    assert board.count('class="me"') == 1 and 'class="me"' in board.split(entries[0].crew)[0].rsplit("<li", 1)[1]


def test_as_many_queries_for_many_cars_as_for_few() -> None:
    asked = []
    for names in (("Ana", "Bo"), ("Ana", "Bo", "Cem", "Dia")):
        run, entries = driven(*names, stages=("1/3",))
        desk = desk_of(entries[0])
        desk.get(run.get_absolute_url())
        with CaptureQueriesContext(connection) as queries:
            desk.get(run.get_absolute_url())
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_the_draws_of_the_last_post_come_first_only_while_they_are_news() -> None:
    run, entries = driven("Ana", "Bo")
    desk = desk_of(entries[0])
    for age, drawn_first in ((timedelta(seconds=1), True), (timedelta(minutes=5), False)):
        run.posts.update(at=clock.now() - age)
        panel = desk.get(run.get_absolute_url()).text.split('id="panel"')[1]
        assert (panel.index("data-rolled=") < panel.index('<section class="finish')) == drawn_first
        assert panel.count('<section class="finish') == 1


# Where it was won and lost ------------------------------------------------------------------------------


def gaps_with(run: Run, splits: list[SeatSplits], measure: Measure) -> tuple[Gaps, list[Seat]]:
    seats = list(Seat.objects.filter(run=run).select_related("entry__driver").order_by("position"))
    viewer = seats[0].entry.driver
    return table_of([(run, seat, told) for seat, told in zip(seats, splits, strict=True)], 2, measure, viewer), seats


def finished(*at: int | None, measure: int) -> SeatSplits:
    return SeatSplits(at=at, so_far=measure, status="finished", measure=measure)


@pytest.mark.parametrize("measure", [SECONDS, POINTS, PLACES])
def test_sections_compare_with_the_best_and_the_average_in_every_measure(measure: Measure) -> None:
    run, _entries = on_the_road("Ana", "Bo")
    sign = 1 if measure.better == "fewest" else -1
    told = [finished(10, 40, measure=60), finished(20, 30, measure=60)]
    found, seats = gaps_with(run, told, measure)
    ana, bo = (sections_of(found)[seat.entry_id] for seat in seats)
    assert [section.end for section in ana.sections] == [1, 2, 3]
    assert [section.won for section in ana.sections] == [5 * sign, -10 * sign, 5 * sign]
    assert [section.won for section in bo.sections] == [-5 * sign, 10 * sign, -5 * sign]
    ahead_first = ana if sign > 0 else bo
    assert ahead_first.most_won is not None and ahead_first.most_won.end == 1
    assert ahead_first.most_lost is not None and (ahead_first.most_lost.end, ahead_first.most_lost.behind) == (2, 20)
    assert ahead_first.best_on == 2
    assert most_won_on_a_section(sections_of(found)) == 10


def test_a_car_without_a_split_is_compared_where_another_drove_the_same_section() -> None:
    run, _entries = on_the_road("Ana", "Bo", "Cem")
    told = [
        finished(None, 40, measure=60),
        finished(20, 30, measure=70),
        SeatSplits(at=(15, None), so_far=20, status="retired"),
    ]
    found, seats = gaps_with(run, told, SECONDS)
    ana, bo, cem = (sections_of(found)[seat.entry_id] for seat in seats)
    assert [section.end for section in ana.sections] == [3], "nobody else drove her first section"
    assert [(section.end, section.behind) for section in bo.sections] == [(1, 5), (3, 20)]
    assert [(section.end, section.behind) for section in cem.sections] == [(1, 0)]
    bars = split_bars(bo, borders=2, most=10)
    assert bars.count("<rect") == 2 and 'class="lost"' in bars
    assert split_bars(sections_of(gaps_with(run, told[:1] * 3, SECONDS)[0])[seats[0].entry_id], borders=2, most=0)


# The board of the stage ---------------------------------------------------------------------------------


def test_the_board_is_in_the_order_of_results_with_bars_and_tells_the_viewers_own_result() -> None:
    run, entries = driven("Ana", "Bo", "Cem")
    by_crew = {entry.crew: entry for entry in entries}
    for entry, seconds in zip(entries, (210, 200, 225), strict=True):
        run.special_stage.times.filter(entry=entry).update(measure=seconds)
    crews = [crew for _seconds, crew in results_of_stage(run)]
    page = desk_of(by_crew[crews[1]]).get(run.special_stage.get_absolute_url()).text
    board = page.split('id="stage-times"')[1].split("</table>")[0]
    assert sorted(crews, key=board.index) == crews
    assert board.count('class="splitbars"') == 3 and "A bar for each section" in page
    [row] = re.findall(r'<tr class=" me".*?</tr>', board, re.DOTALL)
    assert crews[1] in row
    own = page.split('class="own-result"')[1].split("</p>")[0]
    assert "Place 2 of 3" in own and f"+0:10 to {crews[0]}" in own
    stranger = Client().get(run.special_stage.get_absolute_url()).text
    assert "own-result" not in stranger and 'class="splitbars"' in stranger


def test_the_board_has_no_bars_for_viewers_who_may_not_watch_the_runs_yet() -> None:
    rally, _entries = started("Ana", "Bo", stages=("1/3",), mode="open road")
    first, second = Run.objects.filter(special_stage__rally=rally).order_by("number")
    driven_to_the_end(first, *starters(first))
    stage = first.special_stage.get_absolute_url()
    for client in (Client(), desk_of(starters(second)[0])):
        assert "splitbars" not in client.get(stage).text
    driven_to_the_end(second, *starters(second))
    assert Client().get(stage).text.count('class="splitbars"') == 2
