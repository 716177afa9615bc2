"""Odds: the outcomes of a step that draws, compared with all its outcomes played out; the worth of markers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from engine.contract import Odds, RuleError, offered
from engine.dust import odds, scenario
from engine.dust.cards.card_set import CardSet
from engine.dust.codriver.step_outcomes import outcomes
from engine.dust.turn.step_context import Turn
from tests.games.dust.engine.scenes import OWN, card_set, document, laid, probe
from tests.games.dust.engine.tables import GAME, begun, post


def stood(steps: Sequence[str] = ("prepare",), cards: CardSet = OWN, **start: Any) -> Turn:
    """Return Ana's turn after these steps."""
    drivers = {"ana": {"driver": "harry", **start}}
    table, error = scenario.ended(document(*([("ana", steps)] if steps else []), drivers=drivers), cards)
    assert error is None, error
    return Turn(table, "ana", cards, None)


def exact(pairs: Sequence[dict[str, Any]], key: str = "number") -> dict[int, Fraction]:
    return {one[key]: Fraction(*one["chance"]) for one in pairs if one["chance"][0]}


def counted(turn: Turn, step: str, what: Any) -> dict[Any, Fraction]:
    """Return the outcomes of a step, by playing out everything that can be drawn."""
    found: dict[Any, Fraction] = {}
    for chance, after in outcomes(turn, step):
        key = what(after.me)
        found[key] = found.get(key, Fraction(0)) + chance
    return found


@pytest.mark.parametrize("flipped", [0, 3, 6, 7])
@pytest.mark.parametrize("hits", [0, 2, 4])
def test_r3_r5_what_a_risk_can_bring(flipped: int, hits: int) -> None:
    turn = stood(flipped=flipped, hits=hits)
    told = odds.of_step(turn, "risk")
    assert (told["draws"], told["risk"]["dice"], told["risk"]["next_token"]) == (["risk"], 1, 5 - hits)
    assert exact(told["risk"]["tokens"]) == counted(turn, "risk", lambda me: me["flipped"] - flipped)
    assert Fraction(*told["risk"]["wrecked"]) == counted(turn, "risk", lambda me: me["phase"] == "out").get(True, 0)
    assert exact(told["risk"]["popularity"]) == counted(turn, "risk", lambda me: me["popularity"])
    assert told["risk"]["expected_hits"] == [5, 3]


def test_r4_three_risk_dice_are_one_roll() -> None:
    turn = stood((), risk=3, hits=1, deck=[], hand=[])
    told = odds.of_step(turn, "prepare")["risk"]
    assert exact(told["tokens"]) == counted(turn, "prepare", lambda me: me["flipped"])
    assert (told["dice"], told["expected_hits"]) == (3, [5, 1])
    assert sum(exact(told["hits"]).values()) == sum(exact(told["tokens"]).values()) == 1


def test_c2_what_a_boost_die_can_show_and_open() -> None:
    cards = probe("set all 2; boost")
    board = {**laid(s3="bolts", s2="ready"), "6": {"card": "under-way", "covered": True}}
    turn = stood(("prepare", "use 3 p"), cards, board=board)
    told = odds.of_step(turn, "do 1")["dice"]
    assert exact(told["values"], "value") == dict.fromkeys(range(1, 7), Fraction(1, 6))
    assert [one["opens"] for one in told["values"]] == [None, "ready", "bolts", None, None, None]
    assert [one["active"] for one in told["values"]] == [0, 2, 0, 0, 0, 0], (
        "the dice are set before the boost die rolls"
    )


def test_c2_three_player_dice_at_once() -> None:
    told = odds.of_step(stood(()), "prepare")
    assert told["dice"]["values"][0]["chance"] == [91, 216]
    assert "popularity" not in told and "risk" not in told


def test_e7_a_die_that_is_rolled_again_is_not_counted() -> None:
    told = odds.of_step(stood(("prepare", "use 3 p"), probe("reroll"), board=laid(s3="bolts")), "do 1 p2")["dice"]
    assert [one["active"] for one in told["values"]] == [1, 0, 0, 0, 0, 0]


def test_d2_the_popularity_die_of_its_holder() -> None:
    told = odds.of_step(stood((), popularity=3), "prepare")["popularity"]
    assert [(one["value"], one["chance"]) for one in told] == [(0, [1, 3]), (1, [1, 3]), (2, [1, 3])]


