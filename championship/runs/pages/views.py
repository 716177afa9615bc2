"""Pages of stages being driven: my turns, the stage page with its turn form, the log."""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship import catalogue
from championship.accounts.requests import SignedInRequest
from championship.platform import clock
from championship.platform.refusals import Refusal
from championship.platform.web import kept_pages, polling
from championship.runs import play as services
from championship.runs import run_pages
from championship.runs.pages.forms import PostForm
from championship.runs.pages.stage_page import fresh_page, refused_page, sent_form, stage_page, text
from championship.runs.run_pages import DraftShown
from championship.runs.watch import page_versions, practice, selectors

LATELY = timedelta(days=14)
"""For how far back the page of my turns shows what the clock did."""
KEPT = timedelta(days=7)
"""For how long a browser without a connection shows the copy of a page, at most."""


@polling.polled(page_versions.of_my_turns)
@require_safe
@login_required
def mine(request: SignedInRequest) -> HttpResponse:
    """Show what waits for the driver, earliest deadline first, and what is under way."""
    request.waiting_turns = waiting_turns = page_versions.waiting_turns_of(request.user.pk)  # type: ignore[attr-defined]
    waiting = selectors.waiting_for(request.user)
    at_the_wheel = {each.turn.run_id for each in waiting if each.turn}
    context = {
        "waiting": waiting,
        "cars": len(at_the_wheel),
        "under_way": [each for each in selectors.stages_under_way(request.user) if each.run_id not in at_the_wheel],
        "entries": list(selectors.entries_of(request.user)),
        "recent_turns_by_clock": selectors.recent_turns_by_clock(request.user, clock.now() - LATELY),
        "practice": practice.under_way(request.user),
        "taught": [catalogue.get(name) for name in practice.taught_games()],
        "name": page_versions.signed_name_of(request.user),
        "news_tag": polling.tag(request, page_versions.tag_of_waiting_turns(waiting_turns)),
        "now": clock.now(),
    }
    answer = render(request, "runs/mine.html", context)
    open_pages = (each.turn.run.get_absolute_url() for each in waiting if each.turn)
    kept_pages.keep(answer, until=clock.now() + KEPT, open_pages=open_pages)
    return answer


@require_safe
def run(request: HttpRequest, key: str) -> HttpResponse:
    """Show the stage page."""
    found = selectors.run_by_key(key, request.user)
    page = selectors.run_page(found, request.user)
    planned = text(request.GET["plan"]) if "plan" in request.GET else None
    at = request.GET.get("at", "")
    answer = stage_page(request, page, None if planned is None else DraftShown(plan=planned, at=text(at)), at=at)
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
