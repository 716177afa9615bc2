"""Views for plans that are not played yet: the draft, move by move, and orders ahead."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.platform.refusals import Refusal
from championship.runs import draft_forms, run_pages
from championship.runs import play as services
from championship.runs.models import Draft, Run
from championship.runs.pages.forms import AheadForm, DraftForm
from championship.runs.pages.stage_page import fresh_page, refused_page, sent_form
from championship.runs.watch import selectors


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, key: str) -> HttpResponse:
    """Change the draft by one step. `move` appends to `plan`, or to the stored draft without one; `plan` alone replaces
    the draft; `do` takes a move back, clears the draft, or keeps standing orders. The response is as for a turn.
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
    return fresh_page(request, found, now=kept.run)


def _change_draft(by: User, data: QueryDict, run: Run) -> Draft:
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
