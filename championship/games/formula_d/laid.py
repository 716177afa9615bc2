"""A movement as a text: the entered spaces, then the extras. URLs and forms use this form.

"S1.3.5 S1.2.6 nitro tires:1"  ↔  {"path": ["S1.3.5", "S1.2.6"], "nitro": True, "tires": 1}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from championship.platform.refusals import Refused

EXTRAS = ("nitro", "bonus")
STAYS = "stay"
"""A movement of no spaces: all spaces are braked."""
TIRES = "tires:"


def to_text(orders: Mapping[str, Any]) -> str:
    """Return the movement of orders as a text."""
    words = [*orders.get("path", ()), *(extra for extra in EXTRAS if orders.get(extra))]
    if not orders.get("path"):
        words.insert(0, STAYS)
    return " ".join([*words, *([f"{TIRES}{orders['tires']}"] if orders.get("tires") else [])])


def from_text(text: str) -> dict[str, Any]:
    """Return the movement in a text as orders of the engine.

    Raises: Refused when the tyre wear in it is no number.
    """
    orders: dict[str, Any] = {"path": []}
    for word in text.split():
        if word in EXTRAS:
            orders[word] = True
        elif word.startswith(TIRES):
            number = word.removeprefix(TIRES)
            if not (number.isascii() and number.isdigit() and len(number) < 4):
                raise Refused(_("%(field)s: use the buttons of the turn form.") % {"field": "plan"}, field="plan")
            orders["tires"] = int(number)
        elif word != STAYS:
            orders["path"].append(word)
    return orders


def key_of(to: str, orders: Mapping[str, Any]) -> str:
    """Return a short text for an end, for a URL: its space and the extras."""
    words = [to, *(extra for extra in EXTRAS if orders.get(extra))]
    return " ".join([*words, *([f"{TIRES}{orders['tires']}"] if orders.get("tires") else [])])
