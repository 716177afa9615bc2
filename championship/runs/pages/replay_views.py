"""The replay of a run: the stage after any of its events. Splits and gaps, of one run and of all runs of a special
stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from championship import catalogue
from championship.platform.bounded_input import whole_number
from championship.platform.web import htmx
from championship.rallies import selectors as rallies
from championship.runs import run_pages
from championship.runs.models import SEAT_LENGTH, Run, Seat
from championship.runs.pages.gap_chart import charted, gap_chart
from championship.runs.run_pages import RunPages, Sentence
from championship.runs.watch import gaps, history, selectors, story
from championship.runs.watch.gaps import Gaps
from championship.runs.watch.ghosts import duel
from championship.runs.watch.history import ReadableEvent
from championship.runs.watch.selectors import RunPage

LONGEST_NUMBER = 6
"""How many digits an event's number in an address may have."""
MINE, MOMENTS = "mine", "moments"
FILTERS = (MINE, MOMENTS)
"""What the time line may be narrowed to, by the name in an address (`only`)."""
WIDE, NARROW = (1040, 420), (360, 400)
"""Width and height of the chart in CSS pixels, on a desktop and on a phone."""


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """An event of the shown turn: its number, its sentence, the sentence's text below the turn's driver, and whether it
    is the moment shown.
    """

    number: int
    sentence: Sentence
    text: str
    now: bool


@dataclass(frozen=True, slots=True)
class TurnMark:
    """A turn on the time line, from its first event to its last, with the most significant kind of event in it."""

    number: int
    seat: Seat | None
    first: int
    last: int
    kind: str
    now: bool


@dataclass(frozen=True, slots=True)
class Round:
    """The turns of a round."""

    number: int
    turns: list[TurnMark]


@dataclass(frozen=True, slots=True)
class ReplayLinks:
    """The numbers of the moments to which the page links; None where there is no link."""

    previous: int | None
    next: int | None
    previous_turn: int | None
    next_turn: int | None


@require_safe
@vary_on_headers("HX-Request")
def replay(request: HttpRequest, key: str) -> HttpResponse:
    """Show the stage after event number `at`; 0 is before the first. A number beyond the last event shows the newest,
    and the page says so. `play=1` starts it at once; `only` narrows the time line to FILTERS. Text that is not a number
    gives 404. For htmx, only the part that changes from moment to moment is rendered.
    """
    run = selectors.run_by_key(key, request.user)
    requested = _parsed_number(request.GET.get("at", "0"))
    page = selectors.run_page(run, request.user, posts=0)
    found = history.history_of(run, page.seat)
    events = found.events
    at = min(requested, len(events))
    pages = run_pages.get(run.game)
    drivers = {seat.name: str(seat.entry) for seat in page.seats}
    present = events[at - 1] if at else None
    driver_name = drivers.get(present.driver or "", "") if present else ""
    part = htmx.asks_for_part(request)
    state = found.state_after(at)
    first_round = pages.round_of(found.state_after(0))
    every_round = _rounds(page.seats, events, at, pages, first_round)
    only = request.GET.get("only", "")
    rounds = _narrowed(every_round, run, page, only, request)
    turn = [event for event in events if present and event.turn == present.turn]
    so_far = [event.data for event in turn if event.number <= at]
    frame = pages.frame_at(page, state, present.driver if present else None, so_far, overlay=part)
    say = frame.say or (lambda data: pages.sentence(data, drivers))
    context = {
        "run": run,
        "page": page,
        "at": at,
        "starts": request.GET.get("play") == "1" and at < len(events),
        "last": len(events),
        "beyond": requested > at,
        "present": present,
        "seat": next((seat for seat in page.seats if present and seat.name == present.driver), None),
        "lines": [
            ReplayLine(event.number, said, said.below(driver_name), now=event.number == at)
            for event in turn
            for said in (say(event.data),)
        ],
        "turns": every_round[-1].turns[-1].number if every_round else 0,
        "rounds": rounds,
        "only": only if only in FILTERS else "",
        "links": _links(rounds, at, len(events)),
        "frame": frame,
        "assets": catalogue.get(run.game).assets,
        "crumbs": [*selectors.crumbs(run, linked=True), (_("Replay"), None)],
        **frame.context,
    }
    return render(request, "runs/replay_moment.html" if part else "runs/replay.html", context)


def _narrowed(rounds: Sequence[Round], run: Run, page: RunPage, only: str, request: HttpRequest) -> Sequence[Round]:
    """Return the turns that the time line shows: all, the reader's own, or those in which something happened that the
    story of the stage tells. The story takes at most ten queries.
    """
    if only == MINE and page.mine is not None:
        own = page.mine.pk
        kept = [Round(one.number, [turn for turn in one.turns if turn.seat and turn.seat.pk == own]) for one in rounds]
    elif only == MOMENTS:
        told = story.main_points([each for each in story.of_run(run, request.user) if each.run.pk == run.pk])
        moments = [each.moment for each in told]
        kept = [
            Round(one.number, [turn for turn in one.turns if any(turn.first <= at <= turn.last for at in moments)])
            for one in rounds
        ]
    else:
        return rounds
    return [one for one in kept if one.turns]


