"""TOML files from users, parsed within limits."""

from __future__ import annotations

from datetime import date

import pytest

from engine.toml_text import DEEPEST, MOST_DOTS, toml_of


def test_a_document_is_parsed_completely() -> None:
    assert toml_of('a.b = 1\nc = "' + "." * (MOST_DOTS - 1) + '"\nd = 2026-11-23\n') == {
        "a": {"b": 1},
        "c": "." * (MOST_DOTS - 1),
        "d": date(2026, 11, 23),
    }


def test_dots_outside_keys_and_the_deepest_allowed_nesting_are_parsed() -> None:
    dots = "1.5,2.5\\n" * 200
    nested = "[" * (DEEPEST - 2) + "]" * (DEEPEST - 2)
    read = toml_of(f'csv = "{dots}"\n# {dots}\ndeep = {nested}\nmost = {2**1024 - 1}\n')
    assert read["csv"].count(".") == 400 and read["most"] == 2**1024 - 1 and read["deep"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = ", "Invalid value"),
        ("a = 1\na = 2", "Cannot overwrite a value"),
        ("a = " + "[" * 5000, "too deep"),
        (f"a = 1\nb{'.b' * (MOST_DOTS + 1)} = 1", r"More than 250 dots \(at line 2\)"),
        ("b" + ".b" * 90_000 + " = 1", "More than 250 dots"),
        (f"a = {'9' * 5000}", "digits"),
        (f"a = 0x{'f' * 5000}", "1024 bits"),
        (f"a = [[{2**1024}]]", "1024 bits"),
        ("a = " + f"[\n{{b{'.b' * 240} = " * 20 + "1" + "}]" * 20, "too deep"),
        ("a = " + "[" * DEEPEST + "]" * DEEPEST, "too deep"),
        ("a = ['''\n# ''', {b" + ".b" * 300 + " = 1}]", r"dots \(at line 2\)"),
    ],
)
def test_invalid_toml_is_refused_with_a_message(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        toml_of(text)
