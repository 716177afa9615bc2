"""Template tags about runs for other pages: links to the runs of a stage, and how many turns wait for the reader."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context
from django.utils.formats import number_format

from championship.accounts.requests import is_signed_in
from championship.platform.web import polling
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs.models import Run
from championship.runs.watch import car_lines, gaps, my_turns, page_versions, selectors
from championship.runs.watch.finish_card import Onward, on_the_road
from championship.runs.watch.luck import forecasts, ledgers

register = template.Library()


@register.inclusion_tag("runs/parts/stage_runs.html")
def stage_runs(special_stage: SpecialStage, runs: Sequence[Run] | None = None) -> dict[str, Any]:
    """The runs of a stage with the start numbers in each; empty before it opens. `runs`: where the page has already
    read them.
    """
    if runs is None:
        opened = special_stage.status != SpecialStage.Status.PLANNED
        runs = selectors.runs_of_stage(special_stage) if opened else []
    return {"runs": runs, "stage": special_stage}


@register.inclusion_tag("parts/waiting.html", takes_context=True)
def waiting_badge(context: Context) -> dict[str, Any]:
    """How many turns wait for the reader, and what the page needs to poll for changes."""
    request = context.get("request")
    waiting_turns = _waiting_turns(request)
    if request is None or waiting_turns is None:
        return {"waiting_turns": 0}
    return {
        "waiting_turns": waiting_turns.waiting,
        "name": page_versions.signed_name_of(request.user),
        "tag": polling.tag(request, page_versions.tag_of_badge(waiting_turns)),
    }


@register.inclusion_tag("runs/parts/next_turn.html", takes_context=True)
def next_turn(context: Context) -> dict[str, Any]:
    """The way from a stage page on which nothing waits for its driver to what waits elsewhere, if anything does. No
    query where no turn waits, otherwise one trip to the database.
    """
    request = context.get("request")
    waiting_turns = _waiting_turns(request)
    if request is None or waiting_turns is None or not waiting_turns.waiting:
        return {"waits": None}
    return {"waits": my_turns.next_waiting(request.user, context["run"]), "more": waiting_turns.waiting - 1}


@register.simple_tag
def way_to_the_road(rally: Rally, stage: SpecialStage, entry: Entry | None) -> Onward | None:
    """The way from a stage that is over to what is driven now, for the driver of this car. Two queries at most."""
    return on_the_road(rally, stage, entry)


@register.simple_tag(takes_context=True)
def reader_has_duties(context: Context) -> bool:
    """Return whether the reader organises a club, or is a steward of one. No query but that of the waiting turns."""
    request = context.get("request")
    if request is None or not is_signed_in(request) or request.user.is_guest:
        return False
    return page_versions.reader_has_duties(request)


@register.filter
def has_splits(game: str) -> bool:
    """Return whether a game has splits, so that there is a page of them."""
    return gaps.has_splits(game)


@register.filter
def has_lines(run: Run) -> bool:
    """Return whether there is a page with the lines of the run's cars on the map."""
    return car_lines.has_lines(run)


@register.filter
def has_rounds(run: Run) -> bool:
    """Return whether there is a page with two cars of the run round by round, in place of their lines."""
    return car_lines.has_rounds(run)


@register.filter
def has_ledger(game: str) -> bool:
    """Return whether a game tells decisions from chance."""
    return ledgers.has_ledger(game)


@register.filter
def tells_ledger(rally: Rally) -> bool:
    """Return whether a rally tells decisions from chance, so that there are pages of it."""
    return ledgers.tells(rally)


@register.simple_tag(takes_context=True)
def has_forecast(context: Context, special_stage: SpecialStage) -> bool:
    """Return whether the reader may see who is likely to win a stage. One query while it is under way, else none; none
    where the page has it beside it.
    """
    user, beside = context["user"], getattr(context.get("page"), "beside", {})
    if special_stage.status != SpecialStage.Status.RUNNING or not special_stage.rally.ledgers:
        return False
    return bool(beside["forecast"]) if "forecast" in beside else forecasts.is_there_for(special_stage, user)


@register.filter
def signed(amount: Decimal, places: int = 1) -> str:
    """Return an amount of a ledger with its sign, rounded to so many places."""
    written = number_format(abs(round(amount, places)), places)
    return written if not round(amount, places) else f"{'+' if amount > 0 else '−'}{written}"


@register.simple_tag(takes_context=True)
def waiting_title(context: Context) -> str:
    """Return the number of waiting turns for the document's title: "(2) ", or ""."""
    waiting_turns = _waiting_turns(context.get("request"))
    return f"({waiting_turns.waiting}) " if waiting_turns and waiting_turns.waiting else ""


def _waiting_turns(request: HttpRequest | None) -> page_versions.WaitingTurns | None:
    """Return the reader's waiting turns, read once for each request. One query, none for a reader who has not signed
    in.
    """
    if request is None or not is_signed_in(request) or request.user.is_guest:
        return None
    return page_versions.waiting_turns_of_reader(request)
