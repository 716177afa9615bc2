"""Divisions: who stands where, who moves and why, the next season, and reserves who are offered free places: by hand
and by the season's clock.
"""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client

from championship.audit.models import Record
from championship.deadlines.tasks import sweep
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Entry, StartPlace
from championship.runs.models import Run, Seat
from championship.seasons import selectors, services
from championship.seasons.clock import services as clocks
from championship.seasons.divisions import selectors as shown_of
from championship.seasons.divisions import services as divisions
from championship.seasons.divisions.services import offers, reserves
from championship.seasons.models import Championship, PlaceOffer, Renewal
from championship.seasons.scoring import divisions as scoring
from championship.seasons.services import registering
from tests.championship.api.factories import program_of
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.division_scenes import World, leave
from tests.factories import make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def world(at):
    return World()


# Who stands where ----------------------------------------------------------------------------------


def test_the_divisions_are_the_classes_and_each_has_a_table(world):
    world.round([3, 0, 4, 1, 5, 2])
    table = selectors.table(world.season)
    assert [(line.who.name[-2:], line.place) for line in table.in_class("B")] == [("04", 1), ("05", 2), ("06", 3)]
    page = signed_in(world.drivers[0]).get(f"/championships/{world.season.key}/divisions/").content.decode()
    assert page.index("Driver 01") < page.index("Driver 03") < page.index("Driver 04")


def test_only_organisers_put_drivers_into_divisions_and_entries_to_come_follow(world):
    driver = world.drivers[6]
    member = registering.register(by=driver, championship=world.season, driver=driver, crew="Me", car_class="A")
    assert member.car_class == ""
    with pytest.raises(Forbidden):
        divisions.assign(by=driver, championship=world.season, divisions={member.pk: "A"}, seen="")
    rally = make_rally(by=world.olga, club=world.club, name="To come")
    each = services.add_round(by=world.olga, championship=world.season, rally=rally)
    assert len(registering.enter_registered(by=world.olga, round=each)) == 6  # not who stands in no division
    assert world.put({2: "", 6: "A"}) == 2
    assert Entry.objects.get(rally=rally, driver=world.drivers[2]).car_class == ""
    registering.enter_registered(by=world.olga, round=each)
    assert Entry.objects.get(rally=rally, driver=driver).car_class == "A"
    assert Notice.objects.filter(kind="your division", recipient=driver, context__division="A").exists()


def test_a_division_takes_no_more_than_its_places_and_a_stale_page_changes_nothing(world):
    seen = divisions.fingerprint(shown_of.members_of(world.season))
    with pytest.raises(Refused) as refusal:
        world.put({3: "A"})
    assert refusal.value.field.startswith("division_")
    world.put({0: "B", 3: "A"})
    with pytest.raises(Stale):
        world.put({1: "B", 4: "A"}, seen=seen)
    assert world.put({0: "B", 3: "A"}, seen=seen) == 0  # twice the same
    assert world.stand() == {"01": "B", "02": "A", "03": "A", "04": "A", "05": "B", "06": "B"}


def test_moving_a_driver_changes_no_round_before_and_the_driver_goes_from_the_new_division(world):
    world.round([0, 1, 2, 3, 4, 5])
    before = [(line.who.pk, line.total) for line in selectors.table(world.season).in_class("B")]
    world.put({2: "B", 3: "A"})
    assert [(line.who.pk, line.total) for line in selectors.table(world.season).in_class("B")] == before
    assert {driver for driver, _place in scoring.order_in(selectors.table(world.season).season, "A")} == {
        str(world.drivers[at].pk) for at in (0, 1, 3)
    }


def test_points_by_hand_count_in_the_division(world):
    from championship.seasons.services.adjusting import give_points

    world.round([0, 1, 2, 3, 4, 5])
    give_points(by=world.olga, championship=world.season, driver=world.drivers[3], points=-2500, reason="Late")
    assert selectors.table(world.season).in_class("B")[-1].who == world.drivers[3]
    page = (
        signed_in(world.olga)
        .get(f"/championships/{world.season.key}/classes/2/drivers/{world.drivers[3].pk}/")
        .content.decode()
    )
    assert "Late" in page


