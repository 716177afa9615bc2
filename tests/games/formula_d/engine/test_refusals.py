"""Which rule refuses orders that break several."""

from __future__ import annotations

from typing import Any

import pytest

from engine.contract import RuleError
from tests.games.formula_d.engine.drawn import GAME
from tests.games.formula_d.engine.scene import car, played, refused, slip, turn
from tests.games.formula_d.engine.test_braking import TOLD, WALL
from tests.games.formula_d.engine.test_game import Dice, under_way

ANA = [car("ana", "S1.1.0", 3)]


def test_the_gear_before_the_path() -> None:
    assert refused(ANA, turn("ana", 9, "S9"), dice=[]) == "G1"
    assert refused(ANA, turn("ana", 5, "S9"), dice=[]) == "G2"


def test_g2_before_g3_and_g5() -> None:
    poor = [car("ana", "S1.1.0", 6, wp={"gearbox": 0})]
    assert refused(poor, turn("ana", 1, ""), dice=[]) == "G3"
    assert refused(poor, turn("ana", 2, ""), dice=[]) == "G5"


def test_n1_and_t3_before_the_path() -> None:
    assert refused(ANA, turn("ana", 3, "S9", nitro=True, bonus=True), dice=[4]) == "N1"
    assert refused(ANA, turn("ana", 3, "S9", bonus=True), dice=[4]) == "T3"


def test_a_missing_path_before_n1() -> None:
    assert refused(ANA, turn("ana", 3, nitro=True), dice=[4]) == "M6"


def test_the_first_space_that_is_wrong() -> None:
    """M3 at the second space, although the fourth is not a next space."""
    assert refused(ANA, turn("ana", 3, "S1.2.0 S1.1.1 S1.1.2 S9"), dice=[4]) == "M3"


@pytest.mark.parametrize(
    ("cars", "path", "rule"),
    [
        ([car("ana", "S7.1.13", 1), car("bo", "S1.1.1", 1, lap=0)], "S1.1.0 S1.1.1", "M5"),
        ([car("ana", "S1.1.0", 1), car("bo", "S1.1.2", 1, lap=0)], "S1.1.2", "M1"),
        ([car("ana", "S7.3.3", 1), car("bo", "P.0.0", 1)], "P.0.0", "M2"),
        ([car("ana", "S7.3.2", 1)], "S7.3.3 P.0.0", "P1"),
        ([car("ana", "S1.1.0", 1)], "S1.2.0 S1.1.1", "M6"),
        ([car("ana", "C2.1.3", 1)], "S3.1.0 S3.2.1", "M6"),
    ],
)
def test_within_a_space(cars: list[dict[str, Any]], path: str, rule: str) -> None:
    """M5, M1, M2, P1, P2, M6, C5, M3, in this order."""
    laps = 2 if any(one["space"].startswith("P") for one in cars) else 1
    assert refused(cars, turn("ana", 1, path), dice=[1], laps=laps) == rule


def test_p2_before_m6() -> None:
    cars = [car("ana", "P.0.1", 1, box="E1")]
    assert refused(cars, turn("ana", 1, "P.0.2 P.0.3"), dice=[1], laps=2) == "P2"


def test_c5_before_m3() -> None:
    """Leaving the lane in a corner's last step: the straight has not begun; past the corner both rules are broken."""
    cars = [car("ana", "C2.1.3", 3)]
    assert refused(cars, turn("ana", 3, "S3.1.0 S3.2.1 S3.1.1"), dice=[4]) == "C5"


def test_c4_before_all_of_the_end() -> None:
    cars = [car("ana", "C1.1.8", 2, wp={"tires": 0})]
    assert refused(cars, turn("ana", 2, "S2.1.0", tires=2, nitro=True), dice=[2], nitro=True) == "C4"


def test_c3_before_b3_and_n2() -> None:
    cars = [car("ana", "C2.1.3", 2, wp={"tires": 0})]
    assert refused(cars, turn("ana", 2, "S3.1.0-1", tires=2), dice=[2]) == "C3"
    assert refused(cars, turn("ana", 2, "S3.1.0-1", nitro=True), dice=[2], nitro=True) == "C3"


