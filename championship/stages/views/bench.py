"""The stage builder: the bench with its map, and other ways to put a stage there: a list, TOML, by lot, a copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.clubs import selectors as clubs
from championship.clubs.models import Club
from championship.clubs.services import require_role
from championship.refusals import Forbidden, Refused, Stale
from championship.stages import drafts, games, selectors, services
from championship.stages.forms import ImportForm, ListForm, NameForm
from championship.stages.games import bench as benches
from championship.stages.models import StageDesign
from championship.stages.views.shelf import GAME, crumbs_of, toml_answer, with_maps
from engine import ruleset

View = Callable[..., HttpResponse]
POSTS = ["GET", "HEAD", "POST"]


def at_the_bench(view: View) -> View:
    """A page of the club's builder: for its organisers, who are given their club; 404 for strangers."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, *args: Any) -> HttpResponse:
        club = clubs.membership_of(user=request.user, slug=slug).club
        require_role(request.user, club, *services.MAKERS)
        return view(request, club, *args)

    return guarded


@at_the_bench
@require_http_methods(POSTS)
def build(request: HttpRequest, club: Club) -> HttpResponse:
    """The bench; a post lays, turns, takes back. 409 where the draft has changed in another window, 422 where it does
    not fit: with the bench as it stands."""
    if request.method != "POST":
        return _bench(request, club, query=request.GET.dict())
    act = request.POST.dict()
    place = {"tile": act["place"]} if act.get("place") and act.get("do") in ("lay", "turn") else {}
    who: dict[str, Any] = {"by": request.user, "club": club, "game": GAME, "version": _version(request)}
    try:
        if act.get("do") == "back":
            drafts.take_back(**who)
        else:
            drafts.act(**who, act=act)
    except Forbidden:
        raise
    except Refused as refusal:
        return _bench(request, club, query=place, refusal=refusal)
    if _in_place(request):
        return _bench(request, club, query=place)
    return redirect(f"{reverse('stages:build', args=[club.slug])}?{urlencode(place)}#panel")


@at_the_bench
@require_POST
def save(request: HttpRequest, club: Club) -> HttpResponse:
    """Keep what lies on the bench in the club's library."""
    form = NameForm(request.POST)
    if form.is_valid():
        try:
            made = drafts.save(
                by=request.user, club=club, game=GAME, version=_version(request), name=form.cleaned_data["name"]
            )
        except Stale as stale:
            return _bench(request, club, refusal=stale, name=form)
        except Forbidden:
            raise
        except Refused as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("%s is on your shelf.") % made.name)
            return redirect(made)
    return _bench(request, club, name=form)


@at_the_bench
@require_http_methods(POSTS)
def as_list(request: HttpRequest, club: Club) -> HttpResponse:
    """The draft as a list of tiles, to be changed as text. `check` says what is wrong and changes nothing; 422 where
    something is."""
    draft = selectors.draft_of(request.user, club, GAME)
    bench = benches.get(GAME)
    begun = {"text": games.get(GAME).write_text(draft.spec)}
    form = ListForm(request.POST if request.method == "POST" else None, initial=begun)
    settings = bench.settings_form(request.POST if request.method == "POST" else None, draft=draft.spec)
    reading = None
    if request.method == "POST" and form.is_valid() and settings.is_valid():
        if "check" in request.POST:
            reading = bench.read(form.cleaned_data["text"], settings.cleaned_data)
        elif _put(request, club, form, form.cleaned_data["text"], settings.cleaned_data):
            return redirect("stages:build", club.slug)
    wrong = bool(form.errors or settings.errors or (reading and reading.wrong))
    context = {"form": form, "settings": settings, "reading": reading, "draft": draft}
    if request.headers.get("HX-Target") == "check":
        return render(request, "stages/parts/reading.html", context)
    return _page(request, club, "stages/list.html", _("Tile list"), context, _status(form, wrong=wrong))


