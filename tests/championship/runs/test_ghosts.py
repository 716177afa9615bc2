"""One car against another and the ideal stage; the time line narrowed to one's own turns or to the moments."""

import re

import pytest
from django.test import Client

from championship.runs.watch import gaps
from championship.runs.watch.ghosts import duel
from engine.contract import Measure, SeatSplits
from tests.championship.runs.factories import driven
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

FEWEST, MOST = Measure("seconds", "fewest"), Measure("points", "most")


def table(measure, *lines):
    """A table of gaps of two borders, with the start numbers of its cars in the order of these lines."""
    run, _entries = driven("Ana", "Bo", "Cem")
    seats = list(run.seats.select_related("entry__driver").order_by("position"))
    told = [
        SeatSplits(at=line[:2], so_far=0, status="finished" if line[2] is not None else "driving", measure=line[2])
        for line in lines
    ]
    found = gaps.table_of([(run, *pair) for pair in zip(seats, told, strict=True)], 2, measure, make_user())
    return found, [seat.name for seat in seats]


def test_the_ideal_stage_is_made_of_the_best_sections_and_no_car_betters_it():
    found, (ana, bo, cem) = table(FEWEST, (10, 30, 45), (14, 25, 50), (12, None, None))
    pair = duel(found, ana, bo)
    assert [time.ideal for time in pair.times] == [10, 10 + 11, 21 + 15]
    assert [time.ahead for time in pair.times] == [4, -5, 5]
    assert [time.gap for time in pair.against_ideal.cars[0].times] == [0, 9]
    assert pair.against_ideal.cars[1].finish.gap == 50 - 36
    assert duel(found, cem, ana).times[1].own is None
    assert duel(found, ana, ana) is None
    assert duel(found, ana, "no") is None


def test_where_the_most_win_the_best_section_is_the_greatest():
    found, (ana, bo, _cem) = table(MOST, (10, 30, 45), (14, 25, 50), (12, 20, 30))
    pair = duel(found, bo, ana)
    assert [time.ideal for time in pair.times] == [14, 34, 59]
    assert [time.ahead for time in pair.times] == [4, -5, 5]
    assert pair.against_ideal.cars[0].finish.gap == 9


def test_the_page_compares_any_two_cars_and_refuses_nonsense_in_words():
    run, entries = driven("Ana", "Bo", "Cem")
    page = f"/runs/{run.key}/gaps/"
    text = signed_in(entries[2].driver).get(page).content.decode()
    assert re.search(rf'<h2 id="duel">{entries[2].crew} against \w+', text), (
        "one's own car against the best of the others"
    )
    numbers = [entry.start_number for entry in entries]
    text = Client().get(page, {"own": numbers[0], "against": numbers[1]}).content.decode()
    assert f'<h2 id="duel">{entries[0].crew} against {entries[1].crew}' in text
    for own, other in ((numbers[0], numbers[0]), ("\x00x", "9" * 400)):
        answer = Client().get(page, {"own": own, "against": other})
        assert answer.status_code == 200
        assert "Choose two different cars" in answer.content.decode()


def test_the_time_line_shows_only_my_turns_or_the_moments(django_assert_max_num_queries):
    run, entries = driven("Ana", "Bo", "Cem")
    client, page = signed_in(entries[0].driver), f"/runs/{run.key}/replay/"

    def turns(query):
        text = client.get(page, query).content.decode()
        return re.findall(r'<li><a href="\?([^"]*)" data-at="(\d+)" data-kind', text), text

    every, text = turns({})
    assert "Only my turns" in text
    mine, text = turns({"only": "mine"})
    own = sum(event.seat.name == str(entries[0].start_number) for event in run.turns.select_related("seat"))
    assert 0 < len(mine) < len(every)
    assert len(mine) <= own
    assert all(link.startswith("only=mine&amp;at=") for link, _at in mine)
    assert {at for _link, at in mine} < {at for _link, at in every}
    assert 'data-only="mine"' in text
    moments, _text = turns({"only": "moments"})
    assert {at for _link, at in moments} <= {at for _link, at in every}
    assert turns({"only": "nonsense"})[0] == every
    assert "Only my turns" not in Client().get(page).content.decode()
    with django_assert_max_num_queries(22):
        client.get(page, {"only": "moments"})
