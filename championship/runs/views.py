"""Pages of stages being driven: my turns, the stage page with its turn form, the log."""

from __future__ import annotations

import secrets
from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship.refusals import Forbidden, Refused, Stale
from championship.runs import games, selectors, services
from championship.runs.forms import PostForm
from championship.runs.games import Draft
from championship.runs.models import Run
from championship.runs.selectors import RunPage

DRAFT_LENGTH = 600


@require_safe
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """What waits for the driver, and what is under way."""
    turns = list(selectors.turns_waiting_for(request.user))
    waiting = {turn.run_id for turn in turns}
    context = {
        "turns": turns,
        "controls": list(selectors.time_controls_waiting_for(request.user)),
        "under_way": [place for place in selectors.stages_under_way(request.user) if place.run_id not in waiting],
        "entries": list(selectors.entries_of(request.user)),
        "waiting_turns": len(turns),
        "now": timezone.now(),
    }
    return render(request, "runs/mine.html", context)


@require_safe
def run(request: HttpRequest, key: str) -> HttpResponse:
    """The stage page. With `seen`, the version a page shows, it answers 204 as long as nothing is new."""
    found = selectors.run_by_key(key)
    if request.GET.get("seen") == str(found.version) and found.status == Run.Status.RUNNING:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    draft = Draft(plan=_text(request.GET.get("plan", "")), at=_text(request.GET.get("at", "")))
    return _page(request, selectors.run_page(found, request.user), draft)


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
    draft = Draft(plan=_text(request.POST.get("plan", "")))
    form = PostForm(request.POST)
    try:
        if not form.is_valid():
            field = next(iter(form.errors))
            said = _("%(field)s: this form was cut short. Look at the stage again and send it once more.")
            raise Refused(said % {"field": field}, field=field)
        services.play_turn(
            by=request.user,
            run=found,
            orders=games.get(found.game).read_orders(request.POST),
            version=form.cleaned_data["version"],
            key=form.cleaned_data["key"],
        )
    except (Stale, Forbidden) as refusal:
        fresh = selectors.run_page(selectors.run_by_key(key), request.user)
        return _page(request, fresh, Draft(), refusal=refusal)
    except Refused as refusal:
        return _page(request, selectors.run_page(found, request.user), draft, refusal=refusal)
    return redirect(f"{found.get_absolute_url()}#panel")


@require_safe
def log(request: HttpRequest, key: str) -> HttpResponse:
    """Everything that happened in a run, from the beginning."""
    found = selectors.run_by_key(key)
    page = selectors.run_page(found, request.user, posts=None)
    context = {
        "run": found,
        "page": page,
        "log": games.get(found.game).log(page)[::-1],
        "crumbs": [*selectors.crumbs(found, linked=True), (_("Log"), None)],
    }
    return render(request, "runs/log.html", context)


def _text(typed: str) -> str:
    """What a driver typed, with blanks for what no plan has, and not without end."""
    return "".join(letter if letter.isprintable() else " " for letter in typed[:DRAFT_LENGTH])


def _page(request: HttpRequest, page: RunPage, draft: Draft, *, refusal: Refused | None = None) -> HttpResponse:
    """The stage page, with what was refused where something was."""
    shown = games.get(page.run.game).show(page, draft)
    status = HTTPStatus.OK if refusal is None else refusal.status
    if refusal is None and shown.problem:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    problem, rule = (refusal.message, refusal.rule) if refusal else (shown.problem, shown.rule)
    if refusal and refusal.move:
        problem = _("Move %(move)d: %(said)s") % {"move": refusal.move, "said": refusal.message}
    context = {
        "run": page.run,
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "page": page,
        "shown": shown,
        "problem": problem,
        "rule": rule,
        "post_key": secrets.token_urlsafe(12),
        "post_url": reverse("runs:turn", args=[page.run.key]),
        "crumbs": selectors.crumbs(page.run),
        "now": timezone.now(),
        **shown.context,
    }
    return render(request, "runs/run.html", context, status=status)
