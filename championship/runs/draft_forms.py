"""Drafts between a page and a game: a form sends text, a game keeps what it likes."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext as _

from championship.refusals import Refused
from engine import registry
from engine.contract import Drafting, offered, required


def empty(game: str) -> Any:
    """Return a draft in which nothing is laid; "" for a game in which nothing is."""
    drafting = offered(registry.get(game), Drafting)
    return "" if drafting is None else drafting.empty_draft()


def read(game: str, text: str) -> Any:
    """Return the draft that a form tells: a text where the game's drafts are texts, JSON otherwise.

    Raises:
        Refused: it is no draft.
        NotOffered: nothing is laid in this game, and the form says something.
    """
    if not text and offered(registry.get(game), Drafting) is None:
        return ""
    nothing = required(registry.get(game), Drafting).empty_draft()
    if isinstance(nothing, str):
        return text
    try:
        return json.loads(text) if text else nothing
    except (ValueError, RecursionError):
        raise Refused(_("%(field)s: use the buttons of the turn form.") % {"field": "plan"}, field="plan") from None


def written(laid: Any) -> str:
    """Return a draft as a form tells it."""
    return laid if isinstance(laid, str) else json.dumps(laid, separators=(",", ":"))
