"""Pages of stages being driven: my turns, the stage page with its turn form, plans that are not played yet, the log,
places on the map; and what open pages poll. The answer is 304 when nothing has changed.
"""

from __future__ import annotations

import re
from datetime import timedelta
from http import HTTPStatus
from math import isfinite
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.platform import clock
from championship.platform.refusals import Refusal
from championship.platform.web import htmx, kept_pages, polling
from championship.runs import draft_forms, run_pages
from championship.runs import play as services
from championship.runs.models import Draft, Run
from championship.runs.pages.forms import AheadForm, DraftForm, PostForm
from championship.runs.pages.glances import glances
from championship.runs.pages.live_views import tells_of_streams
from championship.runs.pages.shared_answers import shared
from championship.runs.pages.stage_page import (
    fresh_page,
    in_place,
    read_page,
    refused_page,
    sent_form,
    stage_page,
    text,
)
from championship.runs.play import Changed
from championship.runs.run_pages import DraftShown
from championship.runs.watch import page_versions, practice, selectors
from championship.runs.watch.my_turns import my_turns

POINT = re.compile(r"(-?\d{1,6}(?:\.\d{1,3})?),(-?\d{1,6}(?:\.\d{1,3})?)", re.ASCII)
CHANGED = re.compile(r"\d{1,3}", re.ASCII)
LATELY = timedelta(days=14)
"""For how far back the page of my turns shows what the clock did."""
KEPT = timedelta(days=7)
"""For how long a browser without a connection shows the copy of a page, at most."""


@polling.polled(page_versions.of_my_turns)
@require_safe
@login_required
def mine(request: SignedInRequest) -> HttpResponse:
    """Show what waits for the driver, earliest deadline first, and what is under way."""
    now = clock.now()
    mine = my_turns(request.user, now=now, clock_since=now - LATELY, request=request)
    waiting_turns = page_versions.waiting_turns_of_reader(request)
    turns = [each.turn for each in mine.waiting if each.turn]
    seen = glances([(turn.run.key, turn.run.version, turn.seat_id) for turn in turns], request.user)
    context = {
        "mine": mine,
        "waiting": [(each, each.turn and seen.get(each.turn.seat_id)) for each in mine.waiting],
        "taught": [catalogue.get(name) for name in practice.taught_games()],
        "name": page_versions.signed_name_of(request.user),
        "news_tag": polling.tag(request, page_versions.tag_of_waiting_turns(waiting_turns)),
        "now": now,
    }
    answer = render(request, "runs/mine.html", context)
    kept_pages.keep(answer, until=now + KEPT, open_pages=(turn.run.get_absolute_url() for turn in turns))
    return answer


@require_safe
def run(request: HttpRequest, key: str) -> HttpResponse:
    """Show the stage page."""
    found = selectors.run_by_key(key, request.user)
    page = read_page(request, found)
    planned = text(request.GET["plan"]) if "plan" in request.GET else None
    at = request.GET.get("at", "")
    change = int(number) if CHANGED.fullmatch(number := request.GET.get("change", "")) else 0
    drafted = None if planned is None else DraftShown(plan=planned, at=text(at), change=change)
    answer = stage_page(request, page, drafted, at=at)
    own = None if page.mine is None or page.mine.codriver_drives else page.mine.pk
    waits = next((turn for turn in page.turns if turn.seat_id == own), None)
    if waits and answer.status_code == HTTPStatus.OK:
        kept_pages.keep(answer, until=min(waits.deadline, clock.now() + KEPT))
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
def turn(request: HttpRequest, key: str) -> HttpResponse:
    """Play orders for a turn. After success, the response is the present stage page; after a refusal, the page with the
    rule and what was typed.

    A refused page keeps this address. A GET request for it, such as a link on that page, is redirected to the stage
    page.
    """
    found = selectors.run_to_post_to(key, request.user)
    if request.method != "POST":
        return redirect(f"{found.get_absolute_url()}?{request.GET.urlencode()}".rstrip("?"))
    if not request.user.is_authenticated:
        return redirect_to_login(found.get_absolute_url())
    try:
        sent = sent_form(PostForm(request.POST))
        posted = services.play_turn(
            by=request.user,
            run=found,
            orders=run_pages.get(found.game).read_orders(request.POST),
            version=sent["version"],
            key=sent["key"],
            salt=sent["salt"],
        )
    except Refusal as refusal:
        return refused_page(request, found, refusal)
    twice = _("This was received already. Nothing was played twice. This page shows how things are now.")
    return fresh_page(request, found, said="" if posted.played else twice)


