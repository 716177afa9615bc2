"""Pages of the stage builder: the map of the draft, and other ways to fill the draft: list, TOML, random, copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import replace_url

from championship import catalogue
from championship.accounts.requests import SignedInRequest
from championship.clubs import selectors as clubs
from championship.clubs.models import Club
from championship.clubs.services import require_role
from championship.platform.bounded_input import version_sent
from championship.platform.refusals import Refusal, Refused, Stale
from championship.platform.web import htmx
from championship.stages import builders, selectors, services, stage_pages
from championship.stages.forms import NameForm
from championship.stages.models import StageDesign
from championship.stages.services import stage_drafts
from championship.stages.views.library import crumbs_of, toml_answer, with_maps
from engine import registry
from engine.contract import CourseImport, required

View = Callable[..., HttpResponse]
POSTS = ["GET", "HEAD", "POST"]


def builder_page(view: View) -> View:
    """Decorate a view as a page of the club's builder, for organisers and owners of the club.

    The view receives the club and the game; the game is the first one with a builder when the URL names none. The
    response is 404 for people outside the club, and for a game without a builder.
    """

    @login_required
    @wraps(view)
    def guarded(request: SignedInRequest, slug: str, game: str | None = None) -> HttpResponse:
        club = clubs.membership_of(user=request.user, slug=slug).club
        require_role(request.user, club, *services.MAKERS)
        known = builders.names()
        if not known or game not in (None, *known):
            raise Http404(_("No stages of this game can be laid."))
        return view(request, club, game or known[0])

    return guarded


@builder_page
@require_http_methods(POSTS)
def build(request: SignedInRequest, club: Club, game: str) -> HttpResponse:
    """The builder. A POST changes the draft or undoes the last change.

    The response shows the builder as it is now. Its status is 409 when the draft has changed in another window, or 422
    when the change does not fit.
    """
    if request.method != "POST":
        return _builder(request, club, game, query=request.GET.dict())
    act = request.POST.dict()
    place = builders.get(game).looked_at(act)
    who: dict[str, Any] = {"by": request.user, "club": club, "game": game, "version": version_sent(request.POST)}
    try:
        if act.get("do") == "back":
            stage_drafts.take_back(**who)
        else:
            stage_drafts.act(**who, act=act)
    except (Refused, Stale) as refusal:
        return _builder(request, club, game, query=place, refusal=refusal)
    if _in_place(request):
        return _builder(request, club, game, query=place)
    return redirect(f"{builders.url_of('build', club, game)}?{urlencode(place)}#panel")


@builder_page
@require_POST
def save(request: SignedInRequest, club: Club, game: str) -> HttpResponse:
    """Save the draft in the club's library."""
    form = NameForm(request.POST, game=game)
    if form.is_valid():
        try:
            made = stage_drafts.save(
                by=request.user,
                club=club,
                game=game,
                version=version_sent(request.POST),
                name=form.cleaned_data["name"],
            )
        except Stale as stale:
            return _builder(request, club, game, refusal=stale, name=form)
        except Refused as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("%s is in your library.") % made.name)
            return redirect(made)
    return _builder(request, club, game, name=form)


@builder_page
@require_http_methods(POSTS)
def as_list(request: SignedInRequest, club: Club, game: str) -> HttpResponse:
    """The draft as a list, to edit as text. The button `check` shows the errors and changes nothing. 422 when there
    are errors.
    """
    draft = selectors.draft_of(request.user, club, game)
    builder = builders.get(game)
    text = stage_pages.get(game).write_text(draft.spec)
    form = builder.list_form(request.POST if request.method == "POST" else None, text=text)
    settings = builder.settings_form(request.POST if request.method == "POST" else None, draft=draft.spec)
    reading = None
    if request.method == "POST" and form.is_valid() and settings.is_valid():
        if "check" in request.POST:
            reading = builder.read(form.cleaned_data["text"], settings.cleaned_data)
        elif _put(request, club, game, form, form.cleaned_data["text"], settings.cleaned_data):
            return redirect(builders.url_of("build", club, game))
    wrong = bool(form.errors or settings.errors or (reading and reading.wrong))
    context = {"form": form, "settings": settings, "reading": reading, "draft": draft}
    if htmx.details(request).target == "check":
        return render(request, "stages/parts/reading.html", {"game": catalogue.get(game), **context})
    return _page(request, club, game, "stages/list.html", _("List"), context, _status(form, wrong=wrong))


