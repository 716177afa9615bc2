"""The numbers behind the codrivers' decisions, so that none of them changes unnoticed.

No rule says what a position is worth. These numbers are judgement, and `judgement.json` stores their values from a
version that had driven hundreds of stages well. After an intended change, drive those stages again (`python -m engine
drive`) and rewrite the file: `python -m tests.games.dirt.engine.test_codriver_numbers > tests/engine/judgement.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from engine.chance import SeededChance
from engine.dirt.codriver.decisions import NAMES, plan_choice
from engine.dirt.codriver.search import Seat, flat_out, one_by_one
from engine.dirt.codriver.value import LEVELS, Outlook, Value, value_of
from engine.dirt.drive import drive, rating, report_lines
from engine.dirt.moves import read_plan, write_plan
from engine.dirt.plan import lay_out, start, steps
from engine.dirt.road import limits_under_mud
from engine.dirt.turn import AT_ONCE
from tests.games.dirt.engine.rolling import (
    BRAKING,
    BUMP,
    FLAT,
    FLOWN,
    FLYING,
    HAIRPIN,
    HOME,
    RED,
    RISKY,
    SIX,
    STRAIGHT,
    TOO_FAST,
)
from tests.games.dirt.engine.scenes import (
    BUMP_BEND,
    BUMP_FORD,
    RULES,
    Scene,
    car,
    stage_of,
    track_of,
)

FORD: list[Any] = ["202a", "208b", "203a"]
MUDDY: list[Any] = ["202a", "214a", "203a"]
LOW_SHORTCUT: list[Any] = ["202a", "211b", "203a"]
"""Tile 2: slide row, bend (inside 1, outside 2, 2, 2), slide row; a shortcut of limit 2."""
KEPT = Path(__file__).parent / "judgement.json"
PRINTED: dict[str, Any] = {
    "cards": (60, 50, 40, 30, 20, 15, 10), "sisu_card": 10, "gears": 6, "coasts": 2, "brakes": 1, "coast_warnings": 1,
    "damage_carried": False, "sisu_carried": False, "flying_start": True, "redline": True,
}  # fmt: skip
WORTHS: dict[str, tuple[Any, str, dict[str, Any], dict[int, int]]] = {
    **{f"rows, {name}": (STRAIGHT, name, {}, {}) for name in NAMES},
    **{f"a shortcut, {name}": (HAIRPIN, name, {}, {}) for name in NAMES},
    "a bump": (BUMP, "club", {}, {}),
    "a bump in a bend": (BUMP_BEND, "bold", {}, {}),
    "mud": (HAIRPIN, "club", {}, {2: 1}),
    "red": (RED, "club", {"coast_warnings": 2}, {}),
    "another stage to come": (HAIRPIN, "cautious", {"damage_carried": True, "sisu_carried": True}, {}),
    "dice missing": (BUMP, "bold", {"gears": 4, "coasts": 1, "brakes": 0}, {}),
    "no way through a ford": (FORD, "club", {"coasts": 0, "brakes": 0}, {}),
    "no way at all": (MUDDY, "bold", {}, {2: 2}),
    "plain options": (STRAIGHT, "club", {"flying_start": False, "redline": False}, {}),
    "only losses ahead": (LOW_SHORTCUT, "club", {"gears": 2, "coasts": 0, "brakes": 0}, {}),
    "cheap cards": (STRAIGHT, "cautious", {"cards": (20, 13, 12, 11, 10, 9, 8)}, {}),
    "dear cards": (STRAIGHT, "club", {"cards": (600, 500, 400, 300, 200, 150, 100), "sisu_card": 90}, {}),
}
"""Roads on which the worth of every position is computed: for which codriver, with what ahead, with which mud."""


def _worths(name: str) -> dict[str, list[float]]:
    """Return sure seconds, summed over all spaces before the line: a number for each gear (a loss: from 1), without and
    with a SISU token; for the middle of a turn one for each of LEVELS.
    """
    road, codriver, outlook, mud = WORTHS[name]
    track = track_of(road)
    seen = value_of(track, limits_under_mud(track, mud), Outlook(**(PRINTED | outlook)), codriver)
    spaces = [space.index for space in track.spaces if not space.behind_finish]

    def summed(worth: Callable[..., float], gears: range = range(7)) -> list[float]:
        return [
            fsum(seen.seconds(worth(space, gear, has_sisu=lucky)) for space in spaces)
            for lucky in (False, True)
            for gear in gears
        ]

    return {
        "start": summed(seen.start),
        "stop": summed(seen.stop),
        "loss": summed(seen.loss, range(1, 7)),
        "home": [seen.seconds(seen.home(gear, has_sisu=lucky)) for lucky in (False, True) for gear in range(7)],
        "middle": _middles(seen, spaces),
        "tokens": [fsum(seen.token_worth(tokens, space) for space in spaces) for tokens in (0, 1, 2, 5, 20)],
        "markers": [
            fsum(seen.marker_seconds(kind, space) for space in spaces) for kind in ("gear", "coast", "brake", "ok")
        ],
    }


def _middles(seen: Value, spaces: list[int]) -> list[float]:
    aboard = seen.outlook
    damage = {"gear": 6 - aboard.gears, "coast": 2 - aboard.coasts, "brake": 1 - aboard.brakes}
    afters = [
        step.after
        for space in spaces
        for gear in range(7)
        for step in steps(seen.road, start(seen.road, space, gear, damage))
        if not (step.after.loss or step.after.finished)
    ]
    return [fsum(seen.seconds(seen.middle(at)[level]) for at in afters) for level in LEVELS]


CHEAP: dict[str, Any] = {**{f"time_card_{gear}": 14 - gear for gear in range(1, 7)}, "loss_seconds": 20}


def _serviced(road: Any, one: Any) -> Scene:
    """Return a stage with service after its finish and another stage to come, with one SISU token for both."""
    scene = Scene(road, one, last=False, sisu="rally")
    scene.state["stage"]["service"] = True
    return scene


PLACES: dict[str, Callable[[], Scene]] = {
    "grid": lambda: Scene("1/1", "ana"),
    "grid without SISU": lambda: Scene("3/2", "ana", sisu="none"),
    "another stage to come": lambda: Scene("5/3", car("ana", damage={"gear": 3, "coast": 1}), last=False),
    "SISU for this stage": lambda: Scene("5/3", car("ana", damage={"brake": 1}), last=False, sisu="stage"),
    "rolling, some tokens": lambda: Scene("1/1", car("ana", "4.1.l", 3, tokens=3)),
    "rolling, many tokens": lambda: Scene("2/3", car("ana", "3.1.l", 4, tokens=20), sisu="none"),
    "between others": lambda: Scene("4/1", car("bo", "3.1.l", 2), car("ana", "2.1.l", 3), car("cy", "1.2.l", 2)),
    "on a bump": lambda: Scene(BUMP, car("ana", "1.2.l", 2)),
    "a bend that is too near": lambda: Scene(["202a", "210a", "203a"], car("ana", "1.3.l", 6)),
    "the line": lambda: Scene(STRAIGHT, car("ana", "3.1.l", 4)),
    "the line, lucky and more to come": lambda: Scene(STRAIGHT, car("ana", "3.3.l", 5, tokens=2), last=False),
    "redline": lambda: Scene(STRAIGHT, car("ana", "2.1.l", 5, tokens=6), leader_dice=False),
    "service behind the line": lambda: _serviced(HAIRPIN, car("ana", "1.3.l", 5, tokens=3)),
    "service, worn": lambda: _serviced(STRAIGHT, car("ana", "1.3.l", 2, tokens=4, damage={"gear": 4, "coast": 1})),
    "four gear dice missing": lambda: Scene(
        STRAIGHT, car("ana", "2.3.r", 1, damage={"gear": 4}), last=False, sisu="rally", **CHEAP
    ),
    "one token": lambda: Scene(
        ["202a", "210a", "203a"], car("ana", "1.2.l", 3, tokens=1, damage={"gear": 1, "coast": 1}),
        last=False, sisu="rally",
    ),
    "two tokens": lambda: Scene(STRAIGHT, car("ana", "1.2.r", 1, tokens=2), last=False, sisu="service"),
    "before a shortcut": lambda: Scene(HAIRPIN, car("ana", "1.1.r", 2, damage={"gear": 1})),
}  # fmt: skip


def _plans(name: str) -> dict[str, list[Any]]:
    """Return by codriver: how it rolls, its plan, and its value of the plan."""
    found = {}
    for codriver in NAMES:
        scene = PLACES[name]()
        scene.state["queue"] = ["ana", *(one for one in scene.state["queue"] if one != "ana")]
        choice = plan_choice(scene.state, "ana", codriver)
        found[codriver] = [choice.roll, write_plan([step.move for step in choice.plan]), choice.worth]
    return found


SLOWING = "4:1.3.l 3:2.1.l 2:2.2.l 1:2.3.l"
INTO_A_LOSS = "2:1.2.l 3:1.3.l 4:2.1.l 5:2.2.o1"
OVER = "4:3.3.l c:4.1.l c:4.2.l"
TURNS: dict[str, tuple[Any, Any, str, dict[str, Any], str, dict[str, Any]]] = {
    "warned once": (STRAIGHT, car("ana"), SIX, {}, "!.", {}),
    "warned twice": (STRAIGHT, car("ana"), SIX, {}, "!!", {}),
    "warned twice, rich": (STRAIGHT, car("ana", tokens=9), SIX, {}, "!!.", {}),
    "warned twice, spent": (STRAIGHT, car("ana", tokens=3, sisu=False), SIX, {}, "!!ss", {}),
    "lost": (STRAIGHT, car("ana"), SIX, {}, "!!!", {}),
    "lost late": (STRAIGHT, car("ana"), SIX, {}, "..!!.!", {}),
    "lost while slowing": (STRAIGHT, car("ana", "1.2.l", 5), SLOWING, {}, "!!!", {"last": False}),
    "lost before a limit": (HAIRPIN, car("ana", "grid", 2), TOO_FAST, {}, "!!!", {}),
    "under SISU": (STRAIGHT, car("ana"), SIX, {"sisu": AT_ONCE}, "!!!", {}),
    "under SISU before a limit": (HAIRPIN, car("ana", "grid", 2), TOO_FAST, {"sisu": AT_ONCE}, "!!!", {}),
    "failed to fly": (STRAIGHT, car("ana"), FLYING, {}, "!", {}),
    "failed to fly at all": (STRAIGHT, car("ana"), "2:1.2.l", {}, "!", {}),
    "failed to fly flat out": (STRAIGHT, car("ana"), FLYING, {**FLAT, "dice": "!...."}, "", {}),
    "failed to fly two spaces": (STRAIGHT, car("ana"), "2:1.2.l 1:1.3.l", {**FLAT, "dice": "!."}, "", {}),
    "failed to fly, more to come": (STRAIGHT, car("ana"), "2:1.2.l 3:1.3.l", {}, "!", {"last": False}),
    "lost flat out": (STRAIGHT, car("ana"), SIX, {**FLAT, "dice": "!.!.!."}, "", {}),
    "lost flat out, no token": (STRAIGHT, car("ana", sisu=False), SIX, {**FLAT, "dice": "!!!.!."}, "", {}),
    "lost flat out, slow": (STRAIGHT, car("ana", "1.2.l", 5), SLOWING, {**FLAT, "dice": "!!!."}, "", {"last": False}),
    "lost over the line": (STRAIGHT, car("ana", "3.2.l", 5), OVER, {**FLAT, "dice": "!!!"}, "", {"last": False}),
    "failed to fly one space flat out": (STRAIGHT, car("ana"), "2:1.2.l", {**FLAT, "dice": "!"}, "", {}),
    "failed to fly into a loss": (HAIRPIN, car("ana"), INTO_A_LOSS, {**FLAT, "dice": "!..."}, "", {}),
    "failed to fly, worn": (STRAIGHT, car("ana", damage={"gear": 5, "coast": 1}), "2:1.2.l c:1.3.l", {}, "!", {}),
    "failed to fly, worn, flat out": (
        BUMP_FORD, car("ana", "1.2.l", 0, damage={"gear": 1, "coast": 2}, tokens=4), "2:1.3.r 1:2.1.r",
        {**FLAT, "dice": "!!"}, "", {"sisu": "rally"},
    ),
    "one second left": (
        ["202a", "214b", "224a", "203a"], car("ana", "3.2.i2", 1, tokens=5),
        "c:3.3.s1 2:3.3.s2 3:4.1.l 1b:4.2.l", {}, ".ss", {"last": False, "sisu": "service"},
    ),
    "under SISU, one gear die": (
        ["202a", "206b", "203a"], car("ana", "1.1.l", 0, damage={"gear": 5}, tokens=2), "1:1.2.l c:1.3.l c:2.1.l",
        {"sisu": AT_ONCE}, "s!", {"last": False, "sisu": "rally"},
    ),
    "under SISU before an inside": (
        BUMP_BEND, car("ana", damage={"coast": 2}), "1:1.2.r 2:1.3.r 3:2.1.l 4:2.2.r^3.1.s2 5:3.2.i1",
        {"sisu": AT_ONCE}, ".!..", {"sisu": "rally", **CHEAP},
    ),
    "under SISU before a shortcut": (
        HAIRPIN, car("ana", "1.3.l", 1, damage={"gear": 5, "brake": 1}, tokens=10), "2:2.1.s1 c:2.k1.1 c:2.3.s1",
        {"sisu": AT_ONCE}, "s", {"sisu": "service"},
    ),
    "lost flat out in the red": (
        STRAIGHT, car("ana", "grid", 5, damage={"gear": 1}), "6:1.2.l c:1.3.l x:2.1.l c:2.2.l",
        {**FLAT, "dice": "!.!!"}, "", {"last": False, "sisu": "rally", **CHEAP},
    ),
    "a loss is all that is left": (
        HAIRPIN, car("ana", "2.2.o1", 3, tokens=2), "2:2.2.o2 3:2.2.o3", {}, "!", {"sisu": "none"},
    ),
    "before a risky jump": (BUMP, car("ana", "1.2.l", 2), RISKY, {}, ".!", {}),
    "a risky jump failed": (BUMP, car("ana", "1.2.l", 2, sisu=False), RISKY, {**FLAT, "dice": "..!.."}, "", {}),
    "a limit ahead": (HAIRPIN, car("ana", "grid", 2), TOO_FAST, {}, "...", {}),
    "a limit broken flat out": (HAIRPIN, car("ana", "grid", 2), TOO_FAST, {**FLAT, "dice": ".!.!"}, "", {}),
    **{
        f"the wheel for {seconds}": (
            STRAIGHT, car("ana", "1.2.l", 2, damage={"coast": 1}), "1:1.3.l", {}, ".",
            {"last": False, "spare_seconds": seconds},
        )
        for seconds in range(56, 66, 2)
    },
    **{
        f"the wheel for {seconds}, worn": (
            STRAIGHT, car("ana", "1.2.l", 2, damage={"coast": 1, "gear": 4}), "1:1.3.l", {}, ".",
            {"last": False, "spare_seconds": seconds, "flying_start": False},
        )
        for seconds in range(24, 48, 3)
    },
}  # fmt: skip
"""Turns that a person began: road, car, plan, how it was laid, its dice ("s": secured), the setting."""


def _orders(name: str) -> dict[str, Any]:
    """Return by codriver: the next order."""
    road, begun, plan, lay, dice, setting = TURNS[name]
    scene = Scene(road, begun, **setting).order("ana", "lay", plan=plan, **lay)
    for shown in dice:
        scene.order("ana", "secure") if shown == "s" else scene.order("ana", "roll", shown)
    return {codriver: RULES.autopilot(scene.state, "ana", codriver) for codriver in NAMES}


WEIGHED: dict[str, tuple[Any, str, int, str]] = {
    "a risky jump": (BUMP, "1.2.l", 2, RISKY),
    "a jump too far": (BUMP, "1.2.l", 2, FLOWN),
    "a flying start": (STRAIGHT, "grid", 0, FLYING),
    "a limit": (HAIRPIN, "grid", 2, TOO_FAST),
    "brakes": (STRAIGHT, "1.2.l", 4, BRAKING),
    "home": (STRAIGHT, "3.1.l", 4, HOME),
}


def _weighed(name: str) -> list[list[Any]]:
    """Return the club codriver's values of a plan, with and without a SISU token, for the tokens in hand: flat out
    (worth, probability of a loss), one by one from the start, and after its first move with one and with two warnings,
    and with a die secured.
    """
    laid_on, at, gear, text = WEIGHED[name]
    track = track_of(laid_on)
    seen = value_of(track, limits_under_mud(track, {}), Outlook(**PRINTED), "club")
    plan = lay_out(seen.road, start(seen.road, track.index[at], gear, {}), read_plan(text))
    found: list[list[Any]] = []
    for tokens in (0, 2, 9):
        for lucky in (False, True):
            seat = Seat(seen.road, seen, tokens, lucky, coast_warnings=1)
            found += [[*flat_out(seat, plan)], [*one_by_one(seat, plan)]]
            found += [[*one_by_one(seat, plan, made=1, warnings=warnings)] for warnings in (1, 2)]
            if tokens:
                found.append([*one_by_one(seat, plan, made=1, warnings=1, secured=1)])
    return found


STAGES = [("2/3", "cautious", 3), ("5/3", "club", 4), ("4/1", "bold", 2), ("6/3", "club", 1)]


def _driven(stage: str, codriver: str, cars: int) -> dict[str, Any]:
    """Return turns and seconds of each car over a whole stage, and a digest of all its orders."""
    scene = Scene(stage, *("ana", "bo", "cy", "dee")[:cars], last=False)
    chance, given = SeededChance(sha256(f"{stage} {codriver}".encode()).digest()), []
    while scene.next:
        driver = scene.next
        given.append([driver, RULES.autopilot(scene.state, driver, codriver)])
        scene.state, _told = RULES.play(scene.state, driver, given[-1][1], chance)
    cars_in = scene.state["drivers"].items()
    return {
        "cars": {name: [me["turns"], me["stage_time"]] for name, me in cars_in},
        "orders": sha256(json.dumps(given).encode()).hexdigest()[:16],
    }


def _rated() -> dict[str, Any]:
    """Return twelve runs alone: each run, their rating, and the rating in words."""
    laid = stage_of("4/1")
    runs = [run for first in (1, 7) for run in drive(laid, codriver="bold", runs=6, seed=5, first=first)]
    rated = rating(laid, runs)
    return {"runs": runs, "rating": rated, "told": list(report_lines("4/1", "bold", rated))}


def numbers() -> dict[str, Any]:
    """Return all stored numbers."""
    return {
        "worths": {name: _worths(name) for name in WORTHS},
        "plans": {name: _plans(name) for name in PLACES},
        "orders": {name: _orders(name) for name in TURNS},
        "weighed": {name: _weighed(name) for name in WEIGHED},
        "driven": {f"{stage} {codriver} {cars}": _driven(stage, codriver, cars) for stage, codriver, cars in STAGES},
        "rated": _rated(),
    }


@pytest.fixture(scope="module")
def kept() -> Any:
    return json.loads(KEPT.read_text("utf-8"))


@pytest.mark.parametrize("name", WORTHS)
def test_places_are_worth_what_they_were(kept: Any, name: str) -> None:
    worths = _worths(name)
    assert worths.keys() == kept["worths"][name].keys()
    for what, seconds in worths.items():
        assert seconds == pytest.approx(kept["worths"][name][what], rel=1e-9), what


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_they_lay_what_they_laid(kept: Any, name: str) -> None:
    for codriver, (roll, plan, worth) in _plans(name).items():
        assert [roll, plan] == kept["plans"][name][codriver][:2]
        assert worth == pytest.approx(kept["plans"][name][codriver][2], rel=1e-9)


@pytest.mark.parametrize("name", TURNS)
def test_they_continue_the_same_way(kept: Any, name: str) -> None:
    assert _orders(name) == kept["orders"][name]


@pytest.mark.parametrize("name", WEIGHED)
def test_a_plan_weighs_what_it_did(kept: Any, name: str) -> None:
    for (worth, other), (worth_kept, other_kept) in zip(_weighed(name), kept["weighed"][name], strict=True):
        assert worth == pytest.approx(worth_kept, rel=1e-9)
        assert other == (other_kept if isinstance(other, str) else pytest.approx(other_kept, rel=1e-9))


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "codriver", "cars"), STAGES)
def test_whole_stages_are_driven_as_they_were(kept: Any, stage: str, codriver: str, cars: int) -> None:
    assert _driven(stage, codriver, cars) == kept["driven"][f"{stage} {codriver} {cars}"]


def test_a_rating_comes_to_the_same(kept: Any) -> None:
    assert _rated() == kept["rated"]


def written(kept: dict[str, Any]) -> str:
    """Return the content of the file: a line for each name, so that a diff shows what changed."""
    parts = [
        f"{json.dumps(part)}: {{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(it)}" for name, it in names.items())
        for part, names in kept.items()
    ]
    return "{\n" + "\n},\n".join(parts) + "\n}\n}"


if __name__ == "__main__":
    print(written(numbers()))
