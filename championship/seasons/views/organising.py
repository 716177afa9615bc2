"""Add rounds to an existing championship."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.clubs.models import Club
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.forms import RallyForm, put_refusal
from championship.rallies.desk.game_choice import chosen_game
from championship.seasons import rally_defaults, services
from championship.seasons.forms import RoundForm
from championship.seasons.views.editing import FORM_METHODS, organised
from championship.seasons.views.public import crumbs


def _form_page(
    request: HttpRequest, title: str, submit: str, form: forms.Form, club: Club, refused: int | None
) -> HttpResponse:
    """Render a page with one form; `refused` is the status of a service's refusal."""
    context = {
        "title": title,
        "submit": submit,
        "form": form,
        "club": club,
        "crumbs": crumbs(club, (title, None)),
    }
    status = refused or (HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK)
    template = "seasons/new_round.html" if isinstance(form, RallyForm) else "seasons/form.html"
    return render(request, template, context, status=status)


@login_required
@require_http_methods(FORM_METHODS)
def new_round(request: HttpRequest, key: str) -> HttpResponse:
    """Create a rally as the championship's next round."""
    by, shown = organised(request, key)
    classes = [{"name": name, "limit": None} for name in shown.classes]
    game = chosen_game(request, rally_defaults.game_of(shown.rally_settings))
    begins = {**rally_defaults.as_initial(shown.rally_settings, game), "classes": classes}
    form = RallyForm(request.POST if request.method == "POST" else None, game=game, club=shown.club, initial=begins)
    refused = None
    if request.method == "POST" and form.is_valid():
        try:
            made = services.open_round(
                by=by,
                championship=shown,
                game=game,
                designs=form.cleaned_data["designs"],
                **form.settings(),
            )
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            refused = refusal.status
        else:
            messages.success(request, str(made.rally.words.made))
            return redirect("rallies:desk", made.rally.key)
    return _form_page(request, _("New round of %s") % shown, str(form.words.make), form, shown.club, refused)


@login_required
@require_http_methods(FORM_METHODS)
def add_round(request: HttpRequest, key: str) -> HttpResponse:
    """Make an existing rally the championship's next round."""
    by, shown = organised(request, key)
    form, refused = RoundForm(request.POST if request.method == "POST" else None, club=shown.club), None
    if request.method == "POST" and form.is_valid():
        try:
            services.add_round(by=by, championship=shown, **form.cleaned_data)
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            refused = refusal.status
        else:
            messages.success(request, _("The round is added."))
            return redirect(shown)
    return _form_page(request, _("Add a round to %s") % shown, _("Add the round"), form, shown.club, refused)
