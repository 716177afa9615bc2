"""Names in any script on papers and pictures: joined, in visual order, and those that no font has are named."""

from championship.papers.fonts import UNKNOWN, legible, not_drawn

MUHAMMAD = "\u0645\u062d\u0645\u062f"


def test_arabic_letters_are_joined_and_in_visual_order():
    assert legible(MUHAMMAD) == "\ufeaa\ufee4\ufea4\ufee3", "initial, two medial, final, from right to left"
    assert legible(f"Anna {MUHAMMAD} 7").startswith("Anna ")
    assert UNKNOWN not in legible("پژمان گل")


def test_a_sign_that_keeps_letters_apart_is_heeded_and_not_drawn():
    apart = legible("\u06af\u0644\u200c\u0645")
    assert "\u200c" not in apart
    assert apart != legible("\u06af\u0644\u0645")


def test_hebrew_has_no_joined_forms_and_marks_stay():
    assert legible("\u05db\u05d4\u05df") == "\u05df\u05d4\u05db"
    assert "\u064e" in legible("\u0645\u064e\u0646"), "the sign of a vowel is not lost"


def test_names_that_no_font_has_are_named_once():
    assert not_drawn(["Ana", MUHAMMAD, "山田太郎", "Łukasz", "山田太郎", "यश"]) == ["山田太郎", "यश"]