def _parsed_number(text: str) -> int:
    """Return the event number of an address.

    Raises: Http404 when the text is not a number.
    """
    number = whole_number(text, digits=LONGEST_NUMBER)
    if number is None:
        raise Http404(_("There is no such moment."))
    return number


def _rounds(
    seats: Sequence[Seat], events: Sequence[ReadableEvent], at: int, pages: RunPages, first: int
) -> list[Round]:
    """Return all turns by round. A round ends with the turn whose last event opens the next one."""
    by_driver = {seat.name: seat for seat in seats}
    rounds = [Round(first, [])]
    for number, turn in groupby(events, lambda event: event.turn):
        own = list(turn)
        start, end = own[0].number, own[-1].number
        mark = TurnMark(
            number=number,
            seat=by_driver.get(own[0].driver or ""),
            first=start,
            last=end,
            kind=pages.most_telling([event.data for event in own]),
            now=start <= at <= end,
        )
        rounds[-1].turns.append(mark)
        begun = [number for event in own if (number := pages.round_begun(event.data)) is not None]
        rounds += [Round(number, []) for number in begun]
    return [one for one in rounds if one.turns]


def _links(rounds: Sequence[Round], at: int, last: int) -> ReplayLinks:
    """Return the moments before and after this one, by event and by turn. A link to a turn leads to its first event."""
    firsts = [turn.first for one in rounds for turn in one.turns]
    return ReplayLinks(
        previous=at - 1 if at else None,
        next=at + 1 if at < last else None,
        previous_turn=max((first for first in firsts if first < at), default=0) if at else None,
        next_turn=min((first for first in firsts if first > at), default=last) if at < last else None,
    )


@require_safe
def of_run(request: HttpRequest, key: str) -> HttpResponse:
    """Show the splits of the cars of a run and the gaps between them, so far or at the end."""
    run = selectors.run_by_key(key, request.user)
    _require_splits(run.game)
    seats = list(run.seats.select_related("entry__driver").order_by("position"))
    context = {
        "run": run,
        "stage": run.special_stage,
        "crumbs": [*selectors.crumbs(run, linked=True), (_("Gaps"), None)],
        **_shown(gaps.of_run(run, seats, request.user), run.game, request),
    }
    return render(request, "runs/gaps.html", context)


@require_safe
def of_stage(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Show the splits and gaps of all cars of a special stage, over all its runs."""
    stage = rallies.stage_of(rallies.rally_by_key(key, request.user), number)
    _require_splits(stage.rally.game)
    context = {
        "stage": stage,
        "crumbs": [
            (stage.rally.title, stage.rally.get_absolute_url()),
            (stage.title, stage.get_absolute_url()),
            (_("Gaps"), None),
        ],
        **_shown(gaps.of_stage(stage, request.user), stage.rally.game, request),
    }
    return render(request, "runs/gaps.html", context)


def _require_splits(game: str) -> None:
    """Check that the game has splits.

    Raises: Http404 when it has none.
    """
    if not gaps.has_splits(game):
        raise Http404(_("This game measures no times on the way."))


def _shown(found: Gaps, game: str, request: HttpRequest) -> dict[str, Any]:
    """Return the context of both pages: the table, and the chart in two sizes when there is a time; and the two cars
    that `?own=` and `?against=` name, against each other and against the ideal stage.
    """
    words = catalogue.get(game).words
    foot = str(words.at_border)
    pair = duel(found, *(request.GET.get(name, "")[:SEAT_LENGTH] for name in ("own", "against")))
    ideal = pair.against_ideal if pair else found
    return {
        "duel": pair,
        "asked_duel": bool(request.GET.get("own") or request.GET.get("against")),
        "duel_wide": gap_chart(ideal, width=WIDE[0], height=300, ident="duel-wide", foot=foot) if pair else "",
        "duel_narrow": gap_chart(ideal, width=NARROW[0], height=280, ident="duel-narrow", foot=foot) if pair else "",
        "gaps": found,
        "words": words,
        "borders": [str(words.border) % {"number": number} for number in range(1, found.borders + 1)],
        "charted": len(charted(found)),
        "wide": gap_chart(found, width=WIDE[0], height=WIDE[1], ident="wide", foot=foot) if found.begun else "",
        "narrow": gap_chart(found, width=NARROW[0], height=NARROW[1], ident="narrow", foot=foot) if found.begun else "",
    }
