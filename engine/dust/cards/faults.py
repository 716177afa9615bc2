"""Faults of a card set, each with the card, the line and the reason: an English template and its values, so that a page
can translate it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.contract import GameError
from engine.dust.cards.lines import Path

WHOLE_SET = "card set"
"""The name in a fault that is not about a single card or table."""
MOST_NUMBER = 9999
"""The greatest number in a card set, as in the effect language (E7)."""
LONGEST_TEXT = 80
"""The most letters of a name or a title."""
ON_LINE = "line %(line)d: %(fault)s"
IN_EFFECT = "effect %(number)d: %(fault)s"


class Reason:
    """The template of a sentence, and its values by name."""

    __slots__ = ("template", "values")

    def __init__(self, template: str, **values: Any) -> None:
        self.template = template
        self.values = values

    def words(self, translate: Callable[[str], str] = str) -> str:
        """Return the sentence. `translate` returns the template in another language."""
        template = translate(self.template)
        return template % self.values if self.values else template


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a card set. `card` names the card or the table. `line` is None when the set was not read from a
    text.

    `effect` is the number of the faulty effect, 0 for none.
    """

    card: str
    line: int | None
    rule: str
    why: Reason
    effect: int = 0

    def __str__(self) -> str:
        return self.words()

    def words(self, translate: Callable[[str], str] = str) -> str:
        """Return the fault with its place. `translate` returns a template in another language."""
        card = translate(WHOLE_SET) if self.card == WHOLE_SET else self.card
        said = f"{card}: {self.rule}: {self.reason(translate)}"
        return translate(ON_LINE) % {"line": self.line, "fault": said} if self.line else said

    def reason(self, translate: Callable[[str], str] = str) -> str:
        """Return only the reason, with the number of the faulty effect."""
        said = self.why.words(translate)
        return translate(IN_EFFECT) % {"number": self.effect, "fault": said} if self.effect else said


class CardSetError(GameError):
    """Raised for a card set with faults (E10). It holds all of them."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("%(faults)s", faults="; ".join(str(fault) for fault in faults))

    def words(self, translate: Callable[[str], str]) -> str:
        """Return all faults in another language. `translate` returns a template in that language."""
        return "; ".join(fault.words(translate) for fault in self.faults)


def _missing(key: str) -> Reason:
    return Reason("%(key)s is missing", key=key)


@dataclass(slots=True)
class Collector:
    """Collects faults while a card set is parsed, and returns default values so that parsing can continue.

    `where` maps paths to line numbers.
    """

    where: Mapping[Path, int]
    faults: list[Fault] = field(default_factory=list)

    def add(self, path: Path, card: str, rule: str, why: Reason, effect: int = 0) -> None:
        """Add a fault with the line of the path, or of the nearest table around it whose line is known."""
        near = path
        while near and near not in self.where:
            near = near[:-1]
        self.faults.append(Fault(card, self.where.get(near), rule, why, effect))

    def table(self, within: Any, key: str, path: Path, card: str, rule: str, *, needed: bool = True) -> dict[str, Any]:
        """Return the table at `key`, or an empty one."""
        value = within.get(key)
        if isinstance(value, dict):
            return value
        if value is not None or needed:
            self.add(
                (*path, key), card, rule, _missing(key) if value is None else Reason("%(key)s is not a table", key=key)
            )
        return {}

    def entries(self, within: Any, key: str, path: Path, card: str, rule: str, *, needed: bool = True) -> list[Any]:
        """Return the list at `key`, or an empty one."""
        value = within.get(key)
        if isinstance(value, list):
            return value
        if value is not None or needed:
            self.add(
                (*path, key), card, rule, _missing(key) if value is None else Reason("%(key)s is not a list", key=key)
            )
        return []

    def number(
        self,
        within: Any,
        key: str,
        path: Path,
        card: str,
        rule: str,
        *,
        least: int | None = 0,
        most: int = MOST_NUMBER,
        default: int | None = None,
    ) -> int:
        """Return the whole number at `key`, from `least` to `most`. `default` replaces a missing one."""
        value = within.get(key, default)
        if value is None:
            self.add((*path, key), card, rule, _missing(key))
        elif isinstance(value, bool) or not isinstance(value, int):
            self.add((*path, key), card, rule, Reason("%(key)s is not a whole number", key=key))
        elif least is not None and value < least:
            self.add((*path, key), card, rule, Reason("%(key)s is less than %(least)d", key=key, least=least))
        elif abs(value) > most:
            self.add((*path, key), card, rule, Reason("%(key)s is more than %(most)d", key=key, most=most))
        else:
            return int(value)
        return least or 0

    def text(self, within: Any, key: str, path: Path, card: str, rule: str, *, default: str | None = None) -> str:
        """Return the text at `key`, which must not be empty. `default` replaces a missing one."""
        value = within.get(key, default)
        if isinstance(value, str) and (value.strip() or value == default):
            if len(value) > LONGEST_TEXT:
                long = Reason("%(key)s is longer than %(most)d letters", key=key, most=LONGEST_TEXT)
                self.add((*path, key), card, rule, long)
            elif not value.isprintable():
                self.add((*path, key), card, rule, Reason("%(key)s has an invisible character", key=key))
            return value
        self.add((*path, key), card, rule, _missing(key) if value is None else Reason("%(key)s is not a text", key=key))
        return ""
