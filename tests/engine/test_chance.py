"""Chance: drawn from a committed secret, or given by a scenario; decks and the bag are used up and refilled."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.chance import (
    ChanceError,
    DrawScope,
    SealChance,
    SeededChance,
    commitment,
    common_secret,
    digest,
    number_from,
    pick,
    secret_of_run,
)
from engine.dirt.facts import facts
from engine.dirt.scenario import Given
from engine.dirt.table import Dealer, Table
from tests.games.dirt.engine.scenes import HAIRPIN, RULES, STRAIGHT, Scene, car
from tests.random_examples import examples

SECRET = bytes(range(32))


def draws(chance: SeededChance, count: int = 40) -> list[int]:
    return [chance.number("a die", 6) for _ in range(count)]


def test_the_commitment_is_the_sha_256_of_the_secret() -> None:
    assert commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()


def test_the_same_secret_and_phrases_draw_the_same() -> None:
    """The order in which the phrases arrived does not matter."""
    assert draws(SeededChance(SECRET, ["left", "right"])) == draws(SeededChance(SECRET, ["right", "left"]))
    assert draws(SeededChance(SECRET, ["left"])) != draws(SeededChance(SECRET, ["right"]))
    assert draws(SeededChance(SECRET)) != draws(SeededChance(SECRET[::-1]))


def test_what_is_drawn_is_part_of_the_draw() -> None:
    one, other = SeededChance(SECRET), SeededChance(SECRET)
    assert [one.number("ana", 1000) for _ in range(5)] != [other.number("bo", 1000) for _ in range(5)]


def test_a_run_goes_on_where_it_stopped() -> None:
    whole, half = SeededChance(SECRET), SeededChance(SECRET)
    first = draws(half, 7)
    rest = draws(SeededChance(SECRET, drawn=half.drawn), 33)
    assert first + rest == draws(whole)


def test_all_six_faces_come_up_about_equally_often() -> None:
    """Not a proof of fairness, but it would detect a face that is missing or doubled."""
    seen = Counter(draws(SeededChance(SECRET), 3000))
    assert set(seen) == set(range(6))
    assert max(seen.values()) < 1.3 * min(seen.values())


@given(ends=st.integers(1, 10**9), what=st.text(max_size=20))
@examples(40)
def test_a_draw_lies_within_its_ends(ends: int, what: str) -> None:
    assert 0 <= SeededChance(SECRET).number(what, ends) < ends


@pytest.mark.parametrize("secret", [b"", b"short", SECRET + b"x"])
def test_a_secret_has_256_bits(secret: bytes) -> None:
    with pytest.raises(ChanceError):
        SeededChance(secret)


def test_nothing_comes_out_of_nothing() -> None:
    with pytest.raises(ChanceError):
        SeededChance(SECRET).number("a die", 0)
    with pytest.raises(ChanceError):
        pick(SeededChance(SECRET), "a card", {"spin": 0})
    assert Dealer(SeededChance(SECRET)).token("a token", {"gear/ok": 0}, side=0) is None


def test_a_die_warns_as_often_as_it_has_faces_for() -> None:
    deal = Dealer(SeededChance(SECRET))
    assert sum(deal.die("4", warnings=2, faces=6, shared=False) for _ in range(1500)) == pytest.approx(500, rel=0.15)


def test_given_chance_is_used_in_order_and_runs_out() -> None:
    chance = Given(dice=".!", cards=["spin"], tokens=["gear"], shortcuts=["mud"])
    assert [chance.die("", warnings=1, faces=6, shared=False) for _ in range(2)] == [False, True]
    assert chance.card("", {}, seen=False) is None
    assert chance.card("", {}, seen=True) == "spin"
    assert chance.token("", {}, side=0) == "gear/?"
    assert chance.token("", {}, side=1) == "?/mud"
    for draw in (
        lambda: chance.die("", warnings=1, faces=6, shared=False),
        lambda: chance.card("", {}, seen=True),
        lambda: chance.token("", {}, side=0),
        lambda: chance.token("", {}, side=1),
    ):
        with pytest.raises(ChanceError):
            draw()
    with pytest.raises(ChanceError):
        Given(dice=".x")


def test_a_deck_has_32_cards_and_the_bag_48_tokens() -> None:
    assert {sum(deck.values()) for deck in facts().decks.values()} == {32}
    assert sum(facts().bag.values()) == 48
    sides = [Counter[str](), Counter[str]()]
    for token, count in facts().bag.items():
        for side, shows in enumerate(token.split("/")):
            sides[side][shows] += count
    assert sides == [{"gear": 24, "coast": 11, "brake": 6, "green": 7}, {"ok": 24, "coast": 12, "mud": 12}]


def test_an_empty_deck_is_a_full_one_shuffled() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3))
    scene.state["decks"]["3"] = {"spin": 1}
    scene.state, events = RULES.play_recorded(
        scene.state, "ana", {"do": "turn", "plan": "c:1.3.l"}, SeededChance(SECRET)
    )
    assert [event["back"] for event in events if event["kind"] == "card"] == ["spin"]
    assert sum(scene.state["decks"]["3"].values()) == 0
    scene.state, _ = RULES.play_recorded(scene.state, "ana", {"do": "turn", "plan": "c:2.1.l"}, SeededChance(SECRET))
    assert sum(scene.state["decks"]["3"].values()) == 31


def test_every_time_card_is_the_top_of_its_deck_front_or_back() -> None:
    scene = Scene(STRAIGHT, car("ana", "1.2.l", 3))
    scene.state, _ = RULES.play_recorded(
        scene.state, "ana", {"do": "turn", "plan": "4:1.3.l 5:2.1.l"}, SeededChance(SECRET)
    )
    gear = str(scene.car("ana")["gear"])
    assert {deck: sum(left.values()) for deck, left in scene.state["decks"].items()} == {
        deck: 31 if deck == gear else 32 for deck in "123456"
    }


def test_tokens_leave_the_bag_and_an_empty_bag_gives_none() -> None:
    """The bag is empty: the shortcut draws nothing (own)."""
    road = HAIRPIN
    scene = Scene(road, car("ana", "2.1.r", 4))
    scene.state["bag"] = {"gear/mud": 1}
    order = {"do": "turn", "plan": "c:2.k1.1"}
    scene.state, _ = RULES.play_recorded(scene.state, "ana", order, SeededChance(SECRET))
    assert scene.mud == {"2": {"ana": 1}}
    assert sum(scene.state["bag"].values()) == 0
    again = Scene(road, car("ana", "2.1.r", 4))
    again.state["bag"] = {"gear/mud": 0}
    again.state, _ = RULES.play_recorded(again.state, "ana", order, SeededChance(SECRET))
    assert again.mud == {}


def test_damage_carried_to_the_stage_stays_out_of_the_bag() -> None:
    scene = Scene(STRAIGHT, car("ana", damage={"gear": 2, "brake": 1}))
    assert sum(scene.state["bag"].values()) == 45


def test_chance_is_asked_in_words_that_name_driver_turn_and_die() -> None:
    words: list[str] = []

    class Listening(SeededChance):
        """Records the requests to chance."""

        def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
            words.append(what)
            return super().number(what, ends, by=by)

    scene = Scene(STRAIGHT, car("ana", "1.2.l", 4))
    RULES.play_recorded(scene.state, "ana", {"do": "turn", "plan": "2b:1.3.l"}, Listening(SECRET))
    assert words == ["ana turn 1 move 1 2", "ana turn 1 move 1 brake", "ana turn 1 card of gear 2"]


def test_a_table_works_on_a_copy() -> None:
    scene = Scene(STRAIGHT, "ana")
    table = Table(scene.state, "ana", SeededChance(SECRET))
    table.add_event("wait", rule="M9", gear=0, on_track=True)
    assert not scene.state["drivers"]["ana"]["started"]
    assert table.me["started"]


def test_shared_dice_follow_from_the_words_alone() -> None:
    """Duplicate dice: the same words give the same face, in any order and run."""
    common = bytes(range(32))
    ana = SeededChance(b"a" * 32, ["one"], common=common)
    bo = SeededChance(b"b" * 32, ["two"], common=common)
    words = [f"turn {turn} {die} 1" for turn in range(1, 20) for die in ("3", "coast", "brake")]
    rolled = {what: ana.number(what, 6, by="stage") for what in words}
    assert {what: bo.number(what, 6, by="stage") for what in reversed(words)} == rolled
    assert set(rolled.values()) == set(range(6))
    assert ana.drawn == bo.drawn == 0


# Chance of a run: seal, phrases, salt


PHRASES = digest(["gravel", "zażółć"])


def sealed(*, salt: str = "salt", phrases: str = PHRASES, run: int = 1, drawn: int = 0) -> SealChance:
    return SealChance(secret_of_run(SECRET, run), phrases=phrases, salt=salt, drawn=drawn, common=common_secret(SECRET))


def test_the_bytes_of_a_draw_are_those_of_the_document() -> None:
    """docs/records.md: computed here with hashlib alone."""
    secret = hmac.digest(SECRET, b"run 1", "sha256")
    phrases = hashlib.sha256(b'["gravel","za\\u017c\\u00f3\\u0142\\u0107"]').hexdigest()
    message = f'["run","{phrases}","salt","ana 1",0,0]'.encode()
    assert sealed().number("ana 1", 6) == int.from_bytes(hmac.digest(secret, message, "sha256"), "big") % 6
    message = f'["seat","{phrases}","salt","ana 1",0]'.encode()
    assert sealed().number("ana 1", 6, by="seat") == int.from_bytes(hmac.digest(secret, message, "sha256"), "big") % 6
    common = hmac.digest(SECRET, b"common", "sha256")
    message = f'["stage","{phrases}","ana 1",0]'.encode()
    assert sealed().number("ana 1", 6, by="stage") == int.from_bytes(hmac.digest(common, message, "sha256"), "big") % 6


def test_everything_that_a_draw_is_made_of_changes_it() -> None:
    wide = 10**9
    usual = sealed().number("ana", wide)
    assert sealed().number("ana", wide) == usual
    others = [
        sealed(salt="other").number("ana", wide),
        sealed(phrases=digest(["gravel"])).number("ana", wide),
        sealed(run=2).number("ana", wide),
        sealed(drawn=1).number("ana", wide),
        sealed().number("bo", wide),
        sealed().number("ana", wide, by="seat"),
        sealed().number("ana", wide, by="stage"),
    ]
    assert len({usual, *others}) == 1 + len(others)


def test_a_draw_by_seat_does_not_depend_on_what_was_drawn_before() -> None:
    early, late = sealed(), sealed(drawn=40)
    assert early.number("ana bids", 1000, by="seat") == late.number("ana bids", 1000, by="seat")
    assert (early.drawn, late.drawn) == (0, 40)


def test_a_draw_by_stage_is_the_same_in_each_run_whatever_the_salt() -> None:
    one, other = sealed(run=1, salt="a"), sealed(run=2, salt="b", drawn=9)
    assert [one.number(f"turn {n}", 1000, by="stage") for n in range(9)] == [
        other.number(f"turn {n}", 1000, by="stage") for n in range(9)
    ]
    alone = SealChance(SECRET, phrases=PHRASES)
    with pytest.raises(ChanceError):
        alone.number("turn 1", 6, by="stage")


def test_a_pick_takes_each_copy_of_a_pile_in_the_order_of_the_names() -> None:
    numbers, names = sealed(), sealed()
    pile = {"b": 2, "a": 1, "c": 3}
    assert [pick(names, "card", pile) for _ in range(60)] == ["abbccc"[numbers.number("card", 6)] for _ in range(60)]


def test_numbers_that_would_favour_some_results_are_drawn_again() -> None:
    """Of 2^256 numbers only the first 2^255 + 1 are a multiple of the range: about one draw in two is repeated."""
    ends = 2**255 + 1
    first = [
        int.from_bytes(hmac.digest(SECRET, json.dumps([what, 0], separators=(",", ":")).encode(), "sha256"), "big")
        for what in range(40)
    ]
    again = [what for what in range(40) if first[what] >= ends]
    assert 8 < len(again) < 32
    for what in range(40):
        drawn = number_from(SECRET, [what], ends)
        assert (drawn == first[what]) is (what not in again)


def test_what_was_drawn_is_listed_for_the_record() -> None:
    chance = sealed()
    number = chance.number("ana", 6)
    pick(chance, "card", {"a": 1}, by="seat")
    assert chance.draws == [
        {"what": "ana", "ends": 6, "by": "run", "number": number},
        {"what": "card", "ends": 1, "by": "seat", "number": 0},
    ]
