"""One sentence about a rally for its picture, such as the last turning point of its newest stage.

Papers know nothing about what happens on the road. The app of runs registers a function here when Django is ready.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from championship.rallies.models import Rally

Finder = Callable[["Sequence[Rally]"], Mapping[int, str]]


def _none(rallies: Sequence[Rally]) -> Mapping[int, str]:
    return {}


_find: Finder = _none


def register(find: Finder) -> None:
    """Register the function that finds the sentences, in the active language; it replaces the one before."""
    global _find
    _find = find


def headlines_of(rallies: Sequence[Rally]) -> Mapping[int, str]:
    """The sentences about rallies by their ids. As many queries as for one."""
    return _find(rallies)


def headline_of(rally: Rally) -> str:
    """The sentence about the rally, "" for none."""
    return _find([rally]).get(rally.pk, "")