def test_divisions_are_renamed_with_their_drivers_and_seeded_by_the_season_before(world):
    world.rules(names=["First", "Second"])
    assert world.stand()["01"] == "First" and world.stand()["04"] == "Second"
    world.round([5, 4, 3, 2, 1, 0])
    following = services.create_championship(by=world.olga, club=world.club, name="Other")
    divisions.set_rules(by=world.olga, championship=following, names=["Gold", "Silver"], up=1, down=1, places=3)
    for driver in world.drivers[:7]:
        registering.register(by=world.olga, championship=following, driver=driver, crew=driver.name)
    client, address = signed_in(world.olga), f"/championships/{following.key}/divisions/"
    seen = re.search(r'name="seen" value="(\w+)"', client.get(address).content.decode())[1]
    assert client.post(address, {"do": "proposed", "seen": seen}).status_code == 302
    # First: 01, 02 and the one who goes up, 06. The seventh had no part.
    gold = {name for name, division in world.stand(following).items() if division == "Gold"}
    assert gold == {"02", "03", "06"}
    assert client.post(address, {"do": "proposed", "seen": seen}).status_code == 302  # twice: all stand there


@pytest.mark.parametrize(("lists", "tables"), [("first", ["AAABBB"]), ("last", ["BBBAAA"]), ("split", ["AAA", "BBB"])])
def test_start_lists_and_tables_by_division(world, lists, tables):
    world.rules(places=3, start_lists=lists)
    rally = make_rally(by=world.olga, club=world.club, name="To come", mode="convoy")
    each = services.add_round(by=world.olga, championship=world.season, rally=rally)
    registering.enter_registered(by=world.olga, round=each)
    from championship.rallies import services as rallies

    rallies.start_rally(by=world.olga, rally=rally)
    listed = StartPlace.objects.filter(special_stage__rally=rally, special_stage__number=1).order_by("position")
    assert "".join(listed.values_list("entry__car_class", flat=True)) == "".join(tables)
    runs = Run.objects.filter(special_stage__rally=rally).order_by("number")
    assert [
        "".join(Seat.objects.filter(run=run).order_by("pk").values_list("entry__car_class", flat=True)) for run in runs
    ] == tables


# Who moves, and the next season --------------------------------------------------------------------


def test_who_moves_is_told_with_the_reason(world):
    world.round([0, 1, 2, 3, 4, 5])
    page = signed_in(world.olga).get(f"/championships/{world.season.key}/moves/").content.decode()
    assert "Number 3 of 3 in A. The last goes down to B." in page
    assert "Number 1 of 3 in B. The first goes up to A." in page
    assert "Cup 2027" in page


def test_the_api_the_csv_and_the_public_pages_tell_of_divisions(world, django_assert_max_num_queries):
    world.round([0, 1, 2, 3, 4, 5])
    told = program_of(world.olga).get(f"championships/{world.season.key}/standings").json()
    assert [each["name"] for each in told["classes"]] == ["A", "B"]
    assert [(each["who"]["name"], each["from"], each["to"]) for each in told["moves"]] == [
        ("Driver 03", "A", "B"), ("Driver 04", "B", "A"),
    ]  # fmt: skip
    assert "Driver 04" in Client().get(f"/championships/{world.season.key}/standings.csv?class=2").text
    for name in ("divisions", "moves"):
        with django_assert_max_num_queries(20):
            assert Client().get(f"/championships/{world.season.key}/{name}/").status_code == 200
    other = services.create_championship(by=world.olga, club=world.club, name="Without")
    assert Client().get(f"/championships/{other.key}/divisions/").status_code == 404


def test_who_is_level_at_the_border_is_named(world):
    world.round([0, 1, 2, 3, 4, 5])
    world.round([0, 2, 1, 3, 5, 4])
    (down,) = [
        each
        for each in shown_of.moves_told(selectors.table(world.season), shown_of.members_of(world.season))
        if not each.up
    ]
    assert {down.driver.name, down.level_with} == {"Driver 02", "Driver 03"}


