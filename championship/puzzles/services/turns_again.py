"""When a missed turn comes back: the boxes of Sebastian Leitner. A right answer moves it one box on, a wrong one
back to the first. A library such as `fsrs` fits cards with hundreds of reviews; a driver has a few dozen turns.
"""

from __future__ import annotations

from datetime import date, timedelta

from django.db import transaction

from championship.accounts.models import User
from championship.puzzles.models import TurnAgain
from championship.runs.models import Run

DAYS = (1, 3, 7, 21, 60)
"""After how many days a turn comes back, by box. Behind the last box it does not come back."""


def after(box: int, *, solved: bool, today: date) -> tuple[int, date | None]:
    """Return the box after an answer, and the day on which the turn comes back; None for never."""
    box = box + 1 if solved else 0
    return box, today + timedelta(days=DAYS[box]) if box < len(DAYS) else None


@transaction.atomic
def driven_again(*, by: User, run: Run, event: int, solved: bool, day: date) -> TurnAgain | None:
    """Note how a person has driven an own turn again. A missed one comes back; one that comes back moves on when it is
    right on its day or later. Returns its row; None for a turn that was right at once.
    """
    User.objects.select_for_update().get(pk=by.pk)
    own = TurnAgain.objects.filter(person=by, run=run, event=event).first()
    if own is None and solved:
        return None
    own = own or TurnAgain(person=by, run=run, event=event)
    waits = own.due is not None and own.due > day
    if solved and (waits or own.due is None):
        return own  # a try before its day proves nothing
    own.box, own.due = after(own.box, solved=solved, today=day)
    own.save()
    return own
