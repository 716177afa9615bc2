"""The rules that a rally has chosen, in words: what its page says about the options of its game."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.utils.translation import gettext as _

from championship.catalogue import value_words
from championship.rallies.models import Rally
from engine.contract import Game

_RULES_BEHIND = re.compile(r"\s*\(([A-Z]\d{1,2}(?:\W+(?:\w+\W+)?[A-Z]\d{1,2})*)\)")
"""Rule numbers in brackets, as helps of options end with them."""


@dataclass(frozen=True, slots=True)
class OptionInWords:
    """An option of a rally: its name, its label, what is chosen, what that means, and the numbers of the rules behind
    it.
    """

    name: str
    label: str
    value: str
    meaning: str
    rules: tuple[str, ...]


def options_in_words(rally: Rally, rules: Game) -> list[OptionInWords]:
    """The options of this rally that are rules; options that set facts of the game are left out where
    they have their default.
    """
    rows = []
    for option in rules.options:
        value = rally.options.get(option.name, option.default)
        if option.scope and value == option.default:
            continue
        if option.type == "bool":
            chosen = _("yes") if value else _("no")
        else:
            chosen = str(value_words(rules.name, str(value)) if value else _("none"))
        meaning = _(option.help) if option.help else ""
        behind = tuple(re.findall(r"[A-Z]\d{1,2}", " ".join(_RULES_BEHIND.findall(meaning))))
        rows.append(OptionInWords(option.name, _(option.label), chosen, _RULES_BEHIND.sub("", meaning), behind))
    return rows
