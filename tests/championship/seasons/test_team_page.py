"""The page of a team: its rounds, its drivers, and its transfers by date."""

from datetime import timedelta

import pytest
from django.test import Client

from championship.platform import clock
from championship.seasons import services
from championship.seasons.models import Transfer
from championship.seasons.services import registering
from tests.championship.seasons.scenes import finished_rally, people
from tests.factories import make_club, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]


def test_a_team_shows_its_rounds_drivers_and_transfers(at, django_assert_max_num_queries):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, bo = people(club, 2)
    made = services.create_championship(by=olga, club=club, name="Cup")
    red, blue = registering.name_teams(by=olga, championship=made, names=["Red", "Blue"])
    red, blue = sorted((red, blue), key=lambda team: team.name, reverse=True)

    def team(driver, of):
        registering.register(by=olga, championship=made, driver=driver, crew=driver.name, team=of)

    team(ana, red)
    team(ana, red)
    assert Transfer.objects.count() == 1
    address = f"/championships/{made.key}/teams/"
    assert "Driver 01 joins" in Client().get(f"{address}{red.pk}/").text
    services.add_round(by=olga, championship=made, rally=finished_rally(club, olga, {ana: (200,), bo: (210,)}))
    at(clock.now() + timedelta(days=30))
    team(ana, blue)
    page = Client().get(f"{address}{red.pk}/").text
    assert "Driver 01 goes to Blue" in page and "not any more" in page and "1. Rajd Wisły" in page
    with django_assert_max_num_queries(16):
        assert "Driver 01 comes from Red" in Client().get(f"{address}{blue.pk}/").text
    registering.withdraw_registration(by=ana, registration=made.registrations.get())
    registering.withdraw_registration(by=ana, registration=made.registrations.get())
    page = Client().get(f"{address}{blue.pk}/").text
    assert page.count("Driver 01 leaves") == 1
    assert Client().get(f"{address}{blue.pk + 1000}/").status_code == 404
