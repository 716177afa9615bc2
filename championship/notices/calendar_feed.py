"""A person's calendar for any calendar program: deadlines of open turns, time controls, rallies.

This app knows nothing of turns: higher apps register the sources of dates when they are ready (apps.py). The feed is
rendered at each request, so a date that has moved keeps its UID.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.notices import notice_text

if TYPE_CHECKING:
    import icalendar

REFRESH = timedelta(minutes=30)
"""How often a calendar program should reload the feed. Programs may do it less often."""
SLOT = timedelta(minutes=30)
"""The length of a deadline's entry in the calendar. The entry ends at the deadline."""


@dataclass(frozen=True, slots=True)
class Date:
    """An entry of the calendar. uid: such as "run 7 turn 12"; it stays the same while the entry means the same thing.

    ends: the moment of the entry, or a date for a whole day. since: when the entry last changed, for DTSTAMP.
    title, text: in the reader's language, which is active when a source is called. path: the path of its page.
    """

    uid: str
    ends: datetime | date
    since: datetime
    title: str
    path: str
    text: str = ""


Source = Callable[[User], Iterable[Date]]
_sources: dict[str, Source] = {}


def register(name: str, source: Source) -> None:
    """Show the dates of `source` in people's calendars. Registering a name again replaces its source."""
    _sources[name] = source


def dates_of(person: User) -> list[Date]:
    """All entries of the person's calendar, in the active language, ordered by moment."""
    dates = [date for _name, source in sorted(_sources.items()) for date in source(person)]
    return sorted(dates, key=lambda entry: (str(entry.ends), entry.uid))


def feed(person: User) -> bytes:
    """The calendar as iCalendar (RFC 5545), in the person's language."""
    with notice_text.for_reader(person.language, person.time_zone):
        return calendar_of("Parc Fermé", dates_of(person))


def calendar_of(name: str, dates: Iterable[Date]) -> bytes:
    """These entries as iCalendar (RFC 5545). `name`: what calendar programs call it."""
    import icalendar  # six megabytes, which only a process needs that is asked for a calendar

    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//Parc Ferme//Rally calendar//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", icalendar.vDuration(REFRESH))
    for entry in dates:
        calendar.add_component(_event(entry))
    return bytes(calendar.to_ical())


def answer(request: HttpRequest, body: bytes) -> HttpResponse:
    """A calendar, or 304 when the client already has it."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    fresh = HttpResponse(body, content_type="text/calendar; charset=utf-8")
    fresh["ETag"] = etag
    fresh["Content-Disposition"] = 'inline; filename="parc-ferme.ics"'
    return get_conditional_response(request, etag=etag, response=fresh) or fresh


def _event(entry: Date) -> icalendar.Event:
    import icalendar

    event = icalendar.Event()
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    event.add("uid", f"{entry.uid.replace(' ', '-')}@{host}")
    event.add("dtstamp", entry.since)
    event.add("last-modified", entry.since)
    if isinstance(entry.ends, datetime):
        event.add("dtstart", entry.ends - SLOT)
        event.add("dtend", entry.ends)
    else:
        event.add("dtstart", entry.ends)
        event.add("dtend", entry.ends + timedelta(days=1))
    event.add("summary", entry.title)
    link = notice_text.absolute_url(entry.path)
    event.add("description", f"{entry.text}\n{link}".strip())
    event.add("url", link)
    event.add("transp", "TRANSPARENT")  # a deadline does not make anybody busy
    event.add("categories", [_("Rally")])
    return event
