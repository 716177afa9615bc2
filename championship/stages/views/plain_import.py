"""The page on which a club imports a course of a game that has no stage builder: a file, or pasted text, read with all
its faults.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship import catalogue
from championship.accounts.requests import SignedInRequest
from championship.clubs import selectors as clubs
from championship.clubs.models import Club
from championship.clubs.services import require_role
from championship.platform.refusals import Refused
from championship.stages import builders, services, stage_pages
from championship.stages.forms import CourseForm
from championship.stages.views.library import crumbs_of
from engine import registry
from engine.contract import CourseImport, Courses, GameError, StageError, offered, required

LONGEST_EXAMPLE = 2_000
"""An example with more characters is not shown."""


def read(game: str, text: str) -> dict[str, Any]:
    """Return the course that a text describes, in the normal form of its game.

    Raises: Refused (field text) when the text has faults, or the course cannot be driven; it lists all, one a line.
    """
    rules = registry.get(game)
    try:
        draft = stage_pages.get(game).read_text(text)
        found = required(rules, CourseImport).survey(draft)
        faults = [builders.error_text(game, fault) for fault in (*found.wrong, *found.missing)]
        if faults:
            rule = (*found.wrong, *found.missing)[0].rule
            raise Refused("\n".join(faults), field="text", rule=rule, game=game)
        course: dict[str, Any] = required(rules, Courses).read_course(draft)
    except StageError as error:
        raise Refused(builders.error_text(game, error), field="text", rule=error.rule, game=game) from error
    except GameError as error:
        raise Refused(error.words(_), field="text") from error
    return course


def example(game: str) -> str:
    """Return a course of the game's library as text; "" when there is none, or its text is long."""
    rules = registry.get(game)
    courses = offered(rules, Courses)
    for spec in courses.library().values() if courses else ():
        text = required(rules, CourseImport).write_course(required(rules, Courses).read_course(spec))
        return text if len(text) <= LONGEST_EXAMPLE else ""
    return ""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_course(request: SignedInRequest, slug: str, game: str) -> HttpResponse:
    """Store a course in the club's library. The button `check` shows its faults and its map, and stores nothing. 422
    with all faults, one a line; the text is kept. 404 for a game without such courses, or with a builder.
    """
    club = clubs.membership_of(user=request.user, slug=slug).club
    require_role(request.user, club, *services.MAKERS)
    if game not in builders.plain_imports():
        raise Http404(_("No stages of this game can be laid."))
    if request.method != "POST":
        return _page(request, club, game, CourseForm(game=game))
    sent = request.POST.copy()
    form = CourseForm(sent, request.FILES or None, game=game)
    if not form.is_valid():
        return _page(request, club, game, form)
    if form.cleaned_data["file"]:  # a browser does not send the file again: show its text, so that it can be edited
        sent["text"] = form.cleaned_data["file"]
    try:
        spec = read(game, form.source)
        if "check" in request.POST:
            return _page(request, club, game, form, checked=True, map=_map_of(game, spec))
        made = services.create_design(by=request.user, club=club, name=form.cleaned_data["name"], game=game, spec=spec)
    except Refused as refusal:
        lines = [forms.ValidationError(line) for line in str(refusal).split("\n")]
        form.add_error("name" if refusal.field == "name" else "text", forms.ValidationError(lines))
        return _page(request, club, game, form)
    messages.success(request, _("%s is in your library.") % made.name)
    return redirect(made)


def _map_of(game: str, spec: stage_pages.Spec) -> SafeString:
    """Return the game's map of a course; "" for a game that draws none."""
    try:
        return stage_pages.get(game).map_svg(spec, title=str(catalogue.get(game)), ident="stage")
    except StageError as error:
        raise Refused(builders.error_text(game, error), rule=error.rule, game=game) from error


def _page(
    request: SignedInRequest, club: Club, game: str, form: CourseForm, *, checked: bool = False, map: str = ""
) -> HttpResponse:
    shown = catalogue.get(game)
    title = str(shown.words.bring)
    context = {
        "club": club,
        "game": shown,
        "form": form,
        "checked": checked,
        "map": map,
        "example": example(game),
        "crumbs": [*crumbs_of(club), (_("Stages"), reverse("stages:club", args=[club.slug])), (title, None)],
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "stages/plain_import.html", context, status=status)
