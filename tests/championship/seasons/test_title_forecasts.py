"""Who is likely to win a rally or a season: from results that everybody sees, never for those who drive."""

from __future__ import annotations

import random

import pytest
from django.test import Client

from championship.failures.models import Failure
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.models import Rally, SpecialStage
from championship.seasons import services as seasons
from championship.seasons.chances import services
from championship.seasons.chances.places_model import (
    RallySoFar,
    Strength,
    driven,
    rally_chances,
    scores,
    so_far,
    strengths,
)
from championship.seasons.chances.services import forecast_titles, rallies_to_forecast
from championship.seasons.models import TitleForecast
from championship.seasons.services import nominating, registering
from tests.championship.rallies.factories import drive, enter, hand_in, make_rally, organiser_of, started
from tests.factories import make_member, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_any_speed(monkeypatch):
    """However busy the machine is, a forecast comes to its end."""
    for limit in ("EACH", "PATIENCE", "SECONDS"):
        monkeypatch.setattr(services, limit, 10_000.0)


def after_a_stage() -> tuple[Rally, list]:  # type: ignore[type-arg]
    rally, entries = started("Ana", "Bo", "Cem", "Dag", stages=("1/1", "1/2", "1/3"))
    drive(rally, 1, {entry: 100 + 40 * place for place, entry in enumerate(entries)})
    return rally, entries


def test_spectators_see_the_chances_of_a_rally_and_drivers_only_when_it_is_over():
    rally, entries = after_a_stage()
    page = f"/rallies/{rally.key}/forecast/"
    assert "There is no forecast yet" in Client().get(page).content.decode()
    assert forecast_titles() == 1
    assert forecast_titles() == 0, "nothing has happened since"
    kept = TitleForecast.objects.get()
    assert (kept.rally, kept.done) == (rally, 1)
    assert set(kept.chances) == {str(entry.driver_id) for entry in entries}
    assert abs(sum(kept.chances.values()) - 1000) <= 4
    assert max(kept.chances, key=kept.chances.__getitem__) == str(entries[0].driver_id), "the one in front"
    overall = f"/rallies/{rally.key}/stages/1/overall/"
    for client in (Client(), signed_in(organiser_of(rally))):
        assert "Ana" in client.get(page).content.decode()
        assert page in client.get(overall).content.decode()
    for entry in entries:
        answer = signed_in(entry.driver).get(page)
        assert answer.status_code == 403
        assert "%" not in answer.content.decode().split("<main")[1].split("</main")[0]
        assert page not in signed_in(entry.driver).get(overall).content.decode()
    hand_in(rally, 1, *entries)
    drive(rally, 2, dict.fromkeys(entries, 100))
    assert forecast_titles() == 1
    assert "gapchart" in Client().get(page).content.decode(), "two forecasts make a line"
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.FINISHED, finished_at=clock.now())
    assert signed_in(entries[0].driver).get(page).status_code == 200


def test_a_stage_on_the_road_does_not_count():
    rally, entries = after_a_stage()
    hand_in(rally, 1, *entries)
    forecast_titles()
    first = TitleForecast.objects.get().chances
    drive(rally, 2, {entries[3]: 1, entries[2]: 2})
    assert SpecialStage.objects.get(rally=rally, number=2).status == "running"
    assert not rallies_to_forecast().exists()
    TitleForecast.objects.all().delete()
    forecast_titles()
    assert TitleForecast.objects.get().chances == first


def test_a_season_is_forecast_until_its_last_round():
    rally, entries = after_a_stage()
    olga = organiser_of(rally)
    cup = seasons.create_championship(by=olga, club=rally.club, name="Cup", drop=0, classes=[])
    seasons.add_round(by=olga, championship=cup, rally=rally)
    later = make_rally(by=olga, club=rally.club, name="Later", stages=("1/3",))
    seasons.add_round(by=olga, championship=cup, rally=later)
    page = f"/championships/{cup.key}/forecast/"
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.FINISHED, finished_at=clock.now())
    assert forecast_titles() == 1
    kept = TitleForecast.objects.get()
    assert kept.championship == cup and kept.simulations > 0
    assert abs(sum(kept.chances.values()) - 1000) <= 4
    assert Client().get(page).status_code == 200
    assert page in Client().get(f"/championships/{cup.key}/progress/").content.decode()
    assert signed_in(entries[0].driver).get(page).status_code == 403
    newcomer = make_member(rally.club, name="Eve")
    assert signed_in(newcomer).get(page).status_code == 200
    rallies.enter_rally(by=newcomer, rally=later, crew="Eve")
    assert signed_in(newcomer).get(page).status_code == 403, "who has asked for an entry drives in it"
    Rally.objects.filter(pk=later.pk).update(status=Rally.Status.CANCELLED)
    assert signed_in(entries[0].driver).get(page).status_code == 200


