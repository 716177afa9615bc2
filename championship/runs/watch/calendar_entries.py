"""Deadlines of turns and time controls, for the driver's calendar feed."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.notices.calendar_feed import Date
from championship.runs.watch.selectors import waiting_for
from championship.runs.watch.waiting_turns import subject_of


def deadlines(person: User) -> Iterator[Date]:
    """Yield everything that waits for the person, each at its deadline; the entry moves when the deadline does. Two
    queries.
    """
    for waits in waiting_for(person):
        about = {"rally": waits.stage.rally.name, "stage": waits.stage.called}
        if waits.turn is not None:
            uid, title = subject_of(waits.turn), _("%(rally)s, %(stage)s: your turn closes")
            path = waits.turn.run.get_absolute_url()
        else:
            uid = f"stage {waits.stage.pk} driver {person.pk}"
            path = reverse("rallies:time_control", args=[waits.stage.rally.key, waits.stage.number])
            title = _("%(rally)s, %(stage)s: time control closes")
        yield Date(uid=uid, ends=waits.deadline, since=waits.since, title=title % about, path=path)
