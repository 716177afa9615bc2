"""The puzzle of each day: the question on the map, the answer by its value, votes, the archive, one's rating.

Nobody needs an account to try. Only the first answer of somebody with an account is stored.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest, is_signed_in
from championship.platform.refusals import Refusal, Refused
from championship.puzzles import selectors, services, turn_page
from championship.puzzles.models import Puzzle
from championship.puzzles.positions import asked_now
from championship.puzzles.turn_page import AskedTurn
from championship.runs.pages.stage_page import in_place
from engine.contract import RuleError


@require_safe
def today(request: HttpRequest) -> HttpResponse:
    """Lead to the puzzle of the day, or to the newest one; where there is none, say when one comes."""
    found = selectors.newest(today=services.today())
    if found is not None:
        return redirect(found)
    return render(request, "puzzles/none.html", {"crumbs": [(_("Puzzles"), None)]})


@require_safe
def archive(request: HttpRequest) -> HttpResponse:
    """List the puzzles of all days."""
    person = _person(request)
    found = selectors.past(today=services.today(), number=request.GET.get("page", "1"))
    solved = selectors.solved_days(person, list(found))
    context = {
        "puzzles": [(puzzle, catalogue.get(puzzle.run.game), solved.get(puzzle.pk)) for puzzle in found],
        "page_obj": found,
        "mine": selectors.mine(person, None),
        "signed_in": person is not None,
        "crumbs": [(_("Puzzles"), reverse("puzzles:today")), (_("All days"), None)],
    }
    return render(request, "puzzles/archive.html", context)


def _person(request: HttpRequest) -> User | None:
    """Return the person who has signed in; None for visitors and guests."""
    return request.user if is_signed_in(request) and not request.user.is_guest else None


def _asked(day: date) -> tuple[Puzzle, AskedTurn]:
    """Return the puzzle of a day and its turn.

    Raises: Http404 when the day has none that everybody may see.
    """
    puzzle = selectors.puzzle_of(day, today=services.today())
    question, prepared = asked_now(puzzle)
    asking = turn_page.asking_of(puzzle.run.game)
    turn = AskedTurn(
        run=puzzle.run,
        state=puzzle.state,
        seat=puzzle.seat,
        question=question,
        address=puzzle.get_absolute_url(),
        title=str(asking.title),
        goal=str(asking.goal),
        prepared=prepared,
    )
    return puzzle, turn


def _context(request: HttpRequest, puzzle: Puzzle) -> dict[str, Any]:
    return {
        "puzzle": puzzle,
        "mine": selectors.mine(_person(request), puzzle),
        "signed_in": _person(request) is not None,
        "again_url": puzzle.get_absolute_url(),
        "crumbs": [(_("Puzzles"), reverse("puzzles:archive")), (puzzle.day, None)],
    }


@require_safe
def puzzle(request: HttpRequest, day: date) -> HttpResponse:
    """Show the puzzle of a day, or what the answer in the address is worth."""
    found, turn = _asked(day)
    answer = turn_page.answer_at(request, turn)
    return turn_page.shown(request, turn, _context(request, found), draft=turn_page.draft_at(request), answer=answer)


@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: HttpRequest, day: date) -> HttpResponse:
    """Judge an answer, or show the best way. The first one of a person is stored, and rates both."""
    found, turn = _asked(day)
    if request.method != "POST":
        return redirect(turn.address)
    try:
        judged = turn_page.posted(request, turn)
    except RuleError as error:
        refusal = Refused(error.words(_), field="plan", rule=error.rule, move=error.move)
        return turn_page.refused(request, turn, refusal, _context(request, found))
    except Refusal as refused:
        return turn_page.refused(request, turn, refused, _context(request, found))
    person = _person(request)
    if person is not None:
        services.answer(by=person, puzzle=found, given_up=judged.loss, solved=judged.solved)
        found.refresh_from_db(fields=["tried", "solved", "rating"])
    if not in_place(request):
        return redirect(f"{turn.address}?{turn_page.query(judged)}#panel")
    return turn_page.shown(request, turn, _context(request, found), answer=judged)


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, day: date) -> HttpResponse:
    """Lay one step of an answer."""
    found, turn = _asked(day)
    return turn_page.draft_step(request, turn, _context(request, found))


@require_safe
def at(request: HttpRequest, day: date, place: str = "") -> HttpResponse:
    """Show what is at a place of the map."""
    return turn_page.place_at(request, _asked(day)[1], place)


@login_required
@require_POST
def vote(request: SignedInRequest, day: date) -> HttpResponse:
    """Vote for or against a puzzle, and return to its answer."""
    found = selectors.puzzle_of(day, today=services.today())
    value = {"1": 1, "-1": -1, "0": 0}.get(request.POST.get("vote", ""), 2)
    services.vote(by=request.user, puzzle=found, value=value)
    sent = request.POST.get("answer", "")
    return redirect(f"{found.get_absolute_url()}?{turn_page.query_of(sent)}#vote" if sent else found.get_absolute_url())


@login_required
@require_POST
def rating(request: SignedInRequest) -> HttpResponse:
    """Show one's own rating from now on, or hide it."""
    if request.user.is_guest:
        raise Http404
    services.show_rating(by=request.user, shown=request.POST.get("shown") == "yes")
    return redirect("puzzles:archive")
