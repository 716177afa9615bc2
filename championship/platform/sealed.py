"""Who may read a sealed thing: one rule for what seats send in a run and for cards at time control.

A thing that names its readers is sealed from all others until the phase in which it was sent is closed, or until all is
over. An app that stores such things uses these functions to decide which of them may be read. No other code queries
their tables: `runs/watching.py` reads events, `rallies/control_cards.py` reads cards.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

PHASE, OVER = "phase", "over"
"""Until when something is sealed."""


def may_read(reader: str | None, readers: Collection[str] | None, until: str, *, closed: bool, over: bool) -> bool:
    """Whether a reader may read a thing. `readers`: those whom it names, None when it is public. `closed`: whether the
    phase in which it was sent is closed. `over`: whether all is over.
    """
    return readers is None or reader in readers or over or (until == PHASE and closed)


def readable(*, everybodys: Q | None = None, own: Q | None = None, closed: Q, over: Q | None = None) -> Q:
    """The same rule as a filter for rows. `everybodys`: public rows. `own`: the reader's own rows. `closed`: rows that
    were sealed until the end of a phase that is closed now. `over`: rows of what is over. None: no such rows exist.
    """
    found = closed
    for more in (everybodys, own, over):
        if more is not None:
            found |= more
    return found