@pytest.mark.parametrize(
    ("deck", "top", "discard"),
    [
        (["bolts", "ready", "ready", "turbo"], [], ["roadbook"]),
        (["bolts", "ready", "ready", "turbo"], ["fan-zone"], []),
        (["bolts"], [], ["ready", "ready", "turbo"]),
        ([], ["fan-zone", "turbo"], ["ready", "bolts"]),
        ([], [], ["ready"]),
    ],
)
def test_q4_the_chance_of_each_card_to_be_drawn(deck: list[str], top: list[str], discard: list[str]) -> None:
    start = {"deck": deck, "top": top, "discard": discard, "board": laid(s3="bolts")}
    turn = stood(("prepare", "use 3 p"), probe("draw 2"), hand=["bolts"] * 5, **{**start, "deck": deck})
    turn.me["hand"] = ["bolts"]
    turn.me.update(deck=deck, top=top, discard=discard)  # type: ignore[typeddict-item]
    told = odds.of_step(turn, "do 1")["cards"]
    seen: Counter[str] = Counter()
    chances: dict[str, Fraction] = {}
    for chance, after in outcomes(turn, "do 1"):
        new = Counter(after.me["hand"])
        new.subtract(["bolts"])
        seen += new
        for card in set(new.elements()):
            chances[card] = chances.get(card, Fraction(0)) + chance
    certain = {card for card, chance in chances.items() if chance == 1}
    assert set(told["known"]) == certain
    assert {card: Fraction(*pair) for card, pair in told["chances"].items() if card not in certain} == {
        card: chance for card, chance in chances.items() if card not in certain
    }


def test_q3_cards_that_are_given_up_may_be_drawn_again() -> None:
    turn = stood((), hand=["bolts", "ready"], deck=["turbo"])
    told = odds.of_step(turn, "prepare bolts")["cards"]
    assert told == {"known": ["bolts", "turbo"], "number": 0, "chances": {}}


def test_v2_what_markers_are_worth_if_the_car_stays_or_moves() -> None:
    turn = stood((), space="A1", popularity=12, markers={"1": 1, "4": 2})
    first, second = odds.markers(turn)
    assert (first["card"], first["falls"], second["card"], second["falls"], second["markers"]) == (1, True, 4, False, 2)
    assert first["stays"] == {"space": "A1", "speed": 0, "popularity": 3}, "popularity has a limit (D6)"
    assert (first["left"], second["right"]) == (None, {"space": "A2", "speed": 6, "popularity": 0})
    assert [one["space"] for one in first["shift"]] == ["B1", "B2"]
    turn.me["phase"] = "out"
    assert odds.markers(turn) == []


def test_odds_of_a_post_are_those_of_its_first_step_that_draws() -> None:
    assert offered(GAME, Odds) is GAME
    state, _ = post(begun("ana bo"), "ana", "prepare")
    card = state["drivers"]["ana"]["hand"][0]
    told = GAME.odds(state, "ana", {"do": "steps", "steps": [f"play {card} 1", "risk", "end"]})
    assert (told["step"], told["draws"], told["markers"]) == (2, ["risk"], [])
    assert GAME.odds(state, "ana", {"do": "steps", "steps": [f"play {card} 1"]})["step"] == 0
    with pytest.raises(RuleError) as refused:
        GAME.odds(state, "ana", {"do": "steps", "steps": [f"play {card} 1", "place 9", "risk"]})
    assert (refused.value.rule, refused.value.move) == ("N1", 2)
    assert GAME.choices(state, "ana").facts == {"markers": []}


def test_odds_are_plain_json_and_of_every_step_that_draws() -> None:
    cards = card_set({"bolts": [{"do": "boost; risk"}]})
    turn = stood(("prepare", "use 3 p"), cards, board=laid(s3="bolts"))
    told = odds.of_step(turn, "do 1")
    assert told["draws"] == ["dice", "risk"] and set(told) == {"draws", "dice", "risk"}
    assert odds.of_step(turn, "done") == {"draws": []}


def test_outcomes_have_exact_chances_and_stand_for_others_where_there_are_many() -> None:
    """Three cards out of ten: all combinations, or a few evenly chosen ones, always with probabilities that sum
    to one.
    """
    start = {"deck": sorted(OWN.cards)[:10], "board": laid(s3="bolts")}
    turn = stood(("prepare", "use 3 p"), probe("draw 3"), hand=["bolts"] * 5, **start)
    every = list(outcomes(turn, "do 1"))
    few = list(outcomes(turn, "do 1", (4, 2, 1)))
    assert (len(every), len(few)) == (720, 8)
    assert sum(chance for chance, _ in every) == sum(chance for chance, _ in few) == 1
    assert {chance for chance, _ in every} == {Fraction(1, 720)}
