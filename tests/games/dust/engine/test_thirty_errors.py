"""A card set with thirty different errors: each is reported with its card, its line, its rule and its reason."""

from __future__ import annotations

import pytest

from engine.dust.cards import card_set_reading
from engine.dust.cards.faults import CardSetError
from engine.dust.setup import SetupRefused
from tests.games.dust.engine.tables import begun
from tests.games.dust.engine.test_card_sets import TEXT, line_of

FAULTS = (
    ("format = 1", "format = 7", "card set", "E10", "format is not 1"),
    ('version = "1.0"', "version = 3", "card set", "E10", "version is not a text"),
    ('risk = ["0/0"', 'risk = ["many"', "dice", "C2", "'many' is not written as hits/popularity"),
    ('"2", "2", "-", "-"]', '"2", "2", "?", "-"]', "dice", "C2", "'?' is neither a value nor '-'"),
    ("hand = 5", "hand = -5", "limits", "C1", "hand is less than 0"),
    ("markers = 10", 'markers = "ten"', "limits", "C1", "markers is not a whole number"),
    ("slots = [6, 5", "slots = [6, 6", "team_board", "C3", "slots are the values 1 to 6, each once"),
    ('centre = "A3"', 'centre = "D3"', "cockpit", "M1", "'D3' is no space of the track"),
    ('"grey",   speed = 4', '"green",  speed = 4', "cockpit", "M6", "a space has a zone: one of red"),
    ('down = [["B1", "B2"]', 'down = [["A1", "B2"]', "cockpit", "M4", "down leads to spaces of the other row"),
    ('"shift" },\n  { do = "traction 1"', '"drift" },\n  { do = "traction 1"', "under-way", "E7", "not an operation"),
    ('pay = "keys 1", do = "repair 1"', 'pay = "keys", do = "repair 1"', "bolts", "E1", "not written as RESOURCE N"),
    ('"nudge" },\n  { do = "keys 1" }', '"nudge" },\n  { when = "red" }', "engine-tuning", "E1", "do is missing"),
    ('pay = "popularity 2", do', 'pay = "speed 2", do', "harry-showman", "E2", "cannot be paid"),
    ('"yellow", do = "popularity 1', '"purple", do = "popularity 1', "harry-crowd", "E3", "is not a condition"),
    ('"set one 5 6"', '"set one 5 7"', "harry-dial", "E7", "no die shows 7"),
    ('"void; discard this"', '"void; discard any"', "sofia-nerves", "E9", "nothing after void takes an argument"),
    ('"traction 3; risk"', '"risk; traction 3"', "sofia-limit", "E8", "risk must be the last operation"),
    ('"traction 1 per risk"', '"traction 1 per fans"', "sofia-edge", "E7", "'fans' cannot be counted"),
    ('driver = "aiko"\ncopies = 1', 'driver = "ayrton"\ncopies = 1', "aiko-memory", "C4", "'ayrton' is not one of"),
    ('driver = "aiko"\ncopies = 2', 'driver = "aiko"\ncopies = 0', "aiko-lighten", "C4", "copies is less than 1"),
    ('"take 1-2"', '"take 2-1"', "ferenc-scout", "E7", "the first number is over the second"),
    ("cost = 1\npoints = 0", "cost = -1\npoints = 0", "tyre-change", "C5", "cost is less than 0"),
    ('name = "roadbook"\ntitle', 'name = "road book"\ntitle', "road book", "C4", "a name has no blanks"),
    ("number = 6\ncost = 3", "number = 16\ncost = 3", "fan-zone", "C4", "number is over 9"),
    ('name = "turbo"', 'name = "drift-school"', "drift-school", "C4", "another card has this name"),
    ('set = "advanced"\nnumber = 1\n', 'set = "expert"\nnumber = 1\n', "quick-swap", "C4", "set is one of start"),
    ('"lose keys 1; speed 1", must', '"lose keys 1; speed 1", pay = "keys 1", must', "flat-out", "E9", "has no pay"),
    ('move = "right 3", effects = [{ do = "boost" }]', 'move = "back 3"', "saltwind 7", "C5", "move is not written as"),
    ('[{ when = "grey", do = "speed 2" }]', '[{ passive = true, do = "speed 2" }]', "oldtown 10", "E9", "no passive"),
)  # fmt: skip
"""Each change to our own set: the old text, the new text, and the reported error."""


def test_e10_thirty_different_faults_are_each_named_with_card_line_rule_and_reason() -> None:
    text, begins = TEXT, []
    for old, new, *_ in FAULTS:
        assert old.count("\n") == new.count("\n"), "lines stay where they are"
        begins.append(line_of(text, old))
        text = text.replace(old, new, 1)
    assert len({(rule, reason) for *_, rule, reason in FAULTS}) == len(FAULTS) == 30
    faults = card_set_reading.survey(text)
    for (_, new, card, rule, reason), first in zip(FAULTS, begins, strict=True):
        lines = range(first, first + new.count("\n") + 1)
        named = [one for one in faults if (one.card, one.rule) == (card, rule) and reason in one.reason()]
        assert [one for one in named if one.line in lines], (card, rule, reason, [str(one) for one in faults])
    with pytest.raises(CardSetError) as refused:
        card_set_reading.read(text)
    assert len(refused.value.faults) >= 30


def test_e10_errors_are_translated() -> None:
    polish = {
        "line %(line)d: %(fault)s": "wiersz %(line)d: %(fault)s",
        "effect %(number)d: %(fault)s": "efekt %(number)d: %(fault)s",
        "%(word).40r is not an operation": "%(word).40r nie jest operacją",
        "card set": "zestaw kart",
        "format is not %(format)d": "format inny niż %(format)d",
    }
    text = TEXT.replace('do = "nudge"', 'do = "fly"', 1).replace("format = 1", "format = 2")
    with pytest.raises(CardSetError) as refused:
        card_set_reading.read(text)
    said = refused.value.words(lambda template: polish.get(template, template))
    assert "zestaw kart: E10: format inny niż 1" in said
    assert "engine-tuning: E7: efekt 1: 'fly' nie jest operacją" in said and "wiersz" in said
    assert "line " not in said


def test_o6_the_refusal_of_a_set_up_is_translated_with_its_rule() -> None:
    with pytest.raises(SetupRefused) as refused:
        begun("a b c d e")
    assert (refused.value.rule, refused.value.template) == ("U1", "%(least)d to %(number)d drivers")
    assert refused.value.message == "U1: 1 to 4 drivers"
    assert refused.value.words(lambda _: "od %(least)d do %(number)d") == "U1: od 1 do 4"
