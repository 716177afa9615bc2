"""One sentence about a rally for its picture, such as the last turning point of its newest stage.

Papers know nothing about what happens on the road. The app of runs registers a function here when Django is ready.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from championship.rallies.models import Rally

Finder = Callable[["Rally"], str]


def _none(rally: Rally) -> str:
    return ""


_find: Finder = _none


def register(find: Finder) -> None:
    """Register the function that finds the sentence, in the active language; it replaces the one before."""
    global _find
    _find = find


def headline_of(rally: Rally) -> str:
    """The sentence about the rally, "" for none."""
    return _find(rally)
