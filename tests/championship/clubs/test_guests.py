"""Guests of a club see what members see, but do not drive, judge or organise."""

import pytest
from django.db import IntegrityError
from django.http import Http404

from championship.clubs import selectors, services
from championship.clubs.models import Membership, Role
from championship.platform.refusals import Forbidden, Refused
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.rallies.services import EntryRequest
from championship.seasons import services as seasons
from championship.seasons.services import registering
from championship.stewards import services as stewards
from tests.championship.rallies.factories import enter, make_rally
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(name="Wiking", owner=olga)


@pytest.fixture
def gus(club):
    return make_member(club, name="Gus", roles=[Role.GUEST])


@pytest.mark.slow
def test_a_guest_comes_by_an_invitation_and_reads_what_members_read(olga, club):
    page = signed_in(olga).post("/clubs/wiking/invitations/", {"roles": "guest", "days": "7", "max_uses": "1"})
    assert page.status_code == 201
    _invitation, token = services.invite(by=olga, club=club, roles=["guest"], days=7)
    gus = make_user("Gus")
    services.accept_invitation(by=gus, token=token)
    assert selectors.roles_of(gus, club) == {"guest"}
    for address in ("", "members/", "stages/", "holidays/", "log/"):
        assert signed_in(gus).get(f"/clubs/wiking/{address}").status_code == 200
    assert "guest" in signed_in(gus).get("/clubs/wiking/members/").text


def test_a_guest_does_not_enter_a_rally_and_is_not_entered(olga, club, gus):
    rally = make_rally(by=olga, club=club)
    with pytest.raises(Forbidden):
        rallies.enter_rally(by=gus, rally=rally, crew="Gus")
    assert signed_in(gus).post(f"/rallies/{rally.key}/enter/", {"crew": "Gus"}).status_code == 403
    assert rallies.enter_for(by=olga, rally=rally, wanted=[EntryRequest(driver=gus, crew="Gus")]) == []
    assert not Entry.objects.exists()


def test_a_guest_does_not_register_for_a_season_and_nobody_registers_one(olga, club, gus):
    season = seasons.create_championship(by=olga, club=club, name="Season")
    for by in (gus, olga):
        with pytest.raises(Refused) as refusal:
            registering.register(by=by, championship=season, driver=gus, crew="Gus")
        assert refusal.value.field == "driver"


def test_a_guest_neither_protests_nor_judges_nor_organises(olga, club, gus):
    rally = make_rally(by=olga, club=club)
    enter(rally, "Ana", "Bo")
    rallies.start_rally(by=olga, rally=rally)
    with pytest.raises(Http404):
        stewards.file_protest(by=gus, rally=rally, text="I saw it.")
    for forbidden in (
        lambda: stewards.decide(by=gus, rally=rally, kind="no action", text="Fine."),
        lambda: stewards.set_terms(by=gus, rally=rally, protest_hours=1, appeal_hours=1),
        lambda: rallies.pause_rally(by=gus, rally=rally, reason="Rain"),
        lambda: services.invite(by=gus, club=club, roles=["guest"], days=7),
    ):
        with pytest.raises(Forbidden):
            forbidden()


def test_beside_another_role_being_a_guest_takes_nothing_away(olga, club):
    both = make_member(club, name="Bea", roles=[Role.DRIVER, Role.GUEST])
    rally = make_rally(by=olga, club=club)
    assert rallies.enter_rally(by=both, rally=rally, crew="Bea").status == Entry.Status.REQUESTED


def test_a_driver_who_becomes_a_guest_is_in_no_further_round_and_finishes_what_was_begun(olga, club):
    season = seasons.create_championship(by=olga, club=club, name="Season")
    rally = make_rally(by=olga, club=club)
    (ana,) = enter(rally, "Ana")
    registering.register(by=ana.driver, championship=season, driver=ana.driver, crew="Ana")
    rallies.start_rally(by=olga, rally=rally)
    services.set_roles(by=olga, membership=Membership.objects.get(club=club, user=ana.driver), roles=["guest"])

    following = seasons.add_round(by=olga, championship=season, rally=make_rally(by=olga, club=club, name="Second"))
    assert registering.enter_registered(by=olga, round=following) == []
    assert stewards.file_protest(by=ana.driver, rally=rally, text="The clock was wrong.").by == ana


def test_the_database_knows_the_role_and_no_other(club):
    with pytest.raises(IntegrityError):
        make_member(club, name="Odd", roles=["spectator"])
