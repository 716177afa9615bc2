"""Parsing a card set: E1 to E10, and the other printed tables (C, U4, U5, T2)."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from engine.dust.cards import card_set_reading, effects, lines
from engine.dust.cards.faults import CardSetError

TEXT = files("engine.dust").joinpath("data/cards.toml").read_text("utf-8")
DIAL = '{ do = "set one 5 6" }'
"""The first effect of harry-dial, a team card."""
STAGE = '{ when = "grey", do = "speed 2" }'
"""The effect of the last card of oldtown."""


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_c1_our_own_set_has_no_fault() -> None:
    assert card_set_reading.survey(TEXT) == ()
    assert card_set_reading.own().cards["roadbook"].cost == 3


@pytest.mark.parametrize(
    ("rule", "effect"),
    [
        ("E1", '{ when = "red" }'),
        ("E1", '{ do = "keys 1", cost = 1 }'),
        ("E1", "{ do = 3 }"),
        ("E1", '{ do = "keys 1", must = 1 }'),
        ("E1", '{ do = "keys 1", passive = "yes" }'),
        ("E1", '{ do = "keys 1", when = "" }'),
        ("E1", '{ do = "keys 1", pay = "keys" }'),
        ("E1", '{ do = "keys 1", passive = true }, { do = "keys 1", passive = true }'),
        ("E2", '{ do = "keys 1", pay = "speed 1" }'),
        ("E2", '{ do = "lose speed 1" }'),
        ("E3", '{ when = "faster", do = "keys 1" }'),
        ("E3", '{ when = "risk>2", do = "keys 1" }'),
        ("E3", '{ when = "die=7", do = "keys 1" }'),
        ("E3", '{ when = "die=4-2", do = "keys 1" }'),
        ("E3", '{ when = "kind=risk", do = "keys 1" }'),
        ("E3", '{ when = "die=3", passive = true, do = "keys 1" }'),
        ("E3", '{ when = "kind=boost", passive = true, do = "keys 1" }'),
        ("E7", '{ do = "" }'),
        ("E7", '{ do = "keys 1;" }'),
        ("E7", '{ do = "fly" }'),
        ("E7", '{ do = "keys" }'),
        ("E7", '{ do = "keys -1" }'),
        ("E7", '{ do = "keys +1" }'),
        ("E7", '{ do = "keys 1 per" }'),
        ("E7", '{ do = "keys 1 per fans" }'),
        ("E7", '{ do = "keys 1 per 0 dice" }'),
        ("E7", '{ do = "keys 1 per dice max" }'),
        ("E7", '{ do = "keys 1 each dice" }'),
        ("E7", '{ do = "lose keys" }'),
        ("E7", '{ do = "move up 1" }'),
        ("E7", '{ do = "shift 1" }'),
        ("E7", '{ do = "set one" }'),
        ("E7", '{ do = "set one 7" }'),
        ("E7", '{ do = "set all 1 2" }'),
        ("E7", '{ do = "set both 1" }'),
        ("E7", '{ do = "discard" }'),
        ("E7", '{ do = "remove all" }'),
        ("E7", '{ do = "cover left" }'),
        ("E7", '{ do = "take 2" }'),
        ("E7", '{ do = "take 3-1" }'),
        ("E7", '{ do = "swap 1" }'),
        ("E7", '{ do = "repair 1 2" }'),
        ("E7", '{ do = "draw" }'),
        ("E8", '{ do = "risk; keys 1" }'),
        ("E8", '{ do = "risk; risk" }'),
        ("E8", '{ do = "boost; keys 1" }'),
        ("E8", '{ do = "boost; keys 1; risk" }'),
        ("E8", '{ do = "draw 1; boost" }'),
        ("E8", '{ do = "reroll; draw 1; risk" }'),
        ("E9", '{ do = "keys 1", must = true, pay = "keys 1" }'),
        ("E9", '{ do = "keys 1", must = true, passive = true }'),
        ("E9", '{ do = "void" }'),
        ("E9", '{ do = "keys 1; void", passive = true }'),
        ("E9", '{ do = "void; void", passive = true }'),
        ("E9", '{ do = "void; swap", passive = true }'),
        ("E9", '{ do = "void; move 1", passive = true }'),
        ("E9", '{ do = "void; discard any", passive = true }'),
        ("E9", '{ do = "discard this; remove this", passive = true }'),
        ("E9", '{ do = "discard this; discard any", passive = true }'),
        ("E9", '{ do = "discard all; remove this", passive = true }'),
        ("E9", '{ do = "remove any; remove this", passive = true }'),
        ("E9", '{ do = "swap; discard this", passive = true }'),
        ("E9", '{ do = "return; discard this", passive = true }'),
    ],
)
def test_a_fault_of_an_effect_names_card_line_and_rule(rule: str, effect: str) -> None:
    text = TEXT.replace(DIAL, effect)
    with pytest.raises(CardSetError) as refused:
        card_set_reading.read(text)
    fault = refused.value.faults[0]
    assert (fault.card, fault.line, fault.rule) == ("harry-dial", line_of(text, effect), rule), str(fault)
    assert "harry-dial" in refused.value.message


@pytest.mark.parametrize(
    ("rule", "effect"),
    [
        ("E3", '{ when = "die=3", do = "keys 1" }'),
        ("E3", '{ when = "kind=player", do = "keys 1" }'),
        ("E9", '{ passive = true, do = "keys 1" }'),
        ("E9", '{ do = "discard this" }'),
        ("E9", '{ do = "remove this" }'),
    ],
)
def test_e3_e9_a_stage_card_takes_less(rule: str, effect: str) -> None:
    text = TEXT.replace(STAGE, effect)
    fault = card_set_reading.survey(text)[0]
    assert (fault.card, fault.line, fault.rule) == ("oldtown 10", line_of(text, effect), rule)


@pytest.mark.parametrize(
    "effect",
    [
        '{ do = "boost; risk" }',
        '{ do = "reroll; risk", pay = "popularity all" }',
        '{ do = "draw 2" }',
        '{ do = "keys 1 per 2 empty max 3; discard this; swap; set all 6", must = true }',
        '{ do = "void; discard this; cover left 1; set all 2; draw 1; risk", passive = true, pay = "keys all" }',
        '{ do = "discard this; cover any; take 0-9", passive = true }',
        '{ when = "red holder risk>=0 die=1-6 kind=popularity", do = "move 2; return; speed 1 per paid" }',
        '{ do = "move left 0;shift;  centre" }',
    ],
)
def test_e7_what_chapter_e_allows_is_read(effect: str) -> None:
    assert card_set_reading.survey(TEXT.replace(DIAL, effect)) == ()


@pytest.mark.parametrize(
    ("old", "new", "name", "rule"),
    [
        ('name = "turbo"', 'name = "bolts"', "bolts", "C4"),
        ('name = "turbo"', 'name = "two words"', "two words", "C4"),
        ('name = "turbo"', "name = 3", "card 24", "C4"),
        ('set = "advanced"\nnumber = 1\n', 'set = "expert"\nnumber = 1\n', "quick-swap", "C4"),
        ("number = 9\ncost = 5\npoints = 1", "number = 10\ncost = 5\npoints = 1", "racing-line", "C4"),
        ("cost = 1\npoints = 0", "points = 0", "tyre-change", "C5"),
        ("cost = 1\npoints = 0", "cost = -1\npoints = 0", "tyre-change", "C5"),
        ("cost = 1\npoints = 0", "cost = 1\npoints = 1.5", "tyre-change", "C5"),
        ('driver = "aiko"\ncopies = 1', 'driver = "ayrton"\ncopies = 1', "aiko-memory", "C4"),
        ('driver = "aiko"\ncopies = 1', 'driver = "aiko"\ncopies = 0', "aiko-memory", "C4"),
        ('{ cost = 6, move = "left 3", star = true }', '{ cost = 6, move = "back 3" }', "saltwind 10", "C5"),
        ('{ cost = 6, move = "left 3", star = true }', '{ cost = 6, star = "yes" }', "saltwind 10", "C5"),
        ('{ cost = 6, move = "left 3", star = true }', '{ move = "left 3" }', "saltwind 10", "C5"),
        ("hand = 5", "hand = -5", "limits", "C1"),
        ("keys = 10", "", "limits", "C1"),
        ('risk = ["0/0"', 'risk = ["0-0"', "dice", "C2"),
        ('popularity = ["1"', 'popularity = ["x"', "dice", "C2"),
        ("slots = [6, 5", "slots = [6, 6", "team_board", "C3"),
        ('centre = "A3"', 'centre = "C3"', "cockpit", "M1"),
        ('{ zone = "grey",   speed = 4 }', '{ zone = "green", speed = 4 }', "cockpit", "M6"),
        ('down = [["B1", "B2"]', 'down = [["A1", "B2"]', "cockpit", "M4"),
        ('up = [["A1"], ', "up = [", "cockpit", "M4"),
        ("popularity_first = 3", "", "score", "F2"),
        ('basic = ["tyre-change"', 'basic = ["tyre-swap"', "basic", "U5"),
        ('basic = ["tyre-change"', 'basic = ["bolts"', "basic", "U5"),
        ('basic = ["tyre-change"', 'basic = ["differential"', "basic", "U5"),
        ('training = ["tyre-change"', 'training = ["none"', "training", "T2"),
        ('training = ["tyre-change"', 'training = ["split-times"', "training", "T2"),
        ('deck = ["tyre-change"', 'deck = ["none"', "training", "T2"),
        ('harry = "Harry Jordan"', "harry = 7", "harry", "U1"),
        ("format = 1", "format = 2", "card set", "E10"),
    ],
)
def test_c_faults_outside_effects_are_named_too(old: str, new: str, name: str, rule: str) -> None:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    faults = card_set_reading.survey(text)
    assert (name, rule) in {(fault.card, fault.rule) for fault in faults}, [str(fault) for fault in faults]
    assert all(fault.line for fault in faults if fault.card == name and old != "keys = 10")
    with pytest.raises(CardSetError):
        card_set_reading.read(text)


def test_e10_all_errors_are_reported_at_once_in_the_order_of_lines() -> None:
    text = TEXT.replace(DIAL, '{ do = "fly" }').replace(STAGE, '{ do = "sink" }').replace("hand = 5", 'hand = "five"')
    faults = card_set_reading.survey(text)
    assert [fault.card for fault in faults] == ["limits", "harry-dial", "oldtown 10"]
    assert [fault.line for fault in faults] == sorted(fault.line or 0 for fault in faults)


def test_e10_a_text_that_is_no_toml_is_one_fault_with_its_line() -> None:
    faults = card_set_reading.survey(TEXT.replace("hand = 5", "hand = = 5"))
    assert [(fault.rule, fault.line) for fault in faults] == [("E10", line_of(TEXT, "hand = 5"))]


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (
            'name = "ready"\ntitle = "Crew Ready"\nset = "start"\ncopies = 2',
            'name = "ready"\nset = "start"\ncopies = 3',
            "C4",
        ),
        ('driver = "aiko"\ncopies = 1', 'driver = "aiko"\ncopies = 2', "U4"),
        ('  { cost = 6, move = "left 3", star = true },\n', "", "U2"),
        ('  { cost = 3, move = "right 2", effects = [{ do = "repair 1" }] },\n]', "]", "T1"),
        ('"split-times", "roadbook"]\npass_points', '"split-times"]\npass_points', "T2"),
        ('points = 3\nsource = "own"', 'points = 3\nsource = "own"\nefects = 1', "C5"),
    ],
)
def test_c4_u4_counts_are_for_clubs_and_do_not_stop_a_game(old: str, new: str, rule: str) -> None:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    assert rule in {fault.rule for fault in card_set_reading.survey(text)}
    card_set_reading.read(text)


def test_u1_a_set_with_too_few_characters_gets_a_warning_and_plays() -> None:
    text = re.sub(r'\[\[card\]\]\nname = "ferenc-.*?\n\]\n', "", TEXT, flags=re.S)
    text = text.replace('ferenc = "Ferenc Kovacs"\n', "")
    told = [fault.reason() for fault in card_set_reading.survey(text) if fault.rule == "U1"]
    assert told == ["4 drivers need a character each"]
    assert list(card_set_reading.read(text).characters) == ["harry", "sofia", "aiko"]


def test_lines_are_found_in_every_form_of_toml() -> None:
    text = "# [no]\n[a.b]\nx = [\n  1, # one\n  \"]\", '''\n''',\n]\n[[c]]\ny = { z = \"}\", w = [1,\n 2] }\n"
    text += '[[c]]\n"q r" = 1\n'
    found = lines.lines(text)
    assert found["a", "b"] == 2
    assert (found["a", "b", "x", 0], found["a", "b", "x", 1], found["a", "b", "x", 2]) == (4, 5, 5)
    assert (found["c", 0], found["c", 0, "y", "w", 1], found["c", 1], found["c", 1, "q r"]) == (8, 10, 11, 12)


def test_every_operation_says_whether_it_takes_arguments() -> None:
    """E9: operations with arguments cannot follow `void`."""
    from engine.dust.cards import operations
    from engine.dust.turn.operation_handlers import HANDLERS

    for text in ("move 1", "shift", "set one 1", "nudge", "reroll", "discard any", "remove any", "return", "cover any"):
        assert effects.takes_arguments(operations.read(text, faces=6)), text
    for text in ("swap", "take 1-2"):
        assert effects.takes_arguments(operations.read(text, faces=6)), text
    for text in (
        "move left 1",
        "set all 1",
        "discard all",
        "discard this",
        "cover left 1",
        "keys 1",
        "boost",
        "draw 1",
    ):
        one = operations.read(text, faces=6)
        assert not effects.takes_arguments(one), text
        assert HANDLERS[type(one)].takes(one) == ()


def test_a_run_keeps_the_set_it_was_begun_with() -> None:
    """E10: sets are compared by their digest, whatever the order of their tables."""
    document = card_set_reading.own_document()
    assert card_set_reading.digest(document) == card_set_reading.digest(dict(reversed(document.items())))
    assert list(card_set_reading.of_document(dict(document)).characters) == ["harry", "sofia", "aiko", "ferenc"]
    other = {**document, "drivers": dict(sorted(document["drivers"].items()))}
    assert list(card_set_reading.of_document(other).characters) == ["harry", "sofia", "aiko", "ferenc"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("hand = 5", "hand = 10000", "hand is more than 9999"),
        ("risk_die = -1", "risk_die = -10000", "risk_die is more than 9999"),
        ("copies = 2", "copies = 100", "copies is more than 99"),
        ('"Crew Ready"', f'"{"R" * 81}"', "title is longer than 80 letters"),
        ('"Crew Ready"', '"Crew\\u202eReady"', "title has an invisible character"),
        ('note = "book: Gotowi', 'note = "\\u0000', "a text has an invisible character"),
        ("format = 1", f"format = 1\nx = {'[' * 13}{']' * 13}", "tables and lists are nested too deeply"),
        ("format = 1", f"format = 1\n{'.'.join(['a'] * 252)} = 1", "not a TOML file: More than 250 dots (at line "),
        ("format = 1", "format = 1\nx = nan", "not a TOML file: Out of range float values"),
        ("format = 1", f"format = 1\nx = {'9' * 5000}", "not a TOML file: Exceeds the limit"),
        ("format = 1", 'format = 1\ncharacters = ["nobody"]', "'nobody' is not one of [drivers]"),
        ("format = 1", "format = 1\ncharacters = 5", "characters is not a list"),
    ],
)
def test_e10_what_no_set_needs_is_refused(old: str, new: str, reason: str) -> None:
    assert old in TEXT
    said = [fault.reason() for fault in card_set_reading.survey(TEXT.replace(old, new, 1))]
    assert any(reason in one for one in said), said


def test_e10_the_bounds_themselves_are_taken() -> None:
    text = TEXT.replace("hand = 5", "hand = 9999").replace('"Crew Ready"', f'"{"R" * 80}"')
    assert card_set_reading.survey(f"# {'.' * 250}\n{text}") == ()


@pytest.mark.parametrize("count", [9, 10])
def test_s8_a_card_has_no_effect_that_no_step_can_name(count: int) -> None:
    """`do` takes one digit. A mandatory tenth effect could never be used, so the card could never be closed."""
    effects_ = ", ".join(['{ do = "keys 1" }'] * (count - 1) + ['{ do = "keys 1", must = true }'])
    star = 'cost = 6, move = "left 3", star = true'
    text = TEXT.replace(star, f"{star}, effects = [{effects_}]", 1)
    found = [(one.card, one.line, one.rule, one.reason()) for one in card_set_reading.survey(text)]
    named = ("saltwind 10", line_of(TEXT, star), "S8", "a card has 9 effects at most")
    assert found == ([named] if count > 9 else [])
