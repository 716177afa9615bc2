"""Stage pages: a club's shelf; one stage with its map, pace notes and rating, to share, copy, rename and remove."""

from collections.abc import Iterable
from http import HTTPStatus

from csp.constants import NONE
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.text import slugify
from django.utils.translation import check_for_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from championship.clubs import selectors as clubs
from championship.clubs.models import Club
from championship.refusals import Forbidden, Refused
from championship.stages import drafts, games, rating, selectors, services
from championship.stages.forms import ClubForm, NameForm
from championship.stages.games import Spec
from championship.stages.games import bench as benches
from championship.stages.models import StageDesign
from engine import ruleset
from engine.ruleset import StageError

LAND_AGE = 365 * 24 * 60 * 60  # seconds
GAME = games.names()[0]
"""What clubs design stages for, as long as one game only has tiles."""


@login_required
@require_safe
def club_stages(request: HttpRequest, slug: str) -> HttpResponse:
    """The club's own stages and the ready-made ones, each with a small map."""
    me = clubs.membership_of(user=request.user, slug=slug)
    context = {
        "club": me.club,
        "own": with_maps(selectors.designs_of(me.club)),
        "ready_made": with_maps(selectors.ready_made()),
        "manages": not set(services.MAKERS).isdisjoint(me.roles),
        "crumbs": [*crumbs_of(me.club), (_("Stages"), None)],
    }
    return render(request, "stages/club.html", context)


@require_safe
def design(request: HttpRequest, key: str) -> HttpResponse:
    """One stage: the map, its tiles, its length, its pace notes. Anybody with the key may look."""
    return _design_page(request, get_object_or_404(selectors.shown(), key=key))


@require_safe
def notes(request: HttpRequest, key: str) -> HttpResponse:
    """The pace notes of a stage alone, to be printed and read out."""
    found = get_object_or_404(selectors.shown(), key=key)
    *way, _here = _design_crumbs(request, found)
    context = {
        "design": found,
        "notes": benches.get(found.game).pace_notes(found.spec),
        "summary": games.get(found.game).summary(found.spec),
        "map": games.get(found.game).small_svg(found.spec, title=found.title, ident="notes"),
        "crumbs": [*way, (found.title, found.get_absolute_url()), (_("Pace notes"), None)],
    }
    return render(request, "stages/notes.html", context)


@require_safe
def toml(request: HttpRequest, key: str) -> HttpResponse:
    """The stage as a file that the engine reads."""
    found = get_object_or_404(StageDesign, key=key)
    return toml_answer(found.game, found.spec, found.title)


