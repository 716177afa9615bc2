"""The stream of a run, which tells open pages to look for news at once, and when a page should open it.

A page learns from the header `Live` of an answer to a poll that others are present too. As long as nobody else is, no
page has a stream, and nothing is watched.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from championship.platform import clock
from championship.platform.web import live_streams
from championship.platform.web.polling import PolledView, View
from championship.runs.models import Run
from championship.runs.watch import live, present_runs, selectors

LIVE = "Live"
"""The header with the address of the stream."""


@require_safe
def stream(request: HttpRequest, key: str) -> HttpResponseBase:
    """Tell of each change of a run that a spectator may see. 204 where nobody else may watch the run, or it is over:
    then the page polls.
    """
    run = selectors.run_by_key(key, request.user)
    if run.status != Run.Status.RUNNING or run.common is not None:
        return HttpResponse(status=204)
    return live_streams.followed(request, *live.topics_for(run, request.user))


def tells_of_streams(view: View) -> PolledView:
    """Decorates a polled view of a run: its answers name the stream while people are present."""

    @wraps(view)
    def answer(request: HttpRequest, key: str, **kwargs: Any) -> HttpResponse:
        response = view(request, key, **kwargs)
        if response.status_code < 400 and present_runs.is_live(key, now=clock.now()):
            response.headers[LIVE] = reverse("runs:live", args=[key])
        return response

    answer.needs_user = False  # type: ignore[attr-defined]
    return answer  # type: ignore[return-value]
