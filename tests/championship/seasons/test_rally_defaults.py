"""What a missed deadline costs in a season whose rallies are won in different units."""

from __future__ import annotations

from championship.seasons import rally_defaults

KEPT = {"game": "dirt", "timekeeping": {"miss_penalty": 40}, "penalties": {"points": 5}}


def penalty(kept: rally_defaults.Settings, game: str) -> int:
    """The penalty for a missed deadline with which a new rally of the game begins."""
    found = rally_defaults.from_json({**rally_defaults.default_settings(), **kept}, game)
    assert not {"game", "penalties"} & set(found), "a rally knows one unit"
    return int(found["timekeeping"]["miss_penalty"])


def test_each_rally_takes_the_penalty_that_is_given_in_its_unit() -> None:
    assert (penalty(KEPT, "dirt"), penalty(KEPT, "formula_d")) == (40, 5)


def test_a_penalty_in_seconds_is_not_used_for_points() -> None:
    assert penalty({**KEPT, "penalties": {}}, "formula_d") == 0
    assert penalty({"timekeeping": {"miss_penalty": 40}, "game": "dirt"}, "dust") == 0


def test_the_form_of_another_game_keeps_what_each_unit_costs() -> None:
    initial = rally_defaults.as_initial({**rally_defaults.default_settings(), **KEPT}, "formula_d")
    assert (initial["miss_penalty"], initial["miss_penalty_seconds"]) == (5, 40)
