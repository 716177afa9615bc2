"""A plan that keeps control and ends in front of a wall never looks safe. On stage 1/1 the bend at 5.2 has limit 4 at
most: behind 5.1 a car in gear 6 loses control with every die.
"""

from __future__ import annotations

import re

import pytest

from tests.championship.runs.factories import on_the_road, put
from tests.games.dirt.pages.test_risk import page_of, risk_on, words_of

pytestmark = pytest.mark.django_db
WALL, SOUND = "c:5.1.l", "4b:5.1.l"


@pytest.fixture
def in_gear_six():
    run, (ana,) = on_the_road("Ana")
    put(run, ana, space="4.3.l", gear=6, on_track=True, started=True)
    return run, ana


def roll_buttons(html):
    """Return the class of each button that rolls, by its value."""
    return {
        value: classes for classes, value in re.findall(r'<button class="([^"]*)" name="roll" value="([^"]*)"', html)
    }


def test_the_buttons_and_the_notice_say_what_comes(in_gear_six):
    run, ana = in_gear_six
    html = page_of(ana, run, WALL)
    assert {"doomed" in classes for classes in roll_buttons(html).values()} == {True}
    assert "100 %, then a wall · 66.9 s" in words_of(html)
    assert "A wall behind this plan" in words_of(risk_on(html))
    assert "56.9 s more for a loss of control behind it" in words_of(risk_on(html))


def test_a_plan_that_can_go_on_looks_as_before(in_gear_six):
    run, ana = in_gear_six
    html = page_of(ana, run, SOUND)
    assert {"doomed" in classes for classes in roll_buttons(html).values()} == {False}
    assert "wall" not in words_of(html)


def test_the_dice_that_lead_to_a_wall_are_red_on_the_map_and_in_the_fan(in_gear_six):
    run, ana = in_gear_six
    html = page_of(ana, run)
    fan = html.split('data-space="5.1.l"')[-1].split('<div class="fan"')[0]
    dangers = {move: bool(danger) for move, danger in re.findall(r'data-move="([^"]+)"( class="danger")?', fan)}
    assert dangers == {"4b:5.1.l": False, "5:5.1.l": True, "6:5.1.l": True, "c:5.1.l": True, "x:5.1.l": True}
    label = re.search(r'data-space="5.1.l"[^>]*aria-label="([^"]*)"', html)
    assert label and label[1].endswith("5 6 → R: a wall behind it")


def test_the_last_die_of_such_a_plan_is_red(in_gear_six):
    run, ana = in_gear_six
    assert 'class="die step loses"' in page_of(ana, run, WALL)
    assert 'class="die step loses"' not in page_of(ana, run, SOUND)


def test_a_certain_loss_is_marked_on_the_buttons(in_gear_six):
    run, ana = in_gear_six
    put(run, ana, space="5.1.l", gear=6, on_track=True, started=True)
    html = page_of(ana, run, "c:5.2.i1")
    assert {"doomed" in classes for classes in roll_buttons(html).values()} == {True}
    assert "One by one 0 % · 56.9 s" in words_of(html)
