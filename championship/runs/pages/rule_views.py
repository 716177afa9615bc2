"""The page of a game's rules, to which the log and refusals link."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.runs.pages import rulebook


@require_safe
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """Show all rules of a game; each number is an anchor."""
    if not rulebook.has_rules(game):
        raise Http404
    title, chapters = rulebook.rulebook(game)
    context = {"title": title, "chapters": chapters, "crumbs": [(_("Rules"), None)]}
    return render(request, "runs/rules.html", context)
