"""Convert drafts between form text and the form that each game uses."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext as _

from championship.platform.refusals import Refused
from engine import registry
from engine.contract import Drafting, offered, required


def empty(game: str) -> Any:
    """Return an empty draft of the game; "" for a game without drafts."""
    drafting = offered(registry.get(game), Drafting)
    return "" if drafting is None else drafting.empty_draft()


def read(game: str, text: str) -> Any:
    """Return the draft in a form's text: the text itself where the game's drafts are texts, parsed JSON otherwise.

    Raises: Refused when it is not a draft.
    Raises: NotOffered when the game has no drafts and the text is not empty.
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
    """Return a draft as form text."""
    return laid if isinstance(laid, str) else json.dumps(laid, separators=(",", ":"))
