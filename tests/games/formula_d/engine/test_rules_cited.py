"""Every rule of the rulebook is cited by a test of it."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
RULES = HERE.parents[3] / "engine" / "formula_d" / "rules.md"


def uncited(rules: str, tests: str) -> list[str]:
    """Return the numbers that `rules` defines and that `tests` do not cite, as R4 or as _r4_."""
    defined = re.findall(r"^\*\*([A-Z]\d+) ", rules, re.MULTILINE)
    named = {number.upper() for number in re.findall(r"(?<![A-Za-z0-9])_?([A-Z]\d+|[a-z]\d+(?=_))(?![0-9])", tests)}
    return [number for number in dict.fromkeys(defined) if number not in named]


def test_every_rule_is_cited() -> None:
    tests = "\n".join(file.read_text("utf-8") for file in sorted(HERE.glob("test_*.py")) if file != Path(__file__))
    assert uncited(RULES.read_text("utf-8"), tests) == []


def test_what_is_not_cited_is_listed() -> None:
    assert uncited("**R4 – Cars.**\n**R5 – Teams.**\n**R5 – more.**", "test_r4_out, R50") == ["R5"]
