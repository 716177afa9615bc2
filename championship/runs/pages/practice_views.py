"""The practice stage: describe it, begin it, skip lessons, leave it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.platform.refusals import Refusal, Refused, Stale
from championship.runs import play as services
from championship.runs.watch import practice as practices


@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest) -> HttpResponse:
    """Describe the practice stages, for everybody. A post begins one or continues it; with `anew` it
    begins a new one.
    """
    if request.method == "POST":
        if not isinstance(request.user, User):
            return redirect_to_login(request.path)
        try:
            game, restart = request.POST.get("game"), request.POST.get("anew") == "yes"
            exercise = request.POST.get("exercise") or None
            restart = restart or exercise is not None
            return redirect(services.begin_practice(by=request.user, game=game, restart=restart, exercise=exercise))
        except (Refused, Stale) as refusal:
            return _page(request, refusal)
    return _page(request)


def _page(request: HttpRequest, refusal: Refusal | None = None) -> HttpResponse:
    context = {
        "taught": [
            {"game": catalogue.get(name), "school": practices.school(name)} for name in practices.taught_games()
        ],
        "under_way": practices.under_way(request.user) if isinstance(request.user, User) else None,
        "crumbs": [(_("Practice"), None)],
        "refusal": refusal,
    }
    return render(request, "runs/practice_page.html", context, status=refusal.status if refusal else None)


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
    return redirect("runs:mine")
