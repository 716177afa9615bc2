"""Views that open pages poll: whether the run has moved on, and how many turns wait. 304 when nothing has changed."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from championship.platform.web import polling
from championship.runs.pages import views
from championship.runs.watch import page_versions


@polling.polled(page_versions.of_run)
@require_safe
def run_changes(request: HttpRequest, key: str) -> HttpResponse:
    """Show the stage page again when it has changed."""
    return views.run(request, key)


@polling.polled(page_versions.of_turns)
@require_safe
def turns_changes(request: HttpRequest, name: str) -> HttpResponse:
    """Show the badge: how many turns wait for the reader with this signed name, who may have signed out since."""
    waiting_turns = page_versions.waiting_turns_by_signed_name(name)
    if waiting_turns is None:
        raise Http404
    context = {
        "waiting_turns": waiting_turns.waiting,
        "name": name,
        "tag": polling.tag(request, page_versions.tag_of_waiting_turns(waiting_turns)),
    }
    return render(request, "parts/waiting.html", context)