def test_a_round_that_is_left_counts_for_those_who_have_nominated_it():
    rally, entries = after_a_stage()
    olga = organiser_of(rally)
    cup = seasons.create_championship(by=olga, club=rally.club, name="Cup", further={"nominated": 1})
    seasons.add_round(by=olga, championship=cup, rally=rally)
    later = make_rally(by=olga, club=rally.club, name="Later", stages=("1/3",))
    left = seasons.add_round(by=olga, championship=cup, rally=later)
    slow = entries[-1].driver
    mine = registering.register(by=olga, championship=cup, driver=slow, crew="Dag")
    nominating.nominate(by=slow, registration=mine, rounds=[left.pk])
    Rally.objects.filter(pk=rally.pk).update(status=Rally.Status.FINISHED, finished_at=clock.now())
    assert forecast_titles() == 1
    chances = TitleForecast.objects.get().chances
    assert {driver: chance for driver, chance in chances.items() if chance} == {str(slow.pk): 1000}


def test_an_organiser_switches_it_off_and_one_that_fails_stops_no_other(monkeypatch):
    rally, _entries = after_a_stage()
    other, _others = started("Eve", "Fay", name="Other")
    real = services.strengths_of

    def fails(one):
        if one.pk == rally.pk:
            raise ValueError("broken")
        return real(one)

    monkeypatch.setattr(services, "strengths_of", fails)
    assert forecast_titles() == 1
    assert TitleForecast.objects.get().rally == other
    assert Failure.objects.get().unit == str(rally.pk)
    Rally.objects.filter(pk=other.pk).update(ledgers=False)
    assert Client().get(f"/rallies/{other.key}/forecast/").status_code == 404


def test_a_rally_with_open_entries_has_none():
    rally = make_rally()
    enter(rally, "Ana", "Bo")
    assert Client().get(f"/rallies/{rally.key}/forecast/").status_code == 404


# The model ----------------------------------------------------------------------------------------


def test_places_are_worth_more_in_a_larger_field_and_cancel_out():
    small, large = scores([["a"], ["b"]]), scores([[str(n)] for n in range(20)])
    assert large["0"] > small["a"] > 0
    assert abs(sum(large.values())) < 1e-9
    level = scores([["a", "b"], ["c"]])
    assert level["a"] == level["b"] > level["c"]
    assert scores([["a"]]) == {"a": 0.0}


def test_few_stages_tell_less_than_many():
    few, many = strengths([[["a"], ["b"]]]), strengths([[["a"], ["b"]]] * 30)
    assert 0 < few["a"].mean < many["a"].mean
    assert few["a"].error > many["a"].error


def test_who_is_far_in_front_wins_and_the_same_seed_gives_the_same():
    rally = so_far({"a": 100.0, "b": 400.0}, [{"a": 100.0, "b": 130.0}], left=2)
    chances = rally_chances(rally, {}, seed="x", simulations=300)
    assert chances["a"] > 950
    assert chances == rally_chances(rally, {}, seed="x", simulations=300)
    even = rally_chances(RallySoFar({"a": 0.0, "b": 0.0}, 4), {}, seed="y", simulations=2000)
    assert 450 < even["a"] < 550
    strong = {"a": Strength(1.0, 0.1)}
    assert rally_chances(RallySoFar({"a": 0.0, "b": 0.0}, 4), strong, seed="y", simulations=500)["a"] > even["a"]
    assert rally_chances(RallySoFar({}, 3), {}, seed="z", simulations=10) == {}


def test_a_rally_names_all_its_drivers_and_a_winner_of_each_stage():
    ended = driven(RallySoFar({"a": 0.0, "b": 1.0}, 3), {"a": 0.0, "b": 0.0}, random.Random(1))
    assert sorted(ended.order) == sorted(ended.last) == ["a", "b"]
    assert len(ended.winners) == 3
