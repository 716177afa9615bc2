"""The card of a game from outside the tree: what a decision costs is told in the game's own unit."""

from __future__ import annotations

from html import unescape

import pytest

from championship.rallies.models import TimeControlCard
from tests.contract.tables import drive, next_run, on_the_road
from tests.factories import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]


def test_a_decision_to_be_ticked_has_one_price_and_costs_it() -> None:
    run, (ana, bo) = on_the_road("haul", "Ana", "Bo", stages=2)
    rally = run.special_stage.rally
    drive(run)
    address = f"/rallies/{rally.key}/stages/1/control/"
    page = unescape(signed_in(ana.driver).get(address, headers={"Accept-Language": "en"}).text)
    assert "It takes 100 % away, for 2 points. −2 points" in page and "= −4 points" not in page
    assert signed_in(ana.driver).post(address, {"rest": "on"}).status_code == 302
    next_run(rally, 2)
    cards = dict(TimeControlCard.objects.filter(special_stage__rally=rally).values_list("entry", "amount"))
    assert cards == {ana.pk: 2, bo.pk: 0}
