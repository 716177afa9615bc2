"""The school of Rallyman: DIRT: each scene is driven once as it is meant, and once otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from championship.games.dirt import school
from tests.championship.runs import schooling

pytestmark = pytest.mark.django_db


def flat(plan: str) -> list[dict[str, Any]]:
    return [{"do": "lay", "plan": plan, "roll": "flat out"}]


FOUR = {"do": "lay", "plan": "4:2.2.l 5:2.3.l 6:2.4.l c:3.1.l", "roll": "one by one"}
ROLL, STOP, ACCEPT = {"do": "roll"}, {"do": "stop"}, {"do": "accept"}
AGAIN = {"do": "relay", "plan": "4:2.2.l 5:2.3.l 6:2.4.l c:3.1.l"}
SHORTER = {"do": "relay", "plan": "4:2.2.l 5:2.3.l c:2.4.l"}

WAYS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "win": (flat("3:1.3.l 4:2.1.l 5:2.2.l"), flat("3:1.3.l")),
    "plan": (flat("1:1.2.l 2:1.3.l 3:2.1.l"), flat("1:1.2.l")),
    "one-by-one": ([FOUR, ROLL, ROLL, STOP], [FOUR, ROLL, ROLL, ROLL, ACCEPT]),
    "coast": (flat("c:2.2.l c:2.3.l"), flat("5:2.2.l")),
    "brake": (flat("3b:3.1.r 2:3.2.i1"), flat("4:3.1.r")),
    "bend": (flat("2:3.1.r c:3.2.i1 1:3.3.r"), flat("3:3.1.r")),
    "slide": (flat("3:3.1.s1 2:3.1.s2 c:3.2.i1"), flat("3:3.1.r")),
    "drift": (flat("4:3.2.o1 c:3.2.o2 c:3.2.o3 3:3.3.l"), flat("3:3.2.i1")),
    "flat-out": (flat("4:2.1.l 5:2.2.l"), [{"do": "lay", "plan": "4:2.1.l 5:2.2.l", "roll": "first"}, STOP]),
    "secure": ([{"do": "secure"}], [ROLL, ACCEPT]),
    "loss": ([*flat("4:3.1.r c:3.2.i1"), {"do": "relay", "plan": "4:3.1.r c:3.2.i1"}], flat("3:3.1.r")),
    "lay-again": ([AGAIN], [SHORTER]),
    "sisu": ([{"do": "sisu"}], [ACCEPT]),
    "shortcut": (flat("2:2.k1.1 3:2.3.s1"), flat("2:2.2.o1")),
    "mud": (flat("3:3.1.r 2:3.2.i1 1:3.3.r"), flat("3:3.1.r")),
    "bump": (flat("5:2.2.l^2.3.l"), flat("4:2.2.l 3:2.3.l")),
    "water": (flat("2:2.2.l c:2.3.l 3:2.4.l"), flat("3:2.2.l")),
    "passing": (flat("4:2.2.r 5:2.3.l"), flat("4:2.2.r")),
    "following": (flat("3:3.2.o1 c:3.2.o2"), flat("3:3.2.o1")),
    "blocked": ([{"answer": "card"}], [{"answer": "nothing"}]),
    "damage": (flat("3:2.1.l 4:2.2.l 5:2.3.l"), flat("3:2.1.l")),
    "spare-wheel": (
        [*flat("1:2.2.l"), {"do": "spare", "take": "yes"}],
        [*flat("1:2.2.l"), {"do": "spare", "take": "no"}],
    ),
    "leader-dice": (flat("3:2.2.l 4:2.3.l"), flat("3:2.2.l 4:2.3.l c:2.4.l")),
    "order": ([{"answer": "far"}], [{"answer": "gear"}]),
    "flying-start": (flat("2:1.2.l 3:1.3.l"), flat("1:1.2.l 2:1.3.l 3:2.1.l")),
    "redline": (flat("c:2.2.l c:2.3.l x:2.4.l"), flat("c:2.2.l c:2.3.l")),
    "finish": (flat("5:5.1.l 6:5.2.l"), flat("3:5.1.l 2:5.2.l")),
    "service": ([{"answer": "no"}], [{"answer": "yes"}]),
    "time-control": ([{"answer": "one"}], [{"answer": "two"}]),
}


def test_every_scene_has_a_way_here() -> None:
    assert list(WAYS) == [scene.name for scene in school.SCENES]


@pytest.mark.parametrize("name", WAYS)
def test_a_scene_is_done_as_it_is_meant_and_not_otherwise(name: str) -> None:
    meant, otherwise = WAYS[name]
    schooling.check("dirt", name, meant, otherwise)


def test_the_first_scene_says_how_one_wins_and_compares_with_the_odds_of_the_engine() -> None:
    client = schooling.stranger()
    page = schooling.drive(client, "dirt", "win", WAYS["win"][1])
    said = schooling.verdict(page)
    assert "Not yet." in said
    assert "This cost you 29 seconds." in said, "the card of gear 3 less the token that its die earned"
    assert "Your plan 3: 0 % loss of control, 29 s expected, 1.0 sections of road." in said
    assert "The codriver goes flat out with 1 2 3 4 5 6" in said


def test_the_dice_of_a_car_do_not_show_the_number_of_the_scene() -> None:
    page = schooling.drive(schooling.stranger(), "dirt", "order", WAYS["order"][0]).text
    number = list(WAYS).index("order") + 1
    assert f"Scene {number} of" in page and f"<b>{number}</b>" not in page


def test_every_rule_has_a_scene_or_a_reason() -> None:
    schooling.check_rules("dirt", school)