def test_b3_with_a_complete_path() -> None:
    assert refused(ANA, turn("ana", 3, "S1.1.1-4", tires=1), dice=[4]) == "B3"


def test_n2_before_b1_and_b3() -> None:
    poor = [car("ana", "S1.1.0", 3, wp={"brakes": 0})]
    assert refused(poor, turn("ana", 3, "S1.1.1", nitro=True, tires=1), dice=[4], nitro=True) == "N2"


def test_b3_before_b4_before_b1() -> None:
    """Two of seven spaces short of the wall; then as far as possible with four missing."""
    cars = [car("ana", "S2.2.0", 4, lap=2), *WALL]
    assert refused(cars, turn("ana", 4, "S2.1.0-1", tires=5), dice=[7], **TOLD) == "B3"
    assert refused(cars, turn("ana", 4, "S2.1.0-2", tires=4), dice=[7], **TOLD) == "B4"


def test_s1_before_s7_before_the_path_before_s2() -> None:
    cars = [car("ana", "S2.1.2", 4, lap=2), car("bo", "S2.1.10", 4)]
    for path, bonus, rule in (("S9", True, "S7"), ("S9", False, "M1"), ("", False, "S2")):
        order = turn("ana", 4, "S2.1.3-9", slip=[slip(path, bonus=bonus)])
        assert refused(cars, order, dice=[7], **TOLD) == rule
    order = turn("ana", 4, "S2.1.3-8", slip=[slip("S9", bonus=True)])
    assert refused(cars, order, dice=[7], **TOLD) == "S1"


BOX = "P.0.0-2 PITE1"


def test_s1_before_p6() -> None:
    cars = [car("ana", "S7.3.3", 3, box="E1")]
    order = turn("ana", 3, BOX, slip=[slip("P.0.2")], out=[])
    assert refused(cars, order, dice=[8], laps=2) == "S1"


def test_t6_before_p10_before_p7() -> None:
    cars = [car("ana", "S7.3.3", 3, box="E1")]
    wrong = {"tyres": "square", "technical": {"tires": 1}}
    assert refused(cars, turn("ana", 3, BOX, pit=wrong, out=[]), dice=[8], laps=2) == "T6"
    del wrong["tyres"]
    assert refused(cars, turn("ana", 3, BOX, pit=wrong, out=[]), dice=[8], laps=2) == "P10"
    order = turn("ana", 3, BOX, pit={"technical": {}}, out=[])
    assert refused(cars, order, dice=[8], laps=2, technical_pit=True) == "P7"


def test_the_path_of_the_way_out_before_p7() -> None:
    cars = [car("ana", "S7.3.3", 3, box="E1")]
    assert refused(cars, turn("ana", 3, BOX, out=["P.0.3"]), dice=[8, 10], laps=2) == "M1"
    assert refused(cars, turn("ana", 3, BOX, out=["PITE1"]), dice=[8, 10], laps=2) == "M1"
    assert refused(cars, turn("ana", 3, BOX, out=["P.0.2", "PITE1"]), dice=[8, 10], laps=2) == "P2"


def test_what_a_car_no_longer_comes_to_is_ignored() -> None:
    """D3: out on the way. R1: finished."""
    rest = {"slip": [slip("S9")], "pit": {}, "out": []}
    out = [car("ana", "S1.1.0", 1, wp={"road": 1})]
    played(out, turn("ana", 1, "S1.1.1", **rest), dice=[1, 1], more={"markers": ["S1.1.1"]})
    played([car("ana", "S7.1.13", 1)], turn("ana", 1, "S1.1.0", **rest), dice=[1])


def test_m1_the_refusal_tells_which_space_of_the_path() -> None:
    state = under_way(*ANA)
    state, _ = GAME.play(state, "ana", {"do": "gear", "gear": 3}, Dice(0))
    with pytest.raises(RuleError) as error:
        GAME.play(state, "ana", {"do": "move", "path": ["S1.1.1", "S1.1.2", "S9"]}, Dice())
    assert (error.value.rule, error.value.move) == ("M1", 3)
    assert error.value.message == "space 3 of the path is not next to the one before"
