"""Drivers with an ordinary token who try to draw twice, or to read dice that all cars share: by orders that are refused
once something was drawn for them. Every refusal comes before the first draw, so it is the same whatever the dice are.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from championship.api.scopes import Scope
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from engine import registry
from tests.championship.api.factories import Program, program_of
from tests.championship.openstage.factories import opened
from tests.championship.runs.factories import on_the_road, starters
from tests.factories import make_user
from tests.games.dust.pages import scenes as dust
from tests.games.formula_d.pages import tables as formula_d

pytestmark = pytest.mark.django_db

SALTS = 8
"""How many salts are tried for each order. Each gives other dice."""
scopes = pytest.mark.parametrize("scope", [Scope.PLAY, Scope.BOT])


@pytest.fixture(autouse=True)
def unlimited(settings: Any) -> None:
    """The limit of the API is for a minute. Somebody with patience, or with many tokens, sends as many orders."""
    settings.API_LIMITS = {"read": 100_000, "write": 100_000, "address": 100_000}


def token_of(entry: Entry, scope: str) -> Program:
    if scope == Scope.BOT:
        entry.driver.is_bot = True
        entry.driver.save(update_fields=["is_bot"])
    return program_of(entry.driver, scope)


def plans(run: Run, seat: str, most: int = 7) -> Iterator[str]:
    """Yield a plan of DIRT that gets longer move by move, in the highest gears."""
    rules: Any = registry.get("dirt")
    draft = ""
    for _ in range(most):
        ways = rules.choices(run.state, seat, draft).ways
        if not ways:
            return
        draft = rules.extend(draft, max(ways, key=lambda way: way.text).text)
        yield draft


def assert_refused_alike(program: Program, run: Run, orders: dict[str, Any]) -> None:
    """Check that orders are refused with one and the same answer, whatever the dice are, and change nothing."""
    run.refresh_from_db()
    before = (run.version, run.drawn, run.state, run.posts.count())
    answers = set()
    for _ in range(SALTS):
        sent = {"orders": orders, "version": run.version, "salt": secrets.token_hex(16)}
        answer = program.post(f"runs/{run.key}/turns", sent)
        answers.add((answer.status_code, answer.content))
    assert len(answers) == 1, f"the refusal of {orders} says something about the dice: {answers}"
    assert next(iter(answers))[0] == 422, answers
    run.refresh_from_db()
    assert (run.version, run.drawn, run.state, run.posts.count()) == before


def whole_turns_of_dirt(run: Run, seat: str) -> Iterator[dict[str, Any]]:
    for plan in list(plans(run, seat))[::2]:
        for more in ({}, {"relay": "zzz"}, {"relay": plan}, {"spare": True}):
            yield {"do": "turn", "plan": plan, "roll": "flat out", **more}
        yield {"do": "turn", "plan": plan, "roll": "one by one", "spare": True}


@scopes
def test_dirt_takes_no_whole_turn(scope: str) -> None:
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    program = token_of(ana, scope)
    for orders in whole_turns_of_dirt(run, str(ana.start_number)):
        assert_refused_alike(program, run, orders)


def test_dice_that_all_cars_share_are_not_told_by_refusals() -> None:
    """The same orders against ten different seals: neither the answer nor the state tells them apart."""
    run, [ana] = on_the_road("Ana", mode=Rally.Mode.OPEN_ROAD, options={"dice": "duplicate"})
    program, seat = token_of(ana, Scope.PLAY), str(ana.start_number)
    (*_shorter, longest) = plans(run, seat)
    orders = {"do": "turn", "plan": longest, "roll": "flat out", "relay": "zzz"}
    answers = set()
    for _ in range(10):
        Run.objects.filter(pk=run.pk).update(common=secrets.token_bytes(32))
        answer = program.post(f"runs/{run.key}/turns", {"orders": orders, "version": 0})
        answers.add((answer.status_code, answer.content))
    assert len(answers) == 1 and next(iter(answers))[0] == 422
    run.refresh_from_db()
    assert run.version == 0


def test_the_open_stage_is_not_read_before_it_is_driven() -> None:
    from championship.openstage import services

    person = make_user("Ana")
    opened()
    run = services.drive(by=person)
    (entry,) = starters(run)
    program = token_of(entry, Scope.PLAY)
    if run.game != "dirt":
        pytest.skip("the open stage of this week is of another game")
    for orders in whole_turns_of_dirt(run, str(entry.start_number)):
        assert_refused_alike(program, run, orders)


def shortest_way_along(run: Run, spaces: int) -> list[str]:
    """Return the spaces straight ahead of the car that is to play: a path that somebody computes before the roll."""
    from engine.formula_d.race import track_of

    track = track_of(run.state)
    car = run.state["cars"][registry.get("formula_d").to_play(run.state)[0]]
    path, space = [], track.index[car["space"]]
    for _ in range(spaces):
        space = track.ahead[space]
        path.append(track.spaces[space])
    return path


@scopes
def test_formula_d_takes_no_path_that_was_computed_before_the_roll(scope: str) -> None:
    run, _entries = formula_d.on_the_grid("Ana", "Bo")
    program = token_of(formula_d.playing(run), scope)
    for spaces in (0, 1, 2, 3):
        assert_refused_alike(program, run, {"gear": 1, "path": shortest_way_along(run, spaces)})
        assert_refused_alike(program, run, {"do": None, "gear": 1, "path": shortest_way_along(run, spaces)})


@pytest.mark.parametrize("orders", [{}, {"gear": None}, {"gear": 0}, {"gear": 2}, {"gear": 6}, {"gear": "1"}])
def test_a_car_at_the_start_cannot_wish_for_a_great_start_or_a_stall(orders: dict[str, Any]) -> None:
    """No gear is legal only for a car with a great start, gear 2 only for a car that stalls."""
    run, _entries = formula_d.on_the_grid("Ana", "Bo", start_roll=True)
    program = token_of(formula_d.playing(run), Scope.PLAY)
    assert_refused_alike(program, run, {"do": "gear", **orders})


@pytest.mark.parametrize("qualifying", [{"gear": 1, "path": []}, {"do": "gear"}, {"do": "gear", "gear": 2}])
def test_qualifying_is_refused_before_the_roll(qualifying: dict[str, Any]) -> None:
    run, _entries = formula_d.on_the_grid("Ana", "Bo", qualifying=True)
    program = token_of(formula_d.playing(run), Scope.PLAY)
    assert_refused_alike(program, run, qualifying)


@scopes
def test_dust_refuses_a_post_before_its_first_draw_and_stops_at_it(scope: str) -> None:
    """A wrong step before the draw refuses the post. A wrong step after it does not: the driver decides the rest."""
    run, (ana, _bo) = dust.on_the_road("Ana", "Bo")
    program = token_of(ana, scope)
    for steps in (["play zzz 1", "prepare"], ["do 1", "prepare"], ["risk"], ["prepare zzz"], ["prepare zzz", "end"]):
        assert_refused_alike(program, run, {"do": "steps", "steps": steps})
    orders = {"do": "steps", "steps": ["prepare", "play zzz 9", "reroll p1", "end"]}
    answer = program.post(f"runs/{run.key}/turns", {"orders": orders, "version": 0, "salt": secrets.token_hex(16)})
    assert answer.status_code == 200, answer.content
    assert answer.json()["played"]
