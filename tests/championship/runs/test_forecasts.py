"""Who is likely to win: from what everybody may see, never for those who drive, each stage alone."""

import pytest
from django.test import Client

from championship.failures.models import Failure
from championship.failures.services import FIRST_WAIT
from championship.platform import clock
from championship.rallies.models import SpecialStage
from championship.runs.models import Forecast, Run
from championship.runs.pages.forecast_views import in_percent
from championship.runs.play import forecast_stages, forecasting
from championship.runs.play.forecasting import FEWEST, forecast, stages_to_forecast
from engine import registry
from engine.prediction import Tally
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import ahead, careful_turn, driven_to_the_end, on_the_road, play
from tests.championship.runs.threads import at_once
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_any_speed(monkeypatch):
    """However busy the machine is, a forecast comes to its end."""
    for limit in ("EACH", "PATIENCE", "LONGEST", "SECONDS"):
        monkeypatch.setattr(forecasting, limit, 10_000.0)


def begun(*names: str, **how):
    """A run in which the first car has made its first turn."""
    run, entries = on_the_road(*names, stages=("1/1",), **how)
    play(run, entries[0], **careful_turn(run))
    return run, entries


def test_spectators_see_it_and_drivers_only_when_the_stage_is_over():
    run, entries = begun("Ana", "Bo", "Cem")
    stage = run.special_stage
    page = f"/rallies/{stage.rally.key}/stages/1/forecast/"
    assert "There is no forecast yet" in Client().get(page).content.decode()
    assert forecast_stages(FEWEST) == 1
    assert forecast_stages(FEWEST) == 0, "nothing has happened since"
    kept = Forecast.objects.get()
    assert kept.simulations == FEWEST
    assert set(kept.stage) == set(kept.rally) == {str(entry.pk) for entry in entries}
    assert abs(sum(kept.stage.values()) - 1000) <= 3
    for client in (Client(), signed_in(organiser_of(stage.rally))):
        text = client.get(page).content.decode()
        assert all(entry.crew in text for entry in entries)
        assert page in client.get(stage.get_absolute_url()).content.decode()
    for entry in entries:
        answer = signed_in(entry.driver).get(page)
        assert answer.status_code == 403
        assert "%" not in answer.content.decode().split("<main")[1].split("</main")[0]
        assert page not in signed_in(entry.driver).get(stage.get_absolute_url()).content.decode()
    driven_to_the_end(run, *entries)
    SpecialStage.objects.filter(pk=stage.pk).update(status="time control", control_deadline=kept.at)
    assert signed_in(entries[0].driver).get(page).status_code == 200


def test_nothing_secret_goes_in():
    """The chances are the same whatever the secret of the run is, and whatever is laid or sent ahead."""
    run, entries = begun("Ana", "Bo")
    stage = stages_to_forecast().get()
    assert forecast(stage, FEWEST)
    first = Forecast.objects.get()
    Forecast.objects.all().delete()
    waits = next(entry for entry in entries if str(entry.start_number) not in registry.get("dirt").to_play(run.state))
    ahead(run, waits)
    Run.objects.filter(pk=run.pk).update(secret=bytes(32), second_seal="other")
    assert forecast(stage, FEWEST)
    second = Forecast.objects.get()
    assert (first.stage, first.rally) == (second.stage, second.rally)
    shared, _entries = on_the_road("Cem", "Dag", options={"dice": "duplicate"}, mode="open road", stages=("1/1",))
    own = Run.objects.filter(special_stage=shared.special_stage).first()
    play(own, _entries[0], **careful_turn(own))
    assert shared.special_stage not in stages_to_forecast(), "the draws are the same for all"
    assert not forecast(shared.special_stage, FEWEST)
    assert Client().get(f"/rallies/{shared.special_stage.rally.key}/stages/1/forecast/").status_code == 404


def test_a_stage_that_fails_is_put_off_alone_and_a_rally_may_switch_it_off():
    run, _entries = begun("Ana", "Bo")
    broken, _cars = begun("Cem", "Dag")
    Run.objects.filter(pk=broken.pk).update(state={})
    assert forecast_stages(FEWEST) == 1
    assert Failure.objects.get().unit == str(broken.special_stage_id)
    rally = run.special_stage.rally
    rally.ledgers = False
    rally.save(update_fields=["ledgers"])
    assert Client().get(f"/rallies/{rally.key}/stages/1/forecast/").status_code == 404


def _next_turn(run, entries):
    run.refresh_from_db()
    [seat] = registry.get(run.game).to_play(run.state)
    play(run, next(entry for entry in entries if str(entry.start_number) == seat), **careful_turn(run))


def test_a_slow_stage_keeps_its_last_forecast_and_waits_longer(at, monkeypatch, caplog):
    run, entries = begun("Ana", "Bo")
    page = f"/rallies/{run.special_stage.rally.key}/stages/1/forecast/"
    assert forecast_stages(FEWEST) == 1
    assert "The stage has gone on" not in Client().get(page).content.decode()
    _next_turn(run, entries)
    at(clock.now() + forecasting.EVERY)
    monkeypatch.setattr(forecasting, "EACH", 0.0)
    assert forecast_stages(FEWEST) == 0
    assert Forecast.objects.get().posts < Run.objects.get().version
    assert "The stage has gone on since then" in Client().get(page).content.decode()
    lines = [line for line in caplog.records if "is too slow" in line.getMessage()]
    assert [(line.levelname, line.exc_info) for line in lines] == [("WARNING", None)]
    assert not Failure.objects.exists()
    monkeypatch.setattr(forecasting, "EACH", 10_000.0)
    assert forecast_stages(FEWEST) == 0, "put off"
    at(clock.now() + FIRST_WAIT)
    assert forecast_stages(FEWEST) == 1
    monkeypatch.setattr(forecasting, "LONGEST", 0.0)
    _next_turn(run, entries)
    at(clock.now() + forecasting.EVERY)
    assert forecast_stages(FEWEST) == 0
    assert "no end in" in caplog.text, "not even one simulation was waited for"


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_at_once_one_computes_a_stage():
    begun("Ana", "Bo")
    assert sorted(at_once(*[lambda: forecast_stages(FEWEST)] * 2)) == [0, 1]


def test_the_page_takes_as_few_queries_for_many_cars(django_assert_max_num_queries):
    run, _entries = begun("Ana", "Bo", "Cem", "Dag")
    forecast(stages_to_forecast().get(), FEWEST)
    with django_assert_max_num_queries(7):
        Client().get(f"/rallies/{run.special_stage.rally.key}/stages/1/forecast/")


def test_cars_that_share_the_first_place_share_the_win_and_few_simulations_prove_no_certainty():
    tally = Tally()
    tally.add({"1": (10, (0,)), "2": (10, (0,)), "3": (11, (0,)), "4": None})
    tally.add({"1": (10, (0,)), "2": (10, (1,)), "3": (11, (0,)), "4": None})
    assert tally.per_mille() == {"1": 750, "2": 250, "3": 0, "4": 0}
    assert [in_percent(chance, 11) for chance in (0, 364, 1000)] == ["< 10", "36", "> 90"]
    assert [in_percent(chance, 1000) for chance in (4, 6, 996)] == ["< 1", "1", "> 99"]
