"""Stage pages: a club's shelf of stages, one stage with its map, and designing a new one."""

from collections.abc import Iterable
from http import HTTPStatus

from csp.constants import NONE
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import check_for_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.clubs import selectors as clubs
from championship.clubs.models import Club
from championship.clubs.services import require_role
from championship.refusals import Forbidden, Refused
from championship.stages import games, rating, selectors, services
from championship.stages.forms import DesignForm
from championship.stages.models import StageDesign
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
        "own": _with_maps(selectors.designs_of(me.club)),
        "ready_made": _with_maps(selectors.ready_made()),
        "manages": not set(services.MAKERS).isdisjoint(me.roles),
        "crumbs": [*_crumbs(me.club), (_("Stages"), None)],
    }
    return render(request, "stages/club.html", context)


@require_safe
def design(request: HttpRequest, key: str) -> HttpResponse:
    """One stage: the map, its tiles, its length. Anybody with the key may look."""
    found = get_object_or_404(selectors.shown(), key=key)
    maps = games.get(found.game)
    context = {
        "design": found,
        "map": maps.map_svg(found.spec, title=found.title, ident="stage"),
        "rows": maps.rows(found.spec),
        "summary": maps.summary(found.spec),
        "text": maps.write_text(found.spec),
        "rating": selectors.rating_of(found),
        "may_rate": selectors.may_rate(found, request.user),
        "crumbs": _design_crumbs(request, found),
    }
    return render(request, "stages/design.html", context)


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


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """Design a stage from a tile list; `look` shows it without keeping it. 422 when the tiles do not fit."""
    me = clubs.membership_of(user=request.user, slug=slug)
    require_role(request.user, me.club, *services.MAKERS)
    form = DesignForm(request.POST if request.method == "POST" else None)
    drawn = None
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        spec = {"service": given["service"], "boxes": given["boxes"]}
        try:
            if "look" in request.POST:
                checked = services.read_design(game=GAME, text=given["tiles"], spec=spec)
                drawn = games.get(GAME).map_svg(checked, title=given["name"], ident="stage")
            else:
                made = services.create_design(
                    by=request.user, club=me.club, name=given["name"], game=GAME, text=given["tiles"], spec=spec
                )
                messages.success(request, _("%s is on your shelf.") % made.name)
                return redirect(made)
        except Forbidden:
            raise
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
    crumbs = [*_crumbs(me.club), (_("Stages"), reverse("stages:club", args=[slug])), (_("Design a stage"), None)]
    context = {"club": me.club, "form": form, "map": drawn, "crumbs": crumbs, "example": _example()}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "stages/new.html", context, status=status)


def _example() -> str:
    """The list of a ready-made stage, to copy from."""
    found = selectors.ready_made().filter(game=GAME).first()
    return games.get(GAME).write_text(found.spec) if found else ""


def _with_maps(designs: Iterable[StageDesign]) -> list[dict[str, object]]:
    return [
        {
            "design": design,
            "map": games.get(design.game).small_svg(design.spec, title=design.title, ident=f"map-{design.pk}"),
            "summary": games.get(design.game).summary(design.spec),
        }
        for design in designs
    ]


def _crumbs(club: Club) -> list[tuple[str, str | None]]:
    return [(_("Clubs"), reverse("clubs:mine")), (club.name, reverse("clubs:club", args=[club.slug]))]


def _design_crumbs(request: HttpRequest, found: StageDesign) -> list[tuple[str, str | None]]:
    """The way back to the club's shelf, for its members."""
    if found.club is not None and clubs.is_member(request.user, found.club):
        shelf = reverse("stages:club", args=[found.club.slug])
        return [*_crumbs(found.club), (_("Stages"), shelf), (found.title, None)]
    return [(_("Stages"), None), (found.title, None)]