@require_safe
def log(request: HttpRequest, key: str) -> HttpResponse:
    """Show everything that happened in a run: the newest page first, each page in the order in which it happened."""
    found = selectors.run_by_key(key, request.user)
    page, here = selectors.log_page(found, request.user, request.GET.get("page", "1"))
    context = {
        "run": found,
        "page": page,
        "page_obj": here,
        "log": run_pages.get(found.game).log(page)[::-1],
        "assets": catalogue.get(found.game).assets,
        "crumbs": [*selectors.crumbs(found, linked=True), (_("Log"), None)],
    }
    return render(request, "runs/log.html", context)


def _version_of_open_page(request: HttpRequest, key: str) -> list[Any] | None:
    """Return what an open stage page depends on. Notes that a driver who names themselves has it open."""
    reader = page_versions.reader_by_signed_name(request.GET.get("of", ""))
    if reader is not None:
        services.note_open_page(key=key, person_id=reader, now=clock.now())
    return page_versions.of_stage_page(request, key)


@tells_of_streams
@polling.polled(_version_of_open_page)
@require_safe
def run_changes(request: HttpRequest, key: str) -> HttpResponse:
    """Show the stage page again when it has changed."""
    return shared(request, lambda: run(request, key))


@polling.polled(page_versions.of_badge)
@require_safe
def turns_changes(request: HttpRequest, name: str) -> HttpResponse:
    """Show the badge: how many turns wait for the reader with this signed name, who may have signed out since."""
    waiting_turns = page_versions.waiting_turns_by_signed_name(name)
    if waiting_turns is None:
        raise Http404
    context = {
        "waiting_turns": waiting_turns.waiting,
        "name": name,
        "tag": polling.tag(request, page_versions.tag_of_badge(waiting_turns)),
    }
    return render(request, "parts/waiting.html", context)


@require_safe
def at(request: HttpRequest, key: str) -> HttpResponse:
    """Show what is at the point `x`, `y` of the map, in the map's own units. 204 where there is nothing, 404 for an
    invalid point.
    """
    found = selectors.run_by_key(key, request.user)
    try:
        x, y = (float(request.GET.get(axis, "")) for axis in "xy")
    except ValueError as error:
        raise Http404 from error
    if not (isfinite(x) and isfinite(y)):
        raise Http404
    page = selectors.run_scene(found, request.user)
    name = run_pages.get(found.game).place_at(page, x, y)
    return _shown(request, page, name) if name else HttpResponse(status=HTTPStatus.NO_CONTENT)


@require_safe
def place(request: HttpRequest, key: str, place: str) -> HttpResponse:
    """Show a place by its name."""
    found = selectors.run_by_key(key, request.user)
    return _shown(request, selectors.run_scene(found, request.user), place)


