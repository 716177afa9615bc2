"""Drive on from a turn of a finished run, on pages that only the person sees."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.requests import SignedInRequest
from championship.platform.refusals import Refusal, Refused
from championship.puzzles import turn_page
from championship.puzzles.models import DriveOn
from championship.puzzles.services import driving_on
from championship.puzzles.turn_page import AskedTurn
from championship.runs.pages.forms import PostForm
from championship.runs.pages.stage_page import in_place, sent_form
from championship.runs.watch.selectors import crumbs, run_by_key
from engine.contract import RuleError

LONGEST_NUMBER = 6


@login_required
@require_POST
def begin(request: SignedInRequest, key: str) -> HttpResponse:
    """Begin to drive on from the moment of a run that the form names."""
    run, at = run_by_key(key, request.user), request.POST.get("at", "")
    if not (at.isascii() and at.isdecimal() and len(at) <= LONGEST_NUMBER):
        raise Http404
    return redirect(driving_on.begin(by=request.user, run=run, event=int(at)))


def _asked(
    request: SignedInRequest, key: str, drive: DriveOn | None = None
) -> tuple[DriveOn, AskedTurn, dict[str, Any]]:
    """Return an own drive on, its turn, and what else its page shows.

    Raises: Http404 where it is not the person's, or they may not see its run any more.
    """
    found = drive or get_object_or_404(DriveOn.objects.select_related("run"), key=key, person=request.user)
    run = run_by_key(found.run.key, request.user)
    now = driving_on.driven(found)
    turn = AskedTurn(
        run=run,
        state=found.state,
        seat=found.seat,
        question=None,
        address=found.get_absolute_url(),
        title=_("Drive on from here"),
        goal=_("You drive car %(number)s, the codriver all others. It counts for nothing.") % {"number": found.seat},
        posts=now.posts,
        now=now.state,
        over=driving_on.is_over(found, now),
    )
    context = {
        "drive": found,
        "over": turn.over,
        "results": driving_on.results(found, now) if turn.over else None,
        "origin": run,
        "list_url": run.get_absolute_url(),
        "crumbs": [*crumbs(run, linked=True), (turn.title, None)],
    }
    return found, turn, context


@login_required
@require_safe
def drive(request: SignedInRequest, key: str) -> HttpResponse:
    """Show a drive on."""
    _found, turn, context = _asked(request, key)
    return turn_page.shown(request, turn, context, draft=turn_page.draft_at(request))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def turn(request: SignedInRequest, key: str) -> HttpResponse:
    """Play orders. Sent twice they are played once."""
    found, now, context = _asked(request, key)
    if request.method != "POST":
        return redirect(found)
    try:
        form = sent_form(PostForm(request.POST))
        orders = turn_page.orders_in(request, now)
        found = driving_on.play(by=request.user, drive=found, orders=orders, key=form["key"])
    except RuleError as error:
        refusal = Refused(error.words(_), field="plan", rule=error.rule, move=error.move)
        return turn_page.refused(request, now, refusal, context)
    except Refusal as refused:
        return turn_page.refused(request, now, refused, context)
    if not in_place(request):
        return redirect(f"{found.get_absolute_url()}#panel")
    _found, now, context = _asked(request, key, found)
    return turn_page.shown(request, now, context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: SignedInRequest, key: str) -> HttpResponse:
    """Lay one step."""
    _found, turn, context = _asked(request, key)
    return turn_page.draft_step(request, turn, context)


@login_required
@require_safe
def at(request: SignedInRequest, key: str, place: str = "") -> HttpResponse:
    """Show what is at a place of the map."""
    return turn_page.place_at(request, _asked(request, key)[1], place)
