"""Whether mail goes out: the outcome of each letter with notices, and how long no letter was taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.mail import get_connection
from django.db.models import DateTimeField, F, Min
from django.db.models.functions import Coalesce

from championship.accounts.models import EntranceLetter, MailServer
from championship.accounts.services import mail_server
from championship.notices.channels import Channel
from championship.notices.delivery_errors import DeliveryError
from championship.notices.models import Notice

SEVERAL = 3
"""A server that puts off letters to so many people, and takes none, fails. A single full mailbox is no failure."""
PATIENCE = timedelta(minutes=3)
"""How long the mail server may fail before that counts as a problem."""


def record(failure: Exception | None, *, now: datetime) -> None:
    """Record the outcome of one letter: None when the server took it. Other errors than the server's do not count."""
    if failure is None:
        mail_server.record_sent(now=now)
    elif isinstance(failure, DeliveryError) and failure.answer:
        mail_server.record_failure(now=now, reason=failure.answer, for_everybody=failure.for_everybody)


def try_failing_server(*, now: datetime) -> None:
    """Connect to a mail server that has failed and for which no letter waits, so that it is known when it answers
    again. While letters wait, only a letter that is taken shows that: a server may answer and still take none.
    """
    if mail_server.state().failing_since is None or any(True for _since in _put_off_since(None)):
        return
    connection = get_connection()
    try:
        connection.open()
    except Exception as error:
        mail_server.record_failure(now=now, reason=mail_server.answer(error), for_everybody=True)
    else:
        mail_server.record_answering()
    finally:
        with suppress(Exception):
            connection.close()


@dataclass(frozen=True, slots=True)
class WaitingLetters:
    """Letters of one kind in one state: their number, when the oldest was to be sent first (`since`), and the earliest
    moment of a next try.
    """

    count: int
    since: datetime
    next_try_at: datetime


def waiting_letters_about_signing_in() -> WaitingLetters | None:
    """Return the letters about signing in that are not sent yet; None without any. One query."""
    waiting = EntranceLetter.objects.filter(outcome=EntranceLetter.Outcome.WAITS)
    rows = list(waiting.values_list("asked_at", "next_try_at"))
    if not rows:
        return None
    return WaitingLetters(len(rows), min(asked for asked, _next in rows), min(due for _asked, due in rows))


def first_due() -> Coalesce:
    """Return the expression for when a notice was to be sent first. A retry does not change it."""
    return Coalesce("first_tried_at", "next_try_at", output_field=DateTimeField())


def failing_since(server: MailServer) -> datetime | None:
    """Return since when no letter is taken: the server fails for everybody, or it puts off SEVERAL people and has taken
    no letter since. None while mail goes out. At most two queries.
    """
    if server.failing_since is not None:
        return server.failing_since
    put_off = sorted(_put_off_since(server.last_sent_at))
    return put_off[SEVERAL - 1] if len(put_off) >= SEVERAL else None


def _put_off_since(sent_at: datetime | None) -> Iterator[datetime]:
    """Yield for each person since when a letter was put off, of those that were first tried after `sent_at`."""
    notices = Notice.objects.filter(
        channel=Channel.MAIL, status=Notice.Status.QUEUED, first_tried_at__isnull=False
    ).values("recipient")
    letters = EntranceLetter.objects.filter(outcome=EntranceLetter.Outcome.WAITS, attempts__gt=0).values("to")
    if sent_at is not None:
        notices, letters = notices.filter(first_tried_at__gt=sent_at), letters.filter(asked_at__gt=sent_at)
    for people, moment in ((notices, "first_tried_at"), (letters, "asked_at")):
        found = people.order_by().annotate(since=Min(F(moment)))
        yield from found.values_list("since", flat=True)
