"""Own turns driven again: the three that gave up most in a stage, and those that come back."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship.accounts.requests import SignedInRequest
from championship.platform.refusals import Refusal, Refused
from championship.puzzles import positions, selectors, services, turn_page
from championship.puzzles.services import turns_again
from championship.puzzles.turn_page import AskedTurn
from championship.runs.models import Run
from championship.runs.pages.stage_page import in_place
from championship.runs.watch.selectors import crumbs
from engine import registry
from engine.contract import RuleError


@login_required
@require_safe
def due(request: SignedInRequest) -> HttpResponse:
    """List the own turns that come back today."""
    context = {
        "turns": selectors.due(request.user, today=services.today()),
        "crumbs": [(_("Puzzles"), reverse("puzzles:archive")), (_("My turns again"), None)],
    }
    return render(request, "puzzles/due.html", context)


@login_required
@require_safe
def turns(request: SignedInRequest, key: str) -> HttpResponse:
    """List the turns of a run to drive again."""
    run, seat = selectors.own_run(key, request.user)
    costly = positions.costly_turns(run, seat)
    context = {
        "run": run,
        "turns": [(number, event) for number, (event, _amount) in enumerate(costly, 1)],
        "said": turn_page.costly_words(run.game, sum(amount for _event, amount in costly)),
        "crumbs": [*crumbs(run, linked=True), (_("Three turns to drive again"), None)],
    }
    return render(request, "puzzles/turns.html", context)


def _asked(request: SignedInRequest, key: str, event: int) -> tuple[Run, AskedTurn, dict[str, Any]]:
    """Return a run, its turn as a question to its driver, and what else the page shows.

    Raises: Http404 where the person has not driven it, or nothing can be asked there.
    """
    run, seat = selectors.own_run(key, request.user)
    state, question, prepared = positions.question_at(run, event, seat)
    made = registry.get(run.game).turns_made(state, seat)
    turn = AskedTurn(
        run=run,
        state=state,
        seat=seat,
        question=question,
        address=reverse("puzzles:again", args=[run.key, event]),
        title=_("Turn %(number)d again") % {"number": made + 1},
        goal=str(turn_page.asking_of(run.game).goal_again),
        prepared=prepared,
    )
    costly = [each for each, _amount in positions.costly_turns(run, seat)]
    following = next((each for each in costly if each > event), None)
    context = {
        "crumbs": [*crumbs(run, linked=True), (turn.title, None)],
        "again_url": turn.address,
        "following": None if following is None else reverse("puzzles:again", args=[run.key, following]),
        "list_url": reverse("puzzles:turns", args=[run.key]),
    }
    return run, turn, context


@login_required
@require_safe
def turn(request: SignedInRequest, key: str, event: int) -> HttpResponse:
    """Show a turn as a question, or what the answer in the address is worth."""
    _run, asked, context = _asked(request, key, event)
    found = turn_page.answer_at(request, asked)
    return turn_page.shown(request, asked, context, draft=turn_page.draft_at(request), answer=found)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: SignedInRequest, key: str, event: int) -> HttpResponse:
    """Judge an answer, or show the best way. A turn that was missed comes back another day."""
    run, asked, context = _asked(request, key, event)
    if request.method != "POST":
        return redirect(asked.address)
    try:
        judged = turn_page.posted(request, asked)
    except RuleError as error:
        refusal = Refused(error.words(_), field="plan", rule=error.rule, move=error.move)
        return turn_page.refused(request, asked, refusal, context)
    except Refusal as refused:
        return turn_page.refused(request, asked, refused, context)
    kept = turns_again.driven_again(by=request.user, run=run, event=event, solved=judged.solved, day=services.today())
    if not in_place(request):
        return redirect(f"{asked.address}?{turn_page.query(judged)}#panel")
    return turn_page.shown(request, asked, {**context, "comes_back": kept and kept.due}, answer=judged)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: SignedInRequest, key: str, event: int) -> HttpResponse:
    """Lay one step of an answer."""
    _run, asked, context = _asked(request, key, event)
    return turn_page.draft_step(request, asked, context)


@login_required
@require_safe
def at(request: SignedInRequest, key: str, event: int, place: str = "") -> HttpResponse:
    """Show what is at a place of the map."""
    return turn_page.place_at(request, _asked(request, key, event)[1], place)
