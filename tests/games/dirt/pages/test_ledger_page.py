"""The page of decisions and chance: after the run only, and with the sums of the engine."""

import re

import pytest
from django.test import Client

from championship.clubs.models import Club
from championship.rallies.models import SpecialStage
from championship.runs.models import Run
from championship.runs.watch import ledgers
from tests.championship.runs.factories import driven_to_the_end, on_the_road
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def address(run: Run) -> str:
    return f"/runs/{run.key}/ledger/"


def test_it_is_shown_when_the_run_is_over_and_adds_up():
    run, entries = on_the_road("Ana", "Bo")
    assert Client().get(address(run)).status_code == 403
    driven_to_the_end(run, *entries)
    run.refresh_from_db()
    page = Client().get(address(run))
    assert page.status_code == 200
    text = page.content.decode()
    for car in ledgers.ledger_of(run, entries[0].driver):
        assert car.start + car.driving + car.chance + car.traffic == car.result
        assert sum(turn.chance for turn in car.turns) == car.chance
        assert car.driving >= 0
        assert car.seat.entry.crew in text
    assert [car.mine for car in ledgers.ledger_of(run, entries[0].driver)].count(True) == 1
    assert text.count('class="ledgerchart"') == 2
    assert re.search(r'/replay/\?at=\d+"', text)
    assert f'href="{address(run)}" aria-current="page"' in text


def test_nobody_sees_it_before_the_draws_may_be_shown_and_strangers_never():
    run, entries = on_the_road("Ana", "Bo", options={"dice": "duplicate"}, mode="open road")
    driven_to_the_end(run, *entries)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert SpecialStage.objects.get(pk=run.special_stage_id).status == SpecialStage.Status.RUNNING
    for client in (Client(), signed_in(make_user())):
        assert client.get(address(run)).status_code == 403
    Club.objects.update(visibility=Club.Visibility.MEMBERS)
    assert signed_in(make_user()).get(address(run)).status_code == 404


def test_it_takes_as_few_queries_for_many_cars_as_for_one(django_assert_max_num_queries):
    run, entries = on_the_road("Ana", "Bo", "Cem", "Dag")
    driven_to_the_end(run, *entries)
    run.refresh_from_db()
    with django_assert_max_num_queries(10):
        assert Client().get(address(run)).status_code == 200
