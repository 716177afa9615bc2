"""Means of many stages with their errors: who is told apart, what is left out, one query for any number of drivers."""

from decimal import Decimal

import pytest
from django.test import Client

from championship.platform import clock
from championship.rallies.models import CrewChange, Entry, SpecialStage
from championship.runs.models import KeptAccounts
from championship.runs.play import keep_missing_ledgers
from championship.runs.watch.luck.driver_averages import Mean, averages, mean_of, own_drives
from championship.seasons.services import add_round, create_championship
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import driven_to_the_end, on_the_road
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


def test_a_mean_has_its_error_and_two_are_told_apart_only_beyond_it():
    assert mean_of([100, 200, 300]) == Mean(Decimal(2), Decimal("0.58"))
    assert mean_of([100]) == Mean(Decimal(1), None)
    assert Mean(Decimal(1), Decimal("0.1")).apart_from(Mean(Decimal(2), Decimal("0.2")))
    assert not Mean(Decimal(1), Decimal("0.5")).apart_from(Mean(Decimal(2), Decimal("0.2")))
    assert not Mean(Decimal(1), None).apart_from(Mean(Decimal(900), Decimal("0.2"))), "one stage tells nobody apart"
    assert Mean(Decimal(-3), Decimal(1)).apart_from_zero()
    assert not Mean(Decimal(-2), Decimal(1)).apart_from_zero()


def test_a_season_shows_its_drivers_and_never_ranks_them_in_silence(django_assert_max_num_queries):
    run, entries = on_the_road("Ana", "Bo", "Cem")
    rally = run.special_stage.rally
    olga = organiser_of(rally)
    cup = create_championship(by=olga, club=rally.club, name="Cup")
    add_round(by=olga, championship=cup, rally=rally)
    page = f"/championships/{cup.key}/luck/"
    client = signed_in(entries[0].driver)
    assert "This begins when a stage is over" in client.get(page).content.decode()
    driven_to_the_end(run, *entries)
    keep_missing_ledgers()
    SpecialStage.objects.filter(pk=run.special_stage_id).update(status="done", closed_at=clock.now())
    assert not averages(own_drives()), "what the codriver has driven is nobody's own"
    Entry.objects.filter(rally=rally).update(driven_by=Entry.DrivenBy.PERSON)
    rally.stages.first().times.update(stood_in=False)
    (found,) = averages(own_drives())
    assert {one.driver.name for one in found.drivers} == {"Ana", "Bo", "Cem"}
    assert found.drivers[0].apart is None
    with django_assert_max_num_queries(7):
        text = client.get(page).content.decode()
    assert text.count("no: the difference is within the error") == 2
    driving = list(KeptAccounts.objects.order_by("driving").values_list("driving", flat=True))
    assert [one.driving.value for one in averages(own_drives())[0].drivers] == [Decimal(each) / 100 for each in driving]
    who = {"before": entries[0].driver, "driver": entries[1].driver, "crew_before": "Ana", "crew": "Bo"}
    CrewChange.objects.create(entry=entries[0], special_stage=run.special_stage, by=olga, at=clock.now(), **who)
    (found,) = averages(own_drives())
    assert entries[0].driver not in {one.driver for one in found.drivers}, "a car that changed drivers is nobody's own"
    rally.ledgers = False
    rally.save(update_fields=["ledgers"])
    assert client.get(page).status_code == 404
    assert Client().get(f"/championships/{cup.key}/progress/").status_code == 200
