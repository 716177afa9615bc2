"""Points by hand: who may give them, who is told, and an appeal against them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from championship.clubs.models import Role
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.seasons.services import adjusting, registering
from championship.stewards.models import Protest
from championship.stewards.selectors import officials_on
from championship.stewards.services.points_appeals import allow_appeal, appeal_points
from tests.championship.seasons.scenes import people, season
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


@pytest.fixture
def drivers(club):
    return people(club, 3)


@pytest.fixture
def cup(olga, club, drivers):
    made = season(club, olga, drivers, rounds=2)
    (red,) = registering.name_teams(by=olga, championship=made, names=["Red"])
    for driver in drivers[:2]:
        registering.register(by=olga, championship=made, driver=driver, crew=driver.name, team=red)
    return made


def give(cup, by, **what):
    return adjusting.give_points(by=by, championship=cup, **{"points": -200, "reason": "Late", **what})


def test_who_takes_part_leaves_it_to_who_does_not_and_nobody_judges_the_own_case(olga, club, drivers, cup):
    club.memberships.filter(user=drivers[0]).update(roles=[Role.DRIVER, Role.STEWARD])
    with pytest.raises(Forbidden) as forbidden:
        give(cup, drivers[0], driver=drivers[2])
    assert "Olga Organiser" in str(forbidden.value.message)
    page = signed_in(drivers[0]).post(
        f"/championships/{cup.key}/by-hand/",
        {"who": f"driver {drivers[2].pk}", "points": "-3", "reason": "I typed this", "version": cup.version},
    )
    assert page.status_code == 422 and "I typed this" in page.content.decode()
    given = give(cup, olga, driver=drivers[0])
    club.memberships.filter(user=olga).update(roles=[Role.DRIVER])
    with pytest.raises(Forbidden):
        adjusting.withdraw_points(by=drivers[0], adjustment=given)  # the only official there is, and a party
    with pytest.raises(Forbidden):
        give(cup, drivers[0], team=cup.teams.get())
    assert give(cup, drivers[0], driver=drivers[2]).pk  # nobody else may


def test_those_concerned_are_told_and_the_drivers_of_a_team_all(olga, drivers, cup):
    given = give(cup, olga, driver=drivers[2])
    give(cup, olga, team=cup.teams.get())
    adjusting.withdraw_points(by=olga, adjustment=given)
    adjusting.withdraw_points(by=olga, adjustment=given)
    told = Notice.objects.filter(kind="points by hand").values_list("recipient__name", "context__what", "context__team")
    assert set(told) == {
        ("Driver 03", "given", ""), ("Driver 03", "withdrawn", ""), ("Driver 01", "given", "Red"),
        ("Driver 02", "given", "Red"),
    }  # fmt: skip


def test_a_driver_appeals_once_in_time_and_the_author_does_not_judge(olga, club, drivers, cup, at):
    sten = make_member(club, name="Sten", roles=[Role.STEWARD])
    stella = make_member(club, name="Stella", roles=[Role.STEWARD])
    given = give(cup, sten, driver=drivers[2])
    address = f"/championships/{cup.key}/by-hand/{given.pk}/appeal/"
    assert address in signed_in(drivers[2]).get(f"/championships/{cup.key}/by-hand/").content.decode()
    assert address not in signed_in(drivers[1]).get(f"/championships/{cup.key}/by-hand/").content.decode()
    with pytest.raises(Forbidden):
        appeal_points(by=drivers[1], adjustment=given, text="Not mine")
    assert signed_in(olga).get(address).status_code == 404
    assert signed_in(drivers[2]).post(address, {"text": " "}).status_code == 422
    assert signed_in(drivers[2]).post(address, {"text": "I was there."}).status_code == 302
    protest = Protest.objects.get()
    assert protest.rally.round.number == 2  # the latest that the driver drove
    assert officials_on(protest.rally, protest).eligible == [stella]
    with pytest.raises(Stale):
        appeal_points(by=drivers[2], adjustment=given, text="Again")
    shown = signed_in(stella).get(protest.get_absolute_url()).content.decode()
    assert f"#points-{given.pk}" in shown
    late = give(cup, sten, team=cup.teams.get(), round=cup.rounds.get(number=1))
    at(clock.now() + timedelta(hours=49))
    with pytest.raises(Refused):
        appeal_points(by=drivers[0], adjustment=late, text="Late")
    at(clock.now() - timedelta(hours=2))
    assert appeal_points(by=drivers[1], adjustment=late, text="In time").rally.round.number == 1
    withdrawn = give(cup, sten, driver=drivers[0])
    adjusting.withdraw_points(by=sten, adjustment=withdrawn)
    with pytest.raises(Stale):
        appeal_points(by=drivers[0], adjustment=withdrawn, text="Gone")


def test_a_decision_that_allows_an_appeal_withdraws_the_points(olga, club, drivers, cup):
    sten = make_member(club, name="Sten", roles=[Role.STEWARD])
    stella = make_member(club, name="Stella", roles=[Role.STEWARD])
    given = give(cup, sten, driver=drivers[2])
    protest = appeal_points(by=drivers[2], adjustment=given, text="I was there.")
    page = signed_in(stella)
    address = f"/protests/{protest.key}/decide/"
    said = {"kind": "no action", "text": "He was.", "withdraw": "on"}
    assert 'name="withdraw"' in page.get(protest.get_absolute_url()).text

    with pytest.raises(Forbidden):
        allow_appeal(by=sten, rally=protest.rally, protest=protest, kind="no action", text="Mine.")
    assert page.post(address, {**said, "text": ""}).status_code == 422
    given.refresh_from_db()
    assert given.lifted_at is None
    for _twice in range(2):
        page.post(address, said)
    given.refresh_from_db()
    assert (given.lifted_by, protest.rally.decisions.count()) == (stella, 1)
