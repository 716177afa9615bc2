"""Headers by which a browser's service worker (static/js/kept-pages.js) keeps copies of pages for the time without a
connection, and deletes them when another reader, or nobody, is signed in.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

READER = "Reader"
KEEP_UNTIL = "Keep-Until"
OPEN_PAGES = "Open-Pages"
MOST_PAGES = 10
NOBODY = "nobody"


def reader_tag(pk: object) -> str:
    """Return a name of the reader with this primary key that says nothing to anybody else; NOBODY for None."""
    if pk is None:
        return NOBODY
    return salted_hmac("championship.platform.web.kept_pages", str(pk), algorithm="sha256").hexdigest()[:16]


def mark_reader(request: HttpRequest, response: HttpResponse) -> None:
    """Say in a page whose page it is. A view that did not load its reader says nothing."""
    reader = getattr(request, "_cached_user", None)  # set only if the user was loaded
    if reader is not None and response.headers.get("Content-Type", "").startswith("text/html"):
        response.headers[READER] = reader_tag(reader.pk)


def keep(response: HttpResponse, *, until: datetime, open_pages: Iterable[str] | None = None) -> None:
    """Let the reader's browser keep a copy of the page until `until`. `open_pages`: the paths of all pages of turns
    that wait for the reader, where the page lists them; the browser deletes its copies of others.
    """
    response.headers[KEEP_UNTIL] = str(int(until.timestamp()))
    if open_pages is not None:
        response.headers[OPEN_PAGES] = " ".join(list(open_pages)[:MOST_PAGES])
