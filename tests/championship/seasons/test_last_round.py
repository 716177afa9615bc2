"""What a driver needs in the last round."""

from dataclasses import replace

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from championship.seasons import services
from championship.seasons.scoring.last_round import Need, last_round_of
from championship.seasons.scoring.tables import drivers
from championship.seasons.scoring.values import DIVIDE, POINT, Bonus, Drops, Result, Season, SeasonRound, SeasonScheme
from tests.championship.rallies.factories import make_rally
from tests.championship.seasons.scenes import people
from tests.championship.seasons.scenes import season as season_of
from tests.factories import make_club, make_user

SCHEME = SeasonScheme(points=tuple(POINT * points for points in (10, 6, 4, 3, 2, 1)), tie_breaks=("wins",))


def driven(number, *order):
    results = tuple(Result(driver, car=at, place=at) for at, driver in enumerate(order, start=1))
    return SeasonRound(number, f"Round {number}", results)


def season(*orders, scheme=SCHEME):
    rounds = [driven(number, *order) for number, order in enumerate(orders, start=1)]
    return Season(scheme, (*rounds, SeasonRound(len(orders) + 1, "Last", ())))


def test_the_hunter_and_the_leader_read_the_same_from_both_sides():
    table = season("ABC", "ABC", "BAC")  # A 26, B 22, C 12
    hunter, leader = last_round_of(table, "B"), last_round_of(table, "A")
    assert hunter.rival == "A" and leader.rival == "B"
    assert hunter.needs == (Need(1, 3), Need(2, None)), "a win, and the leader third; or second, and the leader without"
    assert leader.needs[0] == Need(1, 1) and not leader.safe
    assert leader.needs[1] == Need(2, 3), "if B wins, both have 32 points and two wins"
    assert leader.needs[2] == Need(3, 2), "third, 30 points, is enough unless B wins"
    assert leader.needs[-1] == Need(None, 3)


def test_a_season_that_is_decided_says_so_on_both_sides():
    table = season("ABC", "ABC", "ABC", "ABC")
    assert last_round_of(table, "A").safe
    assert last_round_of(table, "C").needs == ()


@pytest.mark.django_db
def test_the_page_of_a_total_says_it_while_one_round_is_ahead():
    olga = make_user("Olga Organiser")
    club = make_club(owner=olga)
    drivers = people(club, 3)
    cup = season_of(club, olga, drivers, rounds=2)
    pages = [f"/championships/{cup.key}/drivers/{driver.pk}/" for driver in drivers]
    assert not any("last round" in Client().get(page).content.decode() for page in pages)
    services.add_round(by=olga, championship=cup, rally=make_rally(by=olga, club=club, name="Finale"))
    for page in pages:
        shown = Client().get(page).content.decode()
        assert "What is needed in the last round, Finale" in shown and "is enough" in shown


@pytest.mark.parametrize("rounds_ahead", [0, 2])
def test_only_one_round_may_be_ahead(rounds_ahead):
    whole = season("ABC", "ABC")
    ahead = tuple(SeasonRound(3 + number, "Ahead", ()) for number in range(rounds_ahead))
    assert last_round_of(replace(whole, rounds=(*whole.rounds[:2], *ahead)), "A") is None
    assert last_round_of(whole, "nobody") is None


def levelled(results, cars):
    """Return the results with the last cars on one place, with the same lap."""
    place = len(results) + 1 - cars
    return tuple(replace(one, place=place, fastest_lap=True) if one.place >= place else one for one in results)


orders = st.permutations("ABCDE").map(tuple)


@given(
    driven=st.lists(orders, min_size=1, max_size=5),
    last=orders,
    drop=st.integers(0, 2),
    factor=st.sampled_from([1, 2]),
    driver=st.sampled_from("ABCDE"),
    level=st.integers(1, 4),
)
def test_what_is_needed_is_what_decides(driven, last, drop, factor, driver, level):
    """Whatever happens in the last round: the driver is in front of the rival exactly where this said so. In the others
    the last cars are level, and divide the points of their places and of the fastest lap.
    """
    bonus = {"fastest_lap": Bonus(POINT * 3, shared=DIVIDE)}
    scheme = replace(SCHEME, drops=Drops(worst=drop), equal_places=DIVIDE, bonus=bonus)
    before = season(*driven, scheme=scheme)
    over = tuple(replace(each, results=levelled(each.results, level)) for each in before.rounds[:-1])
    before = replace(before, rounds=(*over, replace(before.rounds[-1], factor=factor)))
    told = last_round_of(before, driver)
    assert told is not None
    results = tuple(Result(each, car=at, place=at) for at, each in enumerate(last, start=1))
    after = replace(before, rounds=(*before.rounds[:-1], replace(before.rounds[-1], results=results)))
    places = {line.subject: line.place for line in drivers(after)}
    own, theirs = last.index(driver) + 1, last.index(told.rival) + 1
    need = next((each for each in told.needs if each.place == own), None)
    enough = need is not None and need.rival_at is not None and theirs >= need.rival_at
    assert (places[driver] < places[told.rival]) == enough
