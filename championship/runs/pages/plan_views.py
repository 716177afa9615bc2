"""Views for plans that are not played yet: the draft, move by move, and orders ahead."""

from __future__ import annotations

import re
from http import HTTPStatus

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.platform.refusals import Refusal
from championship.runs import draft_forms, run_pages
from championship.runs import play as services
from championship.runs.models import Draft, Run
from championship.runs.pages.forms import AheadForm, DraftForm
from championship.runs.pages.stage_page import fresh_page, in_place, refused_page, sent_form
from championship.runs.watch import selectors
from engine import registry
from engine.contract import Reaching, offered

POINT = re.compile(r"(-?\d{1,6}(?:\.\d{1,3})?),(-?\d{1,6}(?:\.\d{1,3})?)", re.ASCII)


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, key: str) -> HttpResponse:
    """Change the draft by one step. `move` appends to `plan`, or to the stored draft without one; `plan` alone replaces
    the draft; `to` leads the plan on to a place; `do` takes a move back, clears the draft, or keeps standing orders.
    The response is as for a turn; 204 where no plan leads to the place.
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
    return fresh_page(request, found, now=kept.run)


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


def _change_draft(by: User, data: QueryDict, run: Run) -> Draft | None:
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
    if sent["to"] and offered(registry.get(run.game), Reaching):
        return services.lead_to(by=by, run=run, version=version, place=_place(run, by, sent["to"]), plan=plan)
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
