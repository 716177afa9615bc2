"""What is sealed, and who may read it: one rule for what seats send in a run and for cards at time control.

A thing that names its readers is sealed from all others until the phase closes in which it was sent, or until all is
over. An app that keeps such things says by these functions which of them may be read, and nobody asks the tables past
that: `runs/watching.py` for events, `rallies/control_cards.py` for cards.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

PHASE, OVER = "phase", "over"
"""Until when something is sealed."""


def may_read(reader: str | None, readers: Collection[str] | None, until: str, *, closed: bool, over: bool) -> bool:
    """Whether a reader may read a thing. `readers`: whose it is, None for everybody's; `closed`: whether the phase is
    in which it was sent; `over`: whether all is.
    """
    return readers is None or reader in readers or over or (until == PHASE and closed)


def readable(*, everybodys: Q | None = None, own: Q | None = None, closed: Q, over: Q | None = None) -> Q:
    """The same for rows: those that are everybody's, the reader's own, those of phases that are closed (and that were
    sealed until then), and those of what is over. What is None does not occur.
    """
    found = closed
    for more in (everybodys, own, over):
        if more is not None:
            found |= more
    return found
