"""The migration that stores names in one form of Unicode: names in two forms become equal, and no class is lost."""

from importlib import import_module

import pytest
from django.db import connection

from championship.accounts.models import User
from championship.rallies.models import Entry, Rally
from championship.seasons import services as seasons
from championship.seasons.models import Championship, Registration, Team
from championship.seasons.selectors import table
from championship.seasons.services import registering
from tests.championship.seasons.scenes import finished_rally, people
from tests.factories import make_club, make_user

pytestmark = pytest.mark.django_db

APART = "Größe".replace("ö", "o\u0308")


def test_stored_names_become_one_form_and_the_tables_stay(client):
    olga = make_user("Olga")
    club = make_club(owner=olga)
    ana, bo = people(club, 2)
    season = seasons.create_championship(by=olga, club=club, name="Cup", classes=["Größe"])
    rally = finished_rally(club, olga, {ana: (200,), bo: (210,)}, classes={ana: "Größe", bo: "Größe"})
    seasons.add_round(by=olga, championship=season, rally=rally)
    registering.register(by=olga, championship=season, driver=ana, crew="Ana", car_class="Größe")
    team = Team.objects.create(championship=season, name=APART)
    same = [Team.objects.create(championship=season, name=name) for name in ("Zoe\u0308", "Zoë")]
    User.objects.filter(pk=ana.pk).update(name=APART)
    Entry.objects.update(crew=APART, car_class=APART)
    Registration.objects.update(crew=APART, car_class=APART)
    Championship.objects.update(classes=[APART])
    Rally.objects.update(classes=[{"name": APART, "limit": 3}])

    with connection.cursor() as cursor:
        for statement in import_module("championship.seasons.migrations.0006_names_in_one_form").STATEMENTS:
            cursor.execute(statement)

    assert User.objects.get(pk=ana.pk).name == "Größe"
    assert set(Entry.objects.values_list("crew", "car_class")) == {("Größe", "Größe")}
    assert Registration.objects.values_list("crew", "car_class").get() == ("Größe", "Größe")
    assert Rally.objects.get().classes == [{"name": "Größe", "limit": 3}]
    season.refresh_from_db()
    assert season.classes == ["Größe"]
    assert [line.total for line in table(season).classes["Größe"]] == [25, 18]
    assert Team.objects.get(pk=team.pk).name == "Größe"
    assert [Team.objects.get(pk=each.pk).name for each in same] == ["Zoe\u0308", "Zoë"], "they are two teams"
