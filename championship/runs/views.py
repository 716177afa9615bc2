"""Pages of stages being driven: my turns, the stage page with its turn form, the log."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship import clock, polling
from championship.refusals import Refused
from championship.runs import games, news, practice, selectors, services
from championship.runs.forms import PostForm
from championship.runs.games import Draft
from championship.runs.models import Run
from championship.runs.stage_page import fresh_page, refused_page, sent_form, stage_page, text
from championship.runs.watching import only_who_may_watch

LATELY = timedelta(days=14)
"""How far back the page of my turns tells what the clock did."""


@polling.polled(news.of_my_turns)
@require_safe
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """What waits for the driver, the most pressing first, and what is under way."""
    request.desk = desk = news.desk_of(request.user.pk)  # type: ignore[attr-defined]
    waiting = selectors.waiting_for(request.user)
    at_the_wheel = {each.turn.run_id for each in waiting if each.turn}
    context = {
        "waiting": waiting,
        "cars": len(at_the_wheel),
        "under_way": [each for each in selectors.stages_under_way(request.user) if each.run_id not in at_the_wheel],
        "entries": list(selectors.entries_of(request.user)),
        "done_lately": selectors.done_lately(request.user, clock.now() - LATELY),
        "practice": practice.under_way(request.user),
        "name": news.name_of(request.user),
        "news_tag": polling.tag(request, news.of_desk(desk)),
        "now": clock.now(),
    }
    return render(request, "runs/mine.html", context)


@require_safe
@only_who_may_watch
def run(request: HttpRequest, found: Run) -> HttpResponse:
    """The stage page."""
    page = selectors.run_page(found, request.user)
    if "plan" not in request.GET:
        return stage_page(request, page, at=request.GET.get("at", ""))
    return stage_page(request, page, Draft(plan=text(request.GET["plan"]), at=text(request.GET.get("at", ""))))


@require_http_methods(["GET", "HEAD", "POST"])
def turn(request: HttpRequest, key: str) -> HttpResponse:
    """Orders for a turn. Played: on to the page as it stands then. Refused: the page, the rule, and what was typed.

    A refused page keeps this address: what is only looked at from there is shown on the stage page.
    """
    found = selectors.run_by_key(key)
    if request.method != "POST":
        return redirect(f"{found.get_absolute_url()}?{request.GET.urlencode()}".rstrip("?"))
    if not request.user.is_authenticated:
        return redirect_to_login(found.get_absolute_url())
    try:
        sent = sent_form(PostForm(request.POST))
        posted = services.play_turn(
            by=request.user,
            run=found,
            orders=games.get(found.game).read_orders(request.POST),
            version=sent["version"],
            key=sent["key"],
        )
    except Refused as refusal:
        return refused_page(request, found, refusal)
    twice = _("That had come through already. Nothing was rolled twice; this is how it stands.")
    return fresh_page(request, found, said="" if posted.played else twice)


@require_safe
@only_who_may_watch
def log(request: HttpRequest, found: Run) -> HttpResponse:
    """Everything that happened in a run, from the beginning."""
    page = selectors.run_page(found, request.user, posts=None)
    context = {
        "run": found,
        "page": page,
        "log": games.get(found.game).log(page)[::-1],
        "crumbs": [*selectors.crumbs(found, linked=True), (_("Log"), None)],
    }
    return render(request, "runs/log.html", context)
