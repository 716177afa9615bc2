"""The schools, and the practice stage: describe it, begin it, skip lessons, leave it. A visitor drives as a guest."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from championship import catalogue
from championship.accounts import guests
from championship.accounts.requests import SignedInRequest, is_signed_in
from championship.platform.refusals import Refusal, Refused, Stale
from championship.rallies.entries.codrivers import called, labelled
from championship.runs import play as services
from championship.runs.watch import practice as practices
from championship.runs.watch import scenes


@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest) -> HttpResponse:
    """Show the schools and describe the practice stages, for everybody. A post begins a stage or continues it; with
    `anew` it begins a new one. Where that would end another stage, it asks first.
    """
    if request.method == "POST":
        try:
            game, restart = request.POST.get("game"), request.POST.get("anew") == "yes"
            exercise = request.POST.get("exercise") or None
            opponent = request.POST.get("opponent", "") if "against" in request.POST else ""
            restart = restart or exercise is not None or bool(opponent)
            if game is not None:
                practices.game_taught(game)  # a wrong name makes no guest
            by = request.user if is_signed_in(request) else guests.guest_for(request)
            begun = services.begin_practice(by=by, game=game, restart=restart, exercise=exercise, opponent=opponent)
            return redirect(begun)
        except services.OtherUnderWay as refusal:
            return _page(request, refusal, wanted=catalogue.get(str(game)))
        except (Refused, Stale) as refusal:
            return _page(request, refusal)
    return _page(request)


def _opponents(game: str) -> list[tuple[str, str, str]]:
    """Return the codrivers of a game, the weakest first: the name, what it is called, the label with its strength."""
    return [(manner, called(game, manner), label) for manner, label in labelled(game)]


def _page(
    request: HttpRequest, refusal: Refusal | None = None, *, wanted: catalogue.Game | None = None
) -> HttpResponse:
    """The page about practice. `wanted`: the game whose stage would replace the one under way."""
    driver = request.user if is_signed_in(request) else guests.guest_of(request)
    context = {
        "schools": scenes.schools(driver),
        "taught": [
            {"game": catalogue.get(name), "school": practices.school(name), "opponents": _opponents(name)}
            for name in practices.taught_games()
        ],
        "under_way": None if driver is None else practices.under_way(driver),
        "wanted": wanted,
        "crumbs": [(_("Practice"), None)],
        "refusal": refusal,
    }
    answer = render(request, "runs/practice_page.html", context, status=refusal.status if refusal else None)
    return guests.with_wait(answer, refusal)


@login_required
@require_POST
def skip(request: SignedInRequest) -> HttpResponse:
    """Skip the lesson that the form names, or all of them."""
    name = None if request.POST.get("all") else request.POST.get("lesson", "")
    return redirect(services.skip_lesson(by=request.user, name=name))


@login_required
@require_POST
def leave(request: SignedInRequest) -> HttpResponse:
    """Leave the practice stage."""
    services.leave_practice(by=request.user)
    messages.success(request, _("You have left the practice."))
    return redirect("runs:practice")
