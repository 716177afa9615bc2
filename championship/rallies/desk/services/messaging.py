"""Messages and notices to all entrants of a rally at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.desk.messages import LONGEST
from championship.rallies.locks import locked_rally_for_organiser
from championship.rallies.models import Entry, Message, Rally

MIN_INTERVAL = timedelta(minutes=10)
"""The minimum time between two messages to the entrants."""


@transaction.atomic
def write_to_entrants(*, by: User, rally: Rally, text: str) -> Message:
    """Send a message to every confirmed entrant, by the transports that they have chosen, and keep it on the rally's
    page. Only for organisers.

    `text` is plain text of at most LONGEST characters. The same text from the same organiser within MIN_INTERVAL
    returns the first message again.

    Raises: Refused (field text) when the text is empty, too long or has control characters, when no entry is confirmed,
    or when the last message was sent less than MIN_INTERVAL ago.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    text, now = _checked(text), clock.now()
    last = rally.messages.order_by("-at", "-pk").first()
    if last is not None and now - last.at < MIN_INTERVAL:
        if (last.by_id, last.text) == (by.pk, text):
            return last
        minutes = {"minutes": int(MIN_INTERVAL.total_seconds() // 60)}
        says = _("The entrants got a message a moment ago. Wait %(minutes)d minutes between two messages.")
        raise Refused(says % minutes, field="text")
    told = rally.entries.filter(status=Entry.Status.CONFIRMED).count()
    if not told:
        raise Refused(_("No entry is confirmed yet: nobody would read this."), field="text")
    message = Message.objects.create(rally=rally, text=text, by=by, told=told, at=now)
    details = {"rally": rally.name, "message": text}
    audit.record(actor=by, action="entrants told", subject=rally, club_id=rally.club_id, details=details)
    notify_entrants(rally, "message to entrants", f"message {message.pk}", {"sender": str(by), "text": text})
    return message


def notify_entrants(
    rally: Rally,
    kind: str,
    subject_key: str,
    context: Mapping[str, Any],
    *,
    statuses: Sequence[str] = (Entry.Status.CONFIRMED,),
) -> None:
    """Send a notice to every driver whose entry has one of these statuses, once for each `subject_key`."""
    entries = rally.entries.filter(status__in=statuses).select_related("driver")
    enqueue_many(
        [
            Letter(
                recipient=entry.driver,
                kind=kind,
                subject_key=subject_key,
                context={"rally": rally.name, **context},
                link=rally.get_absolute_url(),
                thread=f"rally {rally.key}",
            )
            for entry in entries
        ]
    )


def _checked(text: str) -> str:
    """The text in the form that is stored: no spaces at the ends of lines, and at most one empty line in a row."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")]
    kept = "\n".join(line for at, line in enumerate(lines) if line or lines[at - 1])
    if not kept:
        raise Refused(_("This cannot be empty."), field="text")
    if len(kept) > LONGEST:
        raise Refused(_("At most %(n)d characters, please.") % {"n": LONGEST}, field="text")
    if any(unicodedata.category(letter) in {"Cc", "Cs", "Cn"} for letter in kept if letter != "\n"):
        raise Refused(_("Use ordinary characters, without control characters."), field="text")
    return kept