def toml_answer(game: str, spec: Spec, name: str) -> HttpResponse:
    """A stage as a file to keep, named after it."""
    answer = HttpResponse(ruleset.get(game).write_stage(spec), content_type="application/toml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slugify(name) or "stage"}.toml"'
    return answer


@login_required
@require_POST
def copy(request: HttpRequest, key: str) -> HttpResponse:
    """Copy the stage onto the bench of a club that the person organises, or (`shelf`) straight into its library."""
    found = get_object_or_404(selectors.shown(), key=key)
    form = ClubForm(request.POST, clubs=selectors.organised_by(request.user))
    if not form.is_valid():
        return _design_page(request, found, copied=form)
    club = clubs.club_for_member(user=request.user, slug=form.cleaned_data["club"])
    if "shelf" in request.POST:
        made = services.copy_design(by=request.user, design=found, club=club)
        messages.success(request, _("%s is on your shelf.") % made.name)
        return redirect(made)
    drafts.copy_to_bench(by=request.user, club=club, design=found)
    messages.success(request, _("A copy lies on the bench. What lay there before can be taken back."))
    return redirect("stages:build", club.slug)


@login_required
@require_POST
def rename(request: HttpRequest, key: str) -> HttpResponse:
    """Give a club's stage another name."""
    found = _own(request, key)
    form = NameForm(request.POST)
    if form.is_valid():
        try:
            return redirect(services.rename_design(by=request.user, design=found, name=form.cleaned_data["name"]))
        except Forbidden:
            raise
        except Refused as refusal:
            form.add_error("name", str(refusal))
    return _design_page(request, found, renamed=form)


@login_required
@require_POST
def remove(request: HttpRequest, key: str) -> HttpResponse:
    """Take a stage off the club's shelf, unless a rally drives it."""
    found = _own(request, key)
    name = found.title
    try:
        services.remove_design(by=request.user, design=found)
    except Forbidden:
        raise
    except Refused as refusal:
        return _design_page(request, found, refusal=refusal)
    messages.success(request, _("%s is off the shelf.") % name)
    return redirect("stages:club", found.club.slug)


def _own(request: HttpRequest, key: str) -> StageDesign:
    """A stage of a club that the person belongs to."""
    found = get_object_or_404(selectors.shown(), key=key)
    if found.club is None:
        raise Forbidden(_("Ready-made stages stay as they are."))
    clubs.membership_of(user=request.user, slug=found.club.slug)
    return found


def _design_page(
    request: HttpRequest,
    found: StageDesign,
    *,
    copied: ClubForm | None = None,
    renamed: NameForm | None = None,
    refusal: Refused | None = None,
) -> HttpResponse:
    """The stage with what its reader may do with it; 422 with what was refused where something was."""
    maps = games.get(found.game)
    mine = selectors.organised_by(request.user)
    manages = any(club.pk == found.club_id for club in mine)
    context = {
        "design": found,
        "map": maps.map_svg(found.spec, title=found.title, ident="stage"),
        "rows": maps.rows(found.spec),
        "summary": maps.summary(found.spec),
        "text": maps.write_text(found.spec),
        "notes": benches.get(found.game).pace_notes(found.spec),
        "rating": selectors.rating_of(found),
        "may_rate": selectors.may_rate(found, request.user),
        "manages": manages,
        "address": request.build_absolute_uri(found.get_absolute_url()),
        "copied": (copied or ClubForm(clubs=mine)) if mine else None,
        "renamed": renamed or NameForm(initial={"name": found.name}),
        "refusal": refusal,
        "crumbs": _design_crumbs(request, found),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if copied or renamed or refusal else HTTPStatus.OK
    return render(request, "stages/design.html", context, status=status)


@require_safe
def land(request: HttpRequest, game: str, edition: str, language: str, road: str) -> HttpResponse:
    """The picture of a stage that lies under everything that moves on it. Its address says all that is in it, so it
    never changes; that of another edition is shown as it is drawn now, and not kept.
    """
    if game not in games.names() or not check_for_language(language):
        raise Http404
    try:
        with translation.override(language):
            drawn = games.get(game).land(road)
    except StageError as error:
        raise Http404(error.message) from error
    answer = HttpResponse(drawn.text, content_type="image/svg+xml")
    answer["Cache-Control"] = f"public, max-age={LAND_AGE}, immutable" if edition == drawn.edition else "no-cache"
    answer._csp_replace = {"default-src": [NONE], "style-src": [f"'{drawn.style}'"]}  # type: ignore[attr-defined]
    return answer


@login_required
@require_POST
def rate(request: HttpRequest, key: str) -> HttpResponse:
    """Have the stage driven by codrivers, to learn how hard it is."""
    found = get_object_or_404(selectors.shown(), key=key)
    rating.rate_stage(by=request.user, design=found)
    return redirect(found)


@require_safe
def rating_part(request: HttpRequest, key: str) -> HttpResponse:
    """The rating alone, for a page that shows how far it has come."""
    found = get_object_or_404(selectors.shown(), key=key)
    context = {
        "design": found,
        "rating": selectors.rating_of(found),
        "may_rate": selectors.may_rate(found, request.user),
    }
    return render(request, "stages/parts/rating.html", context)


def with_maps(designs: Iterable[StageDesign]) -> list[dict[str, object]]:
    """Stages for a shelf: each with its small map and its length."""
    return [
        {
            "design": design,
            "map": games.get(design.game).small_svg(design.spec, title=design.title, ident=f"map-{design.pk}"),
            "summary": games.get(design.game).summary(design.spec),
        }
        for design in designs
    ]


def crumbs_of(club: Club) -> list[tuple[str, str | None]]:
    """The way to a club."""
    return [(_("Clubs"), reverse("clubs:mine")), (club.name, reverse("clubs:club", args=[club.slug]))]


def _design_crumbs(request: HttpRequest, found: StageDesign) -> list[tuple[str, str | None]]:
    """The way back to the club's shelf, for its members."""
    if found.club is not None and clubs.is_member(request.user, found.club):
        shelf = reverse("stages:club", args=[found.club.slug])
        return [*crumbs_of(found.club), (_("Stages"), shelf), (found.title, None)]
    return [(_("Stages"), None), (found.title, None)]
