"""The words for a unit of results that is a game's own, such as turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What people call a unit of results: `counted` is a number of it, `several` its name in the plural.

        Unit(counted=ngettext_lazy("%(n)d turn", "%(n)d turns", "n"), several=gettext_lazy("turns"))

    Both are lazy texts, so that each reader gets the plural form of their language. `several` starts with a small
    letter where the language writes nouns so; heads of columns start with a capital. A word that the core translates
    already has the core's translation, unless it has a context (`pgettext_lazy`).
    """

    counted: str | _StrPromise
    several: str | _StrPromise

    def count(self, number: int) -> str:
        """Return a number of this unit, 0 or more: "21 turns"."""
        return str(self.counted % {"n": number})