@at_the_bench
@require_http_methods(POSTS)
def bring(request: HttpRequest, club: Club) -> HttpResponse:
    """Put a stage on the bench from TOML, a file or pasted; 422 with all that is wrong, and the bench as it was."""
    draft = selectors.draft_of(request.user, club, GAME)
    sent = request.POST.copy()
    form = ImportForm(sent if request.method == "POST" else None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        if _put(request, club, form, form.source, {}, toml=True):
            return redirect("stages:build", club.slug)
        if form.cleaned_data["file"]:  # a browser does not send a file twice: its text is kept where it can be mended
            sent["text"] = form.cleaned_data["file"]
    context = {"form": form, "draft": draft, "example": _example()}
    return _page(request, club, "stages/import.html", _("Import"), context, _status(form))


@at_the_bench
@require_http_methods(POSTS)
def by_lot(request: HttpRequest, club: Club) -> HttpResponse:
    """Put a random stage on the bench."""
    draft = selectors.draft_of(request.user, club, GAME)
    form = benches.get(GAME).random_form(
        request.POST if request.method == "POST" else None, wishes={**draft.wishes, "seed": None}
    )
    if request.method == "POST" and form.is_valid():
        wishes = {name: value for name, value in form.cleaned_data.items() if name != "seed"}
        seed = form.cleaned_data["seed"]
        try:
            made = drafts.lay_by_lot(
                by=request.user, club=club, game=GAME, version=_version(request), wishes=wishes, seed=seed
            )
        except Refused as refusal:
            _put_refusal(form, refusal)
        else:
            messages.success(request, _("Laid by lot, from seed %(seed)d.") % {"seed": made.wishes["seed"]})
            return redirect("stages:build", club.slug)
    return _page(request, club, "stages/random.html", _("By lot"), {"form": form, "draft": draft}, _status(form))


@at_the_bench
@require_safe
def templates(request: HttpRequest, club: Club) -> HttpResponse:
    """Stages to begin from: the ready-made ones and the club's own."""
    context = {
        "draft": selectors.draft_of(request.user, club, GAME),
        "own": with_maps(selectors.designs_of(club)),
        "ready_made": with_maps(selectors.ready_made()),
    }
    return _page(request, club, "stages/templates.html", _("Begin from a copy"), context)


@at_the_bench
@require_safe
def export(request: HttpRequest, club: Club) -> HttpResponse:
    """What lies on the bench as TOML, whole or half."""
    draft = selectors.draft_of(request.user, club, GAME)
    return toml_answer(GAME, draft.spec, draft.name or "draft")


def _put(
    request: HttpRequest,
    club: Club,
    form: forms.Form,
    text: str,
    settings: Mapping[str, Any],
    *,
    toml: bool = False,
) -> bool:
    """Put a text on the bench; where it cannot lie so, the form says why."""
    try:
        drafts.put(
            by=request.user,
            club=club,
            game=GAME,
            version=_version(request),
            text=text,
            settings=settings,
            toml=toml,
        )
    except Refused as refusal:
        _put_refusal(form, refusal)
        return False
    messages.success(request, _("It lies on the bench."))
    return True


def _put_refusal(form: forms.Form, refusal: Refused) -> None:
    """At its field, a line each; what is stale is said of the whole form, and known to `_status` by its code."""
    if isinstance(refusal, Forbidden):
        raise refusal
    code = "stale" if isinstance(refusal, Stale) else "refused"
    lines = [forms.ValidationError(line, code=code) for line in str(refusal).split("\n")]
    form.add_error(refusal.field if refusal.field in form.fields else None, forms.ValidationError(lines))


def _status(form: forms.Form, *, wrong: bool = False) -> HTTPStatus:
    if any(error.code == "stale" for error in form.errors.as_data().get("__all__", ())):
        return HTTPStatus.CONFLICT
    return HTTPStatus.UNPROCESSABLE_ENTITY if wrong or form.errors else HTTPStatus.OK


def _version(request: HttpRequest) -> int:
    """The version of the draft that the page showed; one that no draft has where the form was cut short."""
    sent = request.POST.get("version", "")
    return int(sent) if sent.isdecimal() and len(sent) < 10 else -1


def _in_place(request: HttpRequest) -> bool:
    """Whether the answer is put into the bench that the reader has before them."""
    return request.headers.get("HX-Target") == "bench" and "HX-History-Restore-Request" not in request.headers


def _bench(
    request: HttpRequest,
    club: Club,
    *,
    query: Mapping[str, str] | None = None,
    refusal: Refused | None = None,
    name: NameForm | None = None,
) -> HttpResponse:
    """The bench as it stands, with what was refused where something was."""
    draft = selectors.draft_of(request.user, club, GAME)
    shown = benches.get(GAME).show(draft.spec, query or {})
    found = ruleset.get(GAME).survey(draft.spec)
    known = selectors.known_as(draft, club)
    status = HTTPStatus.OK
    if refusal is not None:
        status = refusal.status
    elif name is not None:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {
        "draft": draft,
        "bench": shown,
        "missing": [benches.said(fault) for fault in found.missing],
        "doubts": [benches.said(fault) for fault in found.doubts],
        "whole": found.whole,
        "notes": benches.get(GAME).pace_notes(draft.spec),
        "known": known,
        "rating": selectors.rating_of(known) if known else None,
        "refusal": refusal,
        "name_form": name or NameForm(initial={"name": draft.name}),
        "frame": "stages/fragment.html" if _in_place(request) else "base.html",
        **shown.context,
    }
    answer = _page(request, club, "stages/build.html", _("Stage builder"), context, status)
    if request.method == "POST" and _in_place(request):
        answer["HX-Replace-Url"] = reverse("stages:build", args=[club.slug])
    return answer


def _page(
    request: HttpRequest,
    club: Club,
    template: str,
    title: str,
    context: Mapping[str, Any],
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    builder = (_("Stage builder"), reverse("stages:build", args=[club.slug]))
    way = [*crumbs_of(club), (_("Stages"), reverse("stages:club", args=[club.slug]))]
    here = [(title, None)] if template == "stages/build.html" else [builder, (title, None)]
    return render(request, template, {"club": club, "crumbs": [*way, *here], **context}, status=status)


def _example() -> str:
    """A ready-made stage as TOML, to learn from."""
    found: StageDesign | None = selectors.ready_made().filter(game=GAME).first()
    return ruleset.get(GAME).write_stage(found.spec) if found else ""
