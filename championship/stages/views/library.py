"""Stage pages: a club's library; one stage with its map, pace notes and rating, to share, copy, rename and remove."""

from collections.abc import Iterable
from http import HTTPStatus

from csp.constants import NONE
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.text import slugify
from django.utils.translation import check_for_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from championship import catalogue
from championship.accounts.requests import SignedInRequest
from championship.clubs import selectors as clubs
from championship.clubs.models import Club
from championship.platform.refusals import Forbidden, Refusal, Refused, Stale
from championship.platform.web import headers
from championship.stages import builders, selectors, services, stage_pages
from championship.stages.builders import PaceNotes
from championship.stages.forms import ClubForm, NameForm
from championship.stages.models import StageDesign
from championship.stages.services import rating as scores
from championship.stages.services import stage_drafts
from championship.stages.stage_pages import Spec
from engine import registry
from engine.contract import CourseImport, StageError, offered

LAND_AGE = 365 * 24 * 60 * 60  # seconds
LONGEST_SHOWN = 10_000
"""A stage whose text has more characters is not shown as text, only exported."""


@login_required
@require_safe
def club_stages(request: SignedInRequest, slug: str) -> HttpResponse:
    """The club's own stages and the ready-made ones, each with a small map."""
    me = clubs.membership_of(user=request.user, slug=slug)
    context = {
        "club": me.club,
        "own": with_maps(selectors.designs_of(me.club)),
        "ready_made": with_maps(selectors.ready_made_designs()),
        "manages": not set(services.MAKERS).isdisjoint(me.roles),
        "builders": [catalogue.get(name) for name in builders.names()],
        "plain_imports": [catalogue.get(name) for name in builders.plain_imports()],
        "workshops": stage_pages.workshops(me.club),
        "games_with_random_stages": [name for name in builders.names() if builders.get(name).random_form() is not None],
        "crumbs": [*crumbs_of(me.club), (_("Stages"), None)],
    }
    return render(request, "stages/club.html", context)


@require_safe
def design(request: HttpRequest, key: str) -> HttpResponse:
    """One stage: the map, its pieces, its length, its pace notes. Anybody with the key may see it, unless the club is
    for members only.
    """
    return _design_page(request, selectors.design_by_key(key, request.user))


@require_safe
def notes(request: HttpRequest, key: str) -> HttpResponse:
    """The pace notes of a stage alone, to be printed and read out."""
    found = selectors.design_by_key(key, request.user)
    *way, _here = _design_crumbs(request, found)
    context = {
        "design": found,
        "game": catalogue.get(found.game),
        "notes": notes_of(found),
        "summary": stage_pages.get(found.game).summary(found.spec),
        "map": stage_pages.get(found.game).small_svg(found.spec, title=found.title, ident="notes"),
        "crumbs": [*way, (found.title, found.get_absolute_url()), (_("Pace notes"), None)],
    }
    return render(request, "stages/notes.html", context)


@require_safe
def toml(request: HttpRequest, key: str) -> HttpResponse:
    """The stage as a file that the engine reads."""
    found = selectors.design_by_key(key, request.user)
    return toml_answer(found.game, found.spec, found.title)


