"""The page of my turns: what waits for me and how urgent it is, who else is to play, and what I have sent ahead."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from championship.rallies import services as rally_services
from championship.runs.models import Turn
from championship.runs.play.orders_ahead import send_ahead
from championship.runs.watch import practice
from tests.championship.rallies.factories import drive, make_rally, organiser_of
from tests.championship.runs.factories import desk_of, on_the_road
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def page_of(client):
    """The text of the page, with the cards in their order."""
    text = client.get("/turns/").content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", text.partition('id="content"')[2]).split())


def alone(person, name, **how):
    """A rally that this person drives alone, under way."""
    rally = make_rally(name=name, mode="open road", stages=("4/1", "4/2"), **how)
    rally_services.enter_rally(by=make_member(rally.club, user=person), rally=rally, crew=person.name)
    rally_services.confirm_all(by=organiser_of(rally), rally=rally)
    rally_services.start_rally(by=organiser_of(rally), rally=rally)
    return rally


def test_turns_and_time_controls_are_in_the_order_in_which_they_close():
    ana = make_user("Ana")
    for name in ("Rajd Slow", "Rajd Soon", "Rajd Control"):
        alone(ana, name)
    control = ana.entries.get(rally__name="Rajd Control")
    Turn.objects.filter(seat__entry=control).update(ended_at=NOON)
    drive(control.rally, 1, {control: 200})
    Turn.objects.filter(run__special_stage__rally__name="Rajd Slow").update(
        since=NOON, deadline=datetime.now(UTC) + timedelta(days=9)
    )
    Turn.objects.filter(run__special_stage__rally__name="Rajd Soon").update(
        since=NOON, deadline=datetime.now(UTC) + timedelta(minutes=50)
    )
    said = page_of(signed_in(ana))
    names = re.findall(r"Rajd (?:Slow|Soon|Control)(?= · Stage 1)", said.partition("On the road")[0])
    assert names == ["Rajd Soon", "Rajd Control", "Rajd Slow"]
    assert "Time control has been open for" in said


def test_a_deadline_is_shown_in_my_zone_and_as_the_time_that_is_left():
    ana = make_user("Ana", time_zone="Asia/Tokyo")
    alone(ana, "Rajd Tokyo")
    deadline = datetime.now(UTC).replace(hour=15, minute=30) + timedelta(days=2)
    Turn.objects.update(deadline=deadline)
    said = page_of(signed_in(ana))
    assert "00:30" in said, "half past three in the afternoon is half past midnight there"
    assert re.search(r"\d day.* left", said)


def test_where_another_is_to_play_the_page_says_who_and_for_how_long():
    _run, (ana, bo) = on_the_road("Ana", "Bo")
    Turn.objects.update(since=datetime.now(UTC) - timedelta(hours=3))
    assert f"It has been {ana.crew}'s turn for 3 hours." in page_of(desk_of(bo)).replace("\xa0", " ")


def test_a_plan_sent_ahead_is_named_where_it_waits():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    assert "Plan sent ahead" not in page_of(desk_of(bo))
    send_ahead(
        by=bo.driver,
        run=run,
        plan="1:1.2.r 2:1.3.r",
        orders={"roll": "one by one", "stop_at": 2},
        version=run.version,
    )
    assert "Plan sent ahead" in page_of(desk_of(bo))


def test_nobody_elses_turns_are_on_my_page():
    run, (_ana, _bo) = on_the_road("Ana", "Bo", name="Rajd Secret")
    said = signed_in(make_user("Zoe")).get("/turns/").content.decode()
    assert "Rajd Secret" not in said
    assert run.key not in said


def test_a_turn_is_one_link_with_one_name():
    run, (ana, _bo) = on_the_road("Ana", "Bo", name="Rajd One")
    page = desk_of(ana).get("/turns/").content.decode()
    [card] = re.findall(r'<a class="card turn-card.*?</a>', page, re.S)
    assert f'href="{run.get_absolute_url()}"' in card
    assert "<a " not in card[2:] and "<button" not in card and "<form" not in card
    [name] = re.findall(r'aria-labelledby="([^"]+)"', card)[:1]
    heading = re.search(rf'<h2 id="{name}">(.*?)</h2>', card, re.S)[1]
    assert " ".join(re.sub(r"<[^>]+>", " ", heading).split()).endswith("Rajd One \u00b7 Stage 1")
    assert 'class="road-view"' in card and 'aria-hidden="true"' in card


def test_after_a_turn_one_tap_leads_to_the_next_one_elsewhere():
    ana = make_user("Ana")
    first, second = alone(ana, "Rajd First"), alone(ana, "Rajd Second")
    here, there = (rally.stages.get(number=1).runs.get() for rally in (first, second))
    desk = signed_in(ana)
    assert "Next turn:" not in desk.get(here.get_absolute_url()).text, "it is the turn of this one"
    here.turns.update(ended_at=datetime.now(UTC))
    page = desk.get(here.get_absolute_url()).text
    assert re.search(rf'<a class="button" href="{there.get_absolute_url()}">Next turn: Rajd Second, Stage 1</a>', page)
    there.turns.update(ended_at=datetime.now(UTC))
    assert "Next turn:" not in desk.get(here.get_absolute_url()).text


def test_practice_is_found_there_and_one_under_way_says_so():
    ana = make_user("Ana")
    desk = signed_in(ana)
    assert desk.get("/turns/").text.count('name="game"') == len(practice.taught_games())
    desk.post("/practice/", {"game": practice.taught_games()[0]})
    said = page_of(desk)
    assert "Under way: Practice in" in said and "You drive one practice stage at a time" in said
    assert 'name="game"' not in desk.get("/turns/").text
