"""The page that waits for a file which a worker makes. It asks again by itself, without script too."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise

from championship.platform.web import htmx

POLL_SECONDS = 3
"""The seconds between two polls of a page that waits."""


def page(
    request: HttpRequest, *, of: str, title: str | Promise, back: str, back_words: str | Promise, failed: bool
) -> HttpResponse:
    """The page that waits, or the part of it that polls. `of`, `back`: the name and address of what the file shows;
    `back_words`: what the button there says. `failed`: whether the file could not be made.
    """
    part = bool(htmx.details(request))
    context = {
        "of": of,
        "title": title,
        "back": back,
        "back_words": back_words,
        "failed": failed,
        "poll_seconds": POLL_SECONDS,
    }
    template = "rallies/parts/paper_state.html" if part else "rallies/paper_being_made.html"
    response = render(request, template, context, status=HTTPStatus.OK if part else HTTPStatus.ACCEPTED)
    response["Retry-After"] = str(POLL_SECONDS)
    response["Cache-Control"] = "no-store"
    response["ETag"] = '"not made yet"'
    return response


def ready(request: HttpRequest, tag: str) -> HttpResponse:
    """The part of the waiting page that links to the finished file. `tag`: its ETag."""
    response = render(request, "rallies/parts/paper_state.html", {"ready": True})
    response["Cache-Control"], response["ETag"] = "no-store", tag
    return response