def _shown(request: HttpRequest, page: selectors.RunPage, name: str) -> HttpResponse:
    """Render the place, alone for a page that puts it beside its map, otherwise as a page of its own."""
    placed = run_pages.get(page.run.game).place(page, name)
    if placed is None:
        raise Http404
    context = {
        "run": page.run,
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "placed": placed,
        "assets": catalogue.get(page.run.game).assets,
        "frame": "runs/bare_place.html" if htmx.details(request) else "base.html",
        "crumbs": [*selectors.crumbs(page.run, linked=True), (placed.title, None)],
        **placed.context,
    }
    return render(request, "runs/place.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, key: str) -> HttpResponse:
    """Change the draft by one step. `move` appends to `plan`, or to the stored draft without one; with `change` it
    takes the place of a move instead; `plan` alone replaces the draft; `to` leads the plan on to a place; `do` takes a
    move back, clears the draft, or keeps standing orders. The response is as for a turn; 204 where no plan leads to the
    place.
    """
    found = selectors.run_to_post_to(key, request.user)
    if request.method != "POST":
        return redirect(found.get_absolute_url())
    if not request.user.is_authenticated:
        return redirect_to_login(found.get_absolute_url())
    try:
        kept = _change_draft(request.user, request.POST, found)
    except Refusal as refusal:
        return refused_page(request, found, refusal)
    if kept is None:
        return _no_way_there(request, found)
    if isinstance(kept, Changed):
        return fresh_page(request, found, now=kept.draft.run, said=_said_of(kept))
    return fresh_page(request, found, now=kept.run)


def _said_of(changed: Changed) -> str:
    """Return what is told of a changed move: nothing where all moves behind it stay."""
    error = changed.taken_off
    if error is None:
        return ""
    words = _("Move %(move)d and what came after it no longer fit, and are taken off: %(rule)s %(said)s")
    return words % {"move": error.move or 0, "rule": error.rule, "said": error.words(_)}


def _place(run: Run, by: User, to: str) -> str:
    """Return the name of the place that a form means: the name itself, or what is at the point "x,y" of the map."""
    point = POINT.fullmatch(to)
    if point is None:
        return to
    return run_pages.get(run.game).place_at(selectors.run_scene(run, by), float(point[1]), float(point[2]))


def _no_way_there(request: HttpRequest, run: Run) -> HttpResponse:
    """Return the response where no plan leads to a place: a page that takes it in place shows the place instead."""
    if in_place(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return fresh_page(request, run, said=_("No safe plan leads there this turn."))


def _change_draft(by: User, data: QueryDict, run: Run) -> Draft | Changed | None:
    sent = sent_form(DraftForm(data))
    plan = draft_forms.read(run.game, sent["plan"]) if "plan" in data else None
    nothing = draft_forms.empty(run.game)
    version = sent["version"]
    if sent["do"] == "undo":
        return services.take_back(by=by, run=run, version=version, plan=plan)
    if sent["do"] == "clear":
        return services.clear_draft(by=by, run=run, version=version)
    if sent["do"] == "orders":
        orders = run_pages.get(run.game).read_standing(data)
        return services.keep_orders(
            by=by, run=run, version=version, plan=nothing if plan is None else plan, orders=orders
        )
    if sent["to"]:
        return services.lead_to(by=by, run=run, version=version, place=_place(run, by, sent["to"]), plan=plan)
    if sent["move"] and sent["change"]:
        return services.change_move(
            by=by, run=run, version=version, move=sent["move"], number=sent["change"], plan=plan
        )
    if sent["move"]:
        return services.add_move(by=by, run=run, version=version, move=sent["move"], plan=plan)
    return services.keep_draft(by=by, run=run, version=version, plan=nothing if plan is None else plan)


@require_http_methods(["GET", "HEAD", "POST"])
def ahead(request: HttpRequest, key: str) -> HttpResponse:
    """Send a plan with its standing orders before the turn comes, or withdraw it. The response is as for a turn."""
    found = selectors.run_by_key(key, request.user)
    if request.method != "POST":
        return redirect(found.get_absolute_url())
    if not request.user.is_authenticated:
        return redirect_to_login(found.get_absolute_url())
    try:
        sent = sent_form(AheadForm(request.POST))
        if sent["do"] == "withdraw":
            services.withdraw(by=request.user, run=found)
        else:
            orders = run_pages.get(found.game).read_standing(request.POST)
            said = {
                "plan": draft_forms.read(found.game, sent["plan"]),
                "version": sent["version"],
                "salt": sent["salt"],
            }
            services.send_ahead(by=request.user, run=found, orders=orders, **said)
    except Refusal as refusal:
        return refused_page(request, found, refusal)
    return fresh_page(request, found)