@builder_page
@require_http_methods(POSTS)
def import_stage(request: SignedInRequest, club: Club, game: str) -> HttpResponse:
    """Replace the draft with a stage from TOML, a file or pasted. 422 with all errors, and the draft is unchanged."""
    draft = selectors.draft_of(request.user, club, game)
    sent = request.POST.copy()
    form = builders.get(game).import_form(sent if request.method == "POST" else None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        if _put(request, club, game, form, form.source, {}, toml=True):
            return redirect(builders.url_of("build", club, game))
        if form.cleaned_data["file"]:  # a browser does not send the file again: show its text, so that it can be edited
            sent["text"] = form.cleaned_data["file"]
    context = {"form": form, "draft": draft, "example": _example(game)}
    return _page(request, club, game, "stages/import.html", _("Import"), context, _status(form))


@builder_page
@require_http_methods(POSTS)
def random_stage(request: SignedInRequest, club: Club, game: str) -> HttpResponse:
    """Replace the draft with a random stage; 404 for a game that generates none."""
    draft = selectors.draft_of(request.user, club, game)
    form = builders.get(game).random_form(
        request.POST if request.method == "POST" else None, wishes={**draft.wishes, "seed": None}
    )
    if form is None:
        raise Http404(_("This game has no random stages."))
    if request.method == "POST" and form.is_valid():
        wishes = {name: value for name, value in form.cleaned_data.items() if name != "seed"}
        seed = form.cleaned_data["seed"]
        try:
            made = stage_drafts.put_random_stage(
                by=request.user, club=club, game=game, version=version_sent(request.POST), wishes=wishes, seed=seed
            )
        except (Refused, Stale) as refusal:
            _put_refusal(form, refusal)
        else:
            messages.success(request, _("Random stage from seed %(seed)d.") % {"seed": made.wishes["seed"]})
            return redirect(builders.url_of("build", club, game))
    return _page(request, club, game, "stages/random.html", _("Random"), {"form": form, "draft": draft}, _status(form))


@builder_page
@require_safe
def templates(request: SignedInRequest, club: Club, game: str) -> HttpResponse:
    """Stages to begin from: the ready-made ones and the club's own."""
    context = {
        "draft": selectors.draft_of(request.user, club, game),
        "own": with_maps(selectors.designs_of(club).filter(game=game)),
        "ready_made": with_maps(selectors.ready_made_designs().filter(game=game)),
    }
    return _page(request, club, game, "stages/templates.html", _("Begin from a copy"), context)


@builder_page
@require_safe
def export(request: SignedInRequest, club: Club, game: str) -> HttpResponse:
    """The draft as TOML, complete or not."""
    draft = selectors.draft_of(request.user, club, game)
    return toml_answer(game, draft.spec, draft.name or "draft")


def _put(
    request: SignedInRequest,
    club: Club,
    game: str,
    form: forms.Form,
    text: str,
    settings: Mapping[str, Any],
    *,
    toml: bool = False,
) -> bool:
    """Replace the draft with a stage parsed from text. Returns False when it is refused, with the reason in `form`."""
    try:
        stage_drafts.put(
            by=request.user,
            club=club,
            game=game,
            version=version_sent(request.POST),
            text=text,
            settings=settings,
            toml=toml,
        )
    except (Refused, Stale) as refusal:
        _put_refusal(form, refusal)
        return False
    messages.success(request, _("It is in the draft."))
    return True


def _put_refusal(form: forms.Form, refusal: Refusal) -> None:
    """Add a refusal to its field of the form, one error for each line. A Stale refusal has no field and goes to the
    whole form; `_status` recognises it by its code.
    """
    code = "stale" if isinstance(refusal, Stale) else "refused"
    lines = [forms.ValidationError(line, code=code) for line in str(refusal).split("\n")]
    form.add_error(refusal.field if refusal.field in form.fields else None, forms.ValidationError(lines))


def _status(form: forms.Form, *, wrong: bool = False) -> HTTPStatus:
    if any(error.code == "stale" for error in form.errors.as_data().get("__all__", ())):
        return HTTPStatus.CONFLICT
    return HTTPStatus.UNPROCESSABLE_ENTITY if wrong or form.errors else HTTPStatus.OK


def _in_place(request: HttpRequest) -> bool:
    """Whether htmx swaps the response into the builder on the page."""
    return htmx.asks_for_part(request, "builder")


def _builder(
    request: SignedInRequest,
    club: Club,
    game: str,
    *,
    query: Mapping[str, str] | None = None,
    refusal: Refusal | None = None,
    name: NameForm | None = None,
) -> HttpResponse:
    """The builder as it is now, with the refusal or the name form's errors when there are any."""
    draft = selectors.draft_of(request.user, club, game)
    shown = builders.get(game).show(draft.spec, query or {})
    found = required(registry.get(game), CourseImport).survey(draft.spec)
    known = selectors.design_equal_to(draft, club)
    status = HTTPStatus.OK
    if refusal is not None:
        status = refusal.status
    elif name is not None:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {
        "draft": draft,
        "builder": shown,
        "missing": [builders.error_text(game, fault) for fault in found.missing],
        "doubts": [builders.error_text(game, fault) for fault in found.doubts],
        "whole": found.whole,
        "notes": builders.get(game).pace_notes(draft.spec),
        "known": known,
        "rating_facts": _rating_of(known),
        "refusal": refusal,
        "name_form": name or NameForm(initial={"name": draft.name}, game=game),
        "frame": "stages/fragment.html" if _in_place(request) else "base.html",
        **shown.context,
    }
    answer = _page(request, club, game, "stages/build.html", str(catalogue.get(game).words.build), context, status)
    if request.method == "POST" and _in_place(request):
        replace_url(answer, builders.url_of("build", club, game))
    return answer


def _page(
    request: HttpRequest,
    club: Club,
    game: str,
    template: str,
    title: str,
    context: Mapping[str, Any],
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    builder = (catalogue.get(game).words.build, builders.url_of("build", club, game))
    way = [*crumbs_of(club), (_("Stages"), reverse("stages:club", args=[club.slug]))]
    here = [(title, None)] if template == "stages/build.html" else [builder, (title, None)]
    shared = {
        "club": club,
        "game": catalogue.get(game),
        "builders": [catalogue.get(name) for name in builders.names()],
        "has_random_stages": builders.get(game).random_form() is not None,
        "assets": catalogue.get(game).assets,
        "crumbs": [*way, *here],
    }
    return render(request, template, {**shared, **context}, status=status)


def _rating_of(design: StageDesign | None) -> list[tuple[str, str]]:
    """The short facts of a stage's newest rating; empty when there is no result."""
    rating = selectors.rating_of(design) if design else None
    return stage_pages.get(design.game).rating(rating.result, short=True) if design and rating and rating.result else []


def _example(game: str) -> str:
    """A ready-made stage as an example text; "" when there is none."""
    found: StageDesign | None = selectors.ready_made_designs().filter(game=game).first()
    return builders.get(game).example(found.spec) if found else ""
