"""Change an existing championship: its scheme, classes, calendar, more rounds, and the initial settings of its new
rallies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.forms import RallyForm, data_of_rally, put_refusal
from championship.rallies.desk.game_choice import chosen_game
from championship.rallies.knockout.forms import initial_event
from championship.seasons import rally_defaults, selectors, services
from championship.seasons.forms import (
    ClassesForm,
    NamedSchemeForm,
    RoundForm,
    RoundPointsForm,
    RoundsForm,
    TeamsForm,
)
from championship.seasons.models import Championship
from championship.seasons.scheme_forms import moved
from championship.seasons.services import adjusting, registering
from championship.seasons.views.public import crumbs
from championship.seasons.wizard_forms import RallyDefaultsForm

FORM_METHODS = ["GET", "HEAD", "POST"]
PAGES = (
    *("edit", "edit_classes", "edit_divisions", "edit_teams", "edit_calendar", "edit_points", "edit_tables"),
    *("edit_clock", "edit_rallies"),
)


def organised(request: HttpRequest, key: str) -> tuple[User, Championship]:
    """Return the user and the championship, for an organiser of its club.

    Raises: Forbidden or Http404 for everybody else.
    """
    assert isinstance(request.user, User)
    shown = selectors.championship_by_key(key, request.user)
    require_role(request.user, shown.club, Role.ORGANISER)
    return request.user, shown


def version_in(request: HttpRequest) -> int | None:
    """Return the version from which the form was made; None where the form has none."""
    said = request.POST.get("version", "")
    return whole_number(said, digits=8)


Form = TypeVar("Form", bound=forms.Form)
Page = Callable[[HttpRequest, User, Championship], HttpResponse]


def editing(view: Page) -> Callable[..., HttpResponse]:
    """Decorate a page for organisers. Where the championship has changed meanwhile, the response is the fresh page with
    status 409.
    """

    @login_required
    @require_http_methods(FORM_METHODS)
    def answered(request: SignedInRequest, key: str) -> HttpResponse:
        by, shown = organised(request, key)
        try:
            return view(request, by, shown)
        except Stale as stale:
            messages.error(request, str(stale.message))
            request.method = "GET"
            response = view(request, by, selectors.championship_by_key(key, request.user))
            response.status_code = stale.status
            return response

    return answered


def page(
    request: HttpRequest, shown: Championship, here: str, form: forms.Form, context: Mapping[str, Any]
) -> HttpResponse:
    """Render a page of the championship's editor: 422 for a form with errors."""
    labels = {
        "edit": _("Name and points"),
        "edit_classes": _("Classes"),
        "edit_divisions": _("Divisions"),
        "edit_teams": _("Teams"),
        "edit_calendar": _("Calendar"),
        "edit_clock": _("Clock"),
        "edit_points": _("Points of rounds"),
        "edit_tables": _("Points of classes and games"),
        "edit_rallies": str(catalogue.words_of(rally_defaults.game_of_season(shown)).events),
    }
    shown_as = {
        "championship": shown,
        "club": shown.club,
        "form": form,
        "here": here,
        "title": labels[here],
        "pages": [(name, labels[name], reverse(f"seasons:{name}", args=[shown.key])) for name in PAGES],
        "begun": registering.has_begun(shown),
        "crumbs": crumbs(shown.club, (shown.name, shown.get_absolute_url()), (labels[here], None)),
        **context,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, f"seasons/edit/{here}.html", shown_as, status=status)


def form_data(request: HttpRequest) -> QueryDict | None:
    """Return what was posted, None for other methods."""
    return request.POST if request.method == "POST" else None


def saved(
    request: HttpRequest, form: forms.Form, write: Callable[[], object], says: Callable[[], str] | None = None
) -> bool:
    """Run the service, and return whether it succeeded. A refusal is added to the form. `says`: what the next page says
    about it.
    """
    try:
        write()
    except Refused as refusal:
        put_refusal(form, refusal)
        return False
    messages.success(request, says() if says else _("The championship is saved."))
    return True


def _edited(
    request: HttpRequest, shown: Championship, here: str, form: Form, write: Callable[[Form], object], leads_to: str
) -> HttpResponse:
    """Render the form. A valid form that was sent is written, and the response redirects to `leads_to`."""
    if form.is_bound and form.is_valid() and saved(request, form, lambda: write(form)):
        return redirect(leads_to)
    return page(request, shown, here, form, {})


