"""A movement as a text: the spaces that are entered, then what goes with it. So it stands in addresses and forms.

"S1.3.5 S1.2.6 nitro tires:1"  ↔  {"path": ["S1.3.5", "S1.2.6"], "nitro": True, "tires": 1}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from championship.refusals import Refused

EXTRAS = ("nitro", "bonus")
STAYS = "stay"
"""A movement of no spaces: all of it is braked."""
TIRES = "tires:"


def written(orders: Mapping[str, Any]) -> str:
    """Return the movement of orders as a text."""
    words = [*orders.get("path", ()), *(extra for extra in EXTRAS if orders.get(extra))]
    if not orders.get("path"):
        words.insert(0, STAYS)
    return " ".join([*words, *([f"{TIRES}{orders['tires']}"] if orders.get("tires") else [])])


def read(text: str) -> dict[str, Any]:
    """Return the movement that a text tells, as the engine's orders have it.

    Raises:
        Refused: the tyre wear in it is no number.
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
    """Return an end in short, for an address: where, and what goes with it."""
    words = [to, *(extra for extra in EXTRAS if orders.get(extra))]
    return " ".join([*words, *([f"{TIRES}{orders['tires']}"] if orders.get("tires") else [])])