def test_one_act_makes_the_next_season_and_a_second_press_returns_it(world):
    world.round([0, 1, 2, 3, 4, 5])
    reserves.join(by=world.drivers[7], championship=world.season, driver=world.drivers[7], crew="R")
    made = world.renew()
    assert world.stand(made) == {"01": "A", "02": "A", "04": "A", "03": "B", "05": "B", "06": "B"}
    assert made.divisions == ("A", "B") and divisions.rules_of(made).places == 3
    assert [each.rally.name for each in made.rounds.select_related("rally")] == ["Round"]
    assert list(made.reserves.values_list("crew", flat=True)) == ["R"]
    assert world.renew(name="Another") == made
    assert Championship.objects.filter(club=world.club).count() == 2
    told = dict(
        Notice.objects.filter(kind="your division", context__season="Cup 2027").values_list(
            "recipient__name", "context__how"
        )
    )
    assert told["Driver 04"] == "up" and told["Driver 03"] == "down" and told["Driver 01"] == "stays"


def test_the_next_season_waits_for_the_last_round_and_for_fresh_tables(world):
    with pytest.raises(Refused):
        world.renew()
    world.round([0, 1, 2, 3, 4, 5])
    client, address = signed_in(world.olga), f"/championships/{world.season.key}/moves/"
    page = client.get(address).content.decode()
    form = dict.fromkeys(re.findall(r'name="(division_\d+)"', page), "B")
    form |= {"name": "Cup 2027", "seen": re.search(r'name="seen" value="(\w+)"', page)[1]}
    world.put({0: "B", 3: "A"})
    assert client.post(address, form).status_code == 409
    form["seen"] = re.search(r'name="seen" value="(\w+)"', client.get(address).content.decode())[1]
    assert client.post(address, {**form, "name": "Cup 2026"}).status_code == 422
    assert client.post(address, form).status_code == 302
    assert set(world.stand(Renewal.objects.get(championship=world.season).made).values()) == {"B"}
    assert client.post(address, form).status_code == 302  # twice pressed
    assert signed_in(world.drivers[0]).post(address, form).status_code == 403


# Reserves and offers -------------------------------------------------------------------------------


def test_a_place_is_offered_in_order_and_goes_on_when_it_is_not_answered(at, world):
    world.rules(places=3, answer_hours=24)
    for driver in world.drivers[6:]:
        reserves.join(by=driver, championship=world.season, driver=driver, crew=driver.name)
    clocks.set_clock(by=world.olga, championship=world.season, running=True, zone="UTC")
    leave(world, 4)
    sweep()
    sweep()
    (offer,) = PlaceOffer.objects.all()
    assert (offer.driver, offer.division) == (world.drivers[6], "B")
    at(offer.answer_by)
    with pytest.raises(Refused):
        offers.answer(offer=offer, accept=True)
    sweep()
    second = PlaceOffer.objects.get(state="open")
    assert second.driver == world.drivers[7]
    token = offers.token_for(second)
    client = signed_in(world.drivers[0])
    assert client.post(f"/places/{token}/", {"take": "yes"}).status_code == 302
    assert client.post(f"/places/{token}/", {"take": "yes"}).status_code == 302  # twice the same
    assert client.post(f"/places/{token}/", {"take": "no"}).status_code == 409
    assert world.stand()["08"] == "B"
    assert list(world.season.reserves.values_list("driver__name", flat=True)) == ["Driver 07"]
    at(clock.now() + 5 * DAY)
    sweep()
    assert PlaceOffer.objects.count() == 2
    told = set(Notice.objects.filter(kind="place offered").values_list("recipient__name", flat=True))
    assert told == {"Driver 07", "Driver 08"}
    assert set(Notice.objects.filter(kind="place gone").values_list("recipient__name", flat=True)) == {"Driver 07"}