def toml_answer(game: str, spec: Spec, name: str) -> HttpResponse:
    """A download of the stage as a file that is named after it.

    Raises: Http404 when the game writes no courses.
    """
    course_import = offered(registry.get(game), CourseImport)
    if course_import is None:
        raise Http404(_("This game cannot export courses."))
    answer = HttpResponse(course_import.write_course(spec), content_type="application/toml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slugify(name) or "stage"}.toml"'
    return answer


@login_required
@require_POST
def copy(request: SignedInRequest, key: str) -> HttpResponse:
    """Copy the stage into the builder of a club that the person organises, or (`library`) directly into its library."""
    found = selectors.design_by_key(key, request.user)
    form = ClubForm(request.POST, clubs=selectors.clubs_to_build_for(request.user))
    if not form.is_valid():
        return _design_page(request, found, copied=form)
    club = clubs.club_for_member(user=request.user, slug=form.cleaned_data["club"])
    if "library" in request.POST:
        made = services.copy_design(by=request.user, design=found, club=club)
        messages.success(request, _("%s is in your library.") % made.name)
        return redirect(made)
    stage_drafts.copy_to_builder(by=request.user, club=club, design=found)
    messages.success(request, _("A copy is in the draft. You can bring back what was there before."))
    return redirect(builders.url_of("build", club, found.game))


@login_required
@require_POST
def rename(request: SignedInRequest, key: str) -> HttpResponse:
    """Give a club's stage another name."""
    found = _own(request, key)
    form = NameForm(request.POST, game=found.game)
    if form.is_valid():
        try:
            return redirect(services.rename_design(by=request.user, design=found, name=form.cleaned_data["name"]))
        except (Refused, Stale) as refusal:
            form.add_error("name", str(refusal))
    return _design_page(request, found, renamed=form)


@login_required
@require_POST
def remove(request: SignedInRequest, key: str) -> HttpResponse:
    """Delete a club's stage, unless a rally drives it."""
    found = _own(request, key)
    name, slug = found.title, found.club.slug if found.club else ""
    try:
        services.remove_design(by=request.user, design=found)
    except (Refused, Stale) as refusal:
        return _design_page(request, found, refusal=refusal)
    messages.success(request, _("%s is removed from the library.") % name)
    return redirect("stages:club", slug)


def _own(request: SignedInRequest, key: str) -> StageDesign:
    """The stage of that key, which must belong to a club of the person."""
    found = selectors.design_by_key(key, request.user)
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
    refusal: Refusal | None = None,
) -> HttpResponse:
    """The page of a stage with the actions that the reader may take; 422 when an action was refused."""
    maps = stage_pages.get(found.game)
    text = maps.write_text(found.spec)
    mine = selectors.clubs_to_build_for(request.user)
    manages = any(club.pk == found.club_id for club in mine)
    context = {
        "design": found,
        "game": catalogue.get(found.game),
        "map": maps.map_svg(found.spec, title=found.title, ident="stage"),
        "table": maps.table(found.spec),
        "summary": maps.summary(found.spec),
        "character": stage_pages.character_of(found.game, found.spec),
        "text": text if len(text) <= LONGEST_SHOWN else "",
        "exported": bool(text),
        "notes": notes_of(found),
        **rating_shown(found),
        "may_rate": selectors.may_rate(found, request.user),
        "manages": manages,
        "address": request.build_absolute_uri(found.get_absolute_url()),
        "copied": (copied or ClubForm(clubs=mine)) if mine and found.game in builders.names() else None,
        "renamed": renamed or NameForm(initial={"name": found.name}, game=found.game),
        "refusal": refusal,
        "crumbs": _design_crumbs(request, found),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if copied or renamed or refusal else HTTPStatus.OK
    return render(request, "stages/design.html", context, status=status)


@require_safe
def land(request: HttpRequest, game: str, edition: str, language: str, road: str) -> HttpResponse:
    """The background picture of a stage, without anything that moves.

    Its URL contains everything that it shows, so browsers cache it for ever. A URL with another edition gets the
    picture as it is drawn now, with `no-cache`.
    """
    if game not in stage_pages.names() or not check_for_language(language):
        raise Http404
    try:
        with translation.override(language):
            drawn = stage_pages.get(game).land(road)
    except StageError as error:
        raise Http404(error.message) from error
    answer = HttpResponse(drawn.text, content_type="image/svg+xml")
    answer["Cache-Control"] = f"public, max-age={LAND_AGE}, immutable" if edition == drawn.edition else "no-cache"
    return headers.replace_in_policy(answer, {"default-src": [NONE], "style-src": [f"'{drawn.style}'"]})


@login_required
@require_POST
def rate(request: SignedInRequest, key: str) -> HttpResponse:
    """Start a rating of the stage."""
    found = selectors.design_by_key(key, request.user)
    scores.rate_stage(by=request.user, design=found)
    return redirect(found)


@require_safe
def rating_part(request: HttpRequest, key: str) -> HttpResponse:
    """The rating alone, for a page that shows its progress."""
    found = selectors.design_by_key(key, request.user)
    context = {
        "design": found,
        **rating_shown(found),
        "may_rate": selectors.may_rate(found, request.user),
    }
    return render(request, "stages/parts/rating.html", context)


def with_maps(designs: Iterable[StageDesign]) -> list[dict[str, object]]:
    """Stages for a list: each with its small map, its length and its game."""
    return [
        {
            "design": design,
            "map": stage_pages.get(design.game).small_svg(design.spec, title=design.title, ident=f"map-{design.pk}"),
            "summary": stage_pages.get(design.game).summary(design.spec),
            "character": stage_pages.character_of(design.game, design.spec),
            "game": catalogue.get(design.game),
        }
        for design in designs
    ]


def notes_of(design: StageDesign) -> PaceNotes:
    """The pace notes of a stage; empty when its game has no stage builder."""
    builder = builders.STAGE_BUILDER.of(design.game)
    return builder.pace_notes(design.spec) if builder else PaceNotes([])


def rating_shown(design: StageDesign) -> dict[str, object]:
    """Template context: a stage's newest rating, its facts, and whether the game rates stages."""
    rating = selectors.rating_of(design)
    facts = stage_pages.get(design.game).rating(rating.result) if rating and rating.result else []
    game = catalogue.get(design.game)
    return {"game": game, "rating": rating, "rating_facts": facts, "rates": scores.can_be_rated(design)}


def crumbs_of(club: Club) -> list[tuple[str, str | None]]:
    """The breadcrumbs to a club."""
    return [(_("Clubs"), reverse("clubs:mine")), (club.name, reverse("clubs:club", args=[club.slug]))]


def _design_crumbs(request: HttpRequest, found: StageDesign) -> list[tuple[str, str | None]]:
    """The breadcrumbs of a stage; the club's library is a link for its members only."""
    if found.club is not None and clubs.is_member(request.user, found.club):
        library = reverse("stages:club", args=[found.club.slug])
        return [*crumbs_of(found.club), (_("Stages"), library), (found.title, None)]
    return [(_("Stages"), None), (found.title, None)]