@editing
def edit(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Name and scheme."""
    posted = form_data(request)
    rows = whole_number(request.GET.get("places", ""), digits=3) or 0
    form = NamedSchemeForm(posted, scheme=shown.scheme, rows=rows, initial={"name": shown.name})
    if posted is not None and form.is_valid():
        how, _colon, what = posted.get("action", "").partition(":")
        scheme = form.cleaned_data["scheme"]
        scheme = replace(scheme, tie_breaks=moved(scheme.tie_breaks, how, what))
        change = _change(request, by, shown)
        if saved(request, form, lambda: change(name=form.cleaned_data["name"], **asdict(scheme))):
            here = reverse("seasons:edit", args=[shown.key])
            if how == "more":
                return redirect(f"{here}?places={form.rows + 10}")
            return redirect(f"{here}?moved={what}" if how else shown.get_absolute_url())
    return page(request, shown, "edit", form, {"moved": request.GET.get("moved", "")})


def _change(request: HttpRequest, by: User, shown: Championship) -> Callable[..., Championship]:
    """Return the service that changes this championship in the version from which the form was made."""
    return partial(services.change_championship, by=by, championship=shown, version=version_in(request))


@editing
def classes(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Car classes."""
    change = partial(_change(request, by, shown), name=shown.name, points=shown.points)
    form = ClassesForm(form_data(request), initial={"classes": "\n".join(shown.classes)})
    return _edited(
        request, shown, "edit_classes", form, lambda sent: change(classes=sent.names()), shown.get_absolute_url()
    )


@editing
def teams(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Rename, add and remove teams."""

    def write(sent: TeamsForm) -> object:
        return registering.change_teams(by=by, championship=shown, names=sent.names(), more=sent.more())

    form = TeamsForm(form_data(request), teams=list(shown.teams.all()))
    return _edited(request, shown, "edit_teams", form, write, reverse("seasons:team_table", args=[shown.key]))


@editing
def calendar(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """Days and power stages of the rounds."""

    def write(sent: RoundsForm) -> object:
        return services.change_calendar(by=by, championship=shown, version=version_in(request), planned=sent.planned())

    rounds = list(shown.rounds.select_related("rally").order_by("number"))
    form = RoundsForm(form_data(request), rounds=rounds)
    return _edited(request, shown, "edit_calendar", form, write, shown.get_absolute_url())


@editing
def points(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """What each round counts, and who gets its bonuses."""

    def write(sent: RoundPointsForm) -> object:
        return adjusting.change_round_scoring(
            by=by, championship=shown, version=version_in(request), scoring=sent.scoring()
        )

    rounds = list(shown.rounds.select_related("rally").order_by("number"))
    form = RoundPointsForm(
        form_data(request),
        rounds=rounds,
        bonuses=tuple(shown.scheme.rules().bonus),
        drivers=selectors.drivers_by_round(rounds),
    )
    return _edited(request, shown, "edit_points", form, write, shown.get_absolute_url())


@editing
def rallies(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """The initial settings of the season's new rallies."""
    change = partial(_change(request, by, shown), name=shown.name, points=shown.points)
    game = chosen_game(request, rally_defaults.game_of_season(shown))
    form = RallyDefaultsForm(form_data(request), kept=shown.rally_settings, game=game)
    return _edited(
        request,
        shown,
        "edit_rallies",
        form,
        lambda sent: change(rally_settings=sent.settings()),
        shown.get_absolute_url(),
    )


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
    wrong = request.method == "POST" and form.errors
    status = refused or (HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK)
    template = "seasons/new_round.html" if isinstance(form, RallyForm) else "seasons/form.html"
    return render(request, template, context, status=status)


def _like_the_last(shown: Championship, game: str) -> dict[str, Any]:
    """Return heats and the cost of a missed stage as the last round in that game has them. One query."""
    last = shown.rounds.filter(rally__game=game).select_related("rally").order_by("-number").first()
    return initial_event(last.rally) if last is not None else {}


@login_required
@require_http_methods(FORM_METHODS)
def new_round(request: HttpRequest, key: str) -> HttpResponse:
    """Create a rally as the championship's next round."""
    by, shown = organised(request, key)
    classes = [{"name": name, "limit": None} for name in shown.classes]
    game = chosen_game(request, rally_defaults.game_of(shown.rally_settings))
    usual = rally_defaults.as_initial(shown.rally_settings, game)
    begins = {**usual, **_like_the_last(shown, game), "classes": classes}
    form = RallyForm(data_of_rally(request), game=game, club=shown.club, initial=begins)
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