def test_an_open_offer_follows_its_division_or_is_taken_back(at, world):
    driver = world.drivers[6]
    reserves.join(by=driver, championship=world.season, driver=driver, crew="R")
    leave(world, 0)
    assert offers.offer_now(by=world.olga, championship=world.season) == 1
    offer = PlaceOffer.objects.get()
    world.rules(names=["Gold", "Silver"])
    assert offers.free_places(world.season, divisions.rules_of(world.season)) == {"Gold": 0, "Silver": 0}
    offers.answer(offer=offer, accept=True)
    assert world.stand()["07"] == "Gold"
    leave(world, 1)
    reserves.join(by=world.drivers[7], championship=world.season, driver=world.drivers[7], crew="R")
    assert offers.offer_now(by=world.olga, championship=world.season) == 1
    world.rules(names=["East", "West", "North"])
    with pytest.raises(Stale):
        offers.answer(offer=PlaceOffer.objects.get(driver=world.drivers[7]), accept=True)
    assert "08" not in world.stand()


def test_every_step_by_hand(world):
    client, address = signed_in(world.olga), f"/championships/{world.season.key}/reserves/"
    for number in (6, 7):
        assert client.post(address, {"do": "add", "driver": world.drivers[number].pk}).status_code == 302
    assert client.post(address, {"do": "add", "driver": world.drivers[0].pk}).status_code == 422
    last = world.season.reserves.last()
    move = {"do": "up", "driver": last.driver_id, "position": last.position}
    assert client.post(address, move).status_code == client.post(address, move).status_code == 302
    assert [each.driver for each in world.season.reserves.all()] == [world.drivers[7], world.drivers[6]]
    leave(world, 0)
    client.post(address, {"do": "offer"})
    client.post(address, {"do": "offer"})
    (offer,) = PlaceOffer.objects.all()
    assert (offer.driver, offer.by, offer.division) == (world.drivers[7], world.olga, "A")
    client.post(address, {"do": "back", "offer": offer.pk})
    client.post(address, {"do": "offer"})
    second = PlaceOffer.objects.get(state="open")
    assert second.driver == world.drivers[6]
    client.post(address, {"do": "accept", "offer": second.pk})
    assert world.stand()["07"] == "A"
    assert signed_in(world.drivers[1]).post(address, {"do": "offer"}).status_code == 403
    stranger = make_user("Stranger")
    assert signed_in(stranger).get(address).status_code == 404
    page = signed_in(world.drivers[7]).get(address).content.decode()
    assert "Put me on the list" not in page and "You are a reserve" in page


def test_who_is_registered_by_hand_is_no_reserve_any_more(world):
    driver = world.drivers[6]
    reserves.join(by=driver, championship=world.season, driver=driver, crew="R")
    leave(world, 0)
    offers.offer_now(by=world.olga, championship=world.season)
    registering.register(by=world.olga, championship=world.season, driver=driver, crew="R", car_class="A")
    offer = PlaceOffer.objects.get()
    with pytest.raises(Stale):
        offers.answer(offer=offer, accept=True)
    assert not world.season.reserves.exists()


def test_a_pyramid_runs_by_itself_over_the_turn_of_two_seasons(at, world):
    world.rules(places=3, renews_days=2, answer_hours=24)
    reserves.join(by=world.drivers[7], championship=world.season, driver=world.drivers[7], crew="R")
    world.round([0, 1, 2, 3, 4, 5])
    clocks.set_clock(by=world.olga, championship=world.season, running=True, zone="UTC")
    sweep()
    assert not Renewal.objects.exists()
    at(clock.now() + 2 * DAY + HOUR)
    sweep()
    sweep()
    made = Renewal.objects.get(championship=world.season, by=None).made
    assert made.name == "Cup 2027" and made.clock.running
    world.season.clock.refresh_from_db()
    assert not world.season.clock.running
    assert world.stand(made)["04"] == "A"
    member = made.registrations.get(driver=world.drivers[0])
    registering.withdraw_registration(by=world.drivers[0], registration=member)
    sweep()
    offer = PlaceOffer.objects.get(championship=made)
    offers.answer(offer=offer, accept=True)
    assert world.stand(made)["08"] == "A" and "01" not in world.stand(made)
    assert Record.objects.filter(action="next season made", actor=None).count() == 1
