"""The stage page and its turn form."""

import pytest

from championship.runs.models import Event
from tests.championship.runs.factories import desk_of, on_the_road, send

pytestmark = pytest.mark.django_db


def test_the_driver_lays_a_plan_from_the_legal_moves_and_rolls() -> None:
    run, (first, *_others) = on_the_road("Ana", "Bo")
    ana = desk_of(first)
    page = ana.get(run.get_absolute_url())
    assert 'name="move" value="1:1.2.l"' in page.content.decode()
    page = ana.get(run.get_absolute_url(), {"plan": "1:1.2.l 2:1.3.l"})
    assert page.status_code == 200
    assert "One by one" in page.content.decode()
    answer = send(ana, run, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    assert answer.status_code == 302
    page = ana.get(run.get_absolute_url())
    assert 'name="do" value="roll"' in page.content.decode()
    assert send(ana, run, do="roll").status_code == 302
    assert Event.objects.filter(run=run, kind="roll").count() == 1
