"""The stage page as an answer: to who looks, after a post, and where something was refused."""

from __future__ import annotations

import secrets
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from championship import clock, polling
from championship import games as registry
from championship.refusals import Forbidden, Refused, Stale
from championship.runs import draft_forms, games, page_versions, selectors
from championship.runs.games import Draft
from championship.runs.models import PLAN_LENGTH, Run
from championship.runs.selectors import RunPage


def text(typed: str) -> str:
    """What a driver typed, with blanks for what no plan has, and not without end."""
    return "".join(letter if letter.isprintable() else " " for letter in typed[:PLAN_LENGTH])


def sent_form(form: Form) -> dict[str, Any]:
    """What a form says.

    Raises: Refused with the first field that is missing or makes no sense.
    """
    if not form.is_valid():
        field = next(iter(form.errors))
        said = _("%(field)s: this form was cut short. Look at the page again and send it once more.")
        raise Refused(said % {"field": field}, field=field)
    return form.cleaned_data


def fresh_page(request: HttpRequest, run: Run, *, said: str = "", now: Run | None = None) -> HttpResponse:
    """After a post: for a page that takes its answer in place the stage as it stands now, else the way there. `said`:
    a word about the post. `now`: the run as the post has just read it, where it has moved nothing; what the reader's
    page shows of it already stays there.
    """
    if not in_place(request):
        if said:
            messages.info(request, said)
        return redirect(f"{run.get_absolute_url()}#panel")
    still = now is not None
    if now is None:
        now = selectors.run_by_key(run.key, request.user)
    else:
        now.special_stage.rally.club = run.special_stage.rally.club
    return stage_page(request, selectors.run_page(now, request.user), said=said, still=still)


def refused_page(request: HttpRequest, run: Run, refusal: Refused) -> HttpResponse:
    """What was refused: with plan and standing orders as they were sent; where the stage has moved on it is shown as it
    stands now, with the draft that is kept, if there is one.
    """
    moved_on = isinstance(refusal, Stale | Forbidden)
    page = selectors.run_page(selectors.run_by_key(run.key, request.user), request.user)
    draft = _kept(page)
    if "plan" in request.POST and not (moved_on and draft.plan):
        draft = Draft(plan=text(request.POST["plan"]))
    sent = {} if moved_on else {name: text(str(value)) for name, value in request.POST.items()}
    return stage_page(request, page, replace(draft, orders=_orders_sent(request, run), sent=sent), refusal=refusal)


def _kept(page: RunPage) -> Draft:
    """The draft that is kept for the viewer."""
    return Draft(plan=draft_forms.written(page.draft.laid), kept=True) if page.draft else Draft()


def _standing(page: RunPage) -> dict[str, Any]:
    """The standing orders of the viewer: as kept with the draft, or as the turn was played since."""
    kept = page.draft.orders if page.draft is not None else {}
    since = page.draft.version if page.draft is not None and kept else 0
    pages = games.get(page.run.game)
    own = (post for post in page.posts if page.mine and post.by_id == page.mine.entry.driver_id)
    sent = (pages.standing_of(post.orders) for post in own if post.number > since)
    return next((orders for orders in sent if orders), kept)


def _orders_sent(request: HttpRequest, run: Run) -> dict[str, Any]:
    """The standing orders that a form brought, as far as they make sense."""
    pages = games.get(run.game)
    try:
        return pages.read_standing(request.POST) if pages.brings_standing(request.POST) else {}
    except Refused:
        return {}


def in_place(request: HttpRequest) -> bool:
    """Whether the answer is put into the stage page that the reader has before them."""
    asked = request.headers.get("HX-Request") == "true" and request.headers.get("HX-Target") == "run"
    return asked and request.headers.get("HX-History-Restore-Request") != "true"


def stage_page(
    request: HttpRequest,
    page: RunPage,
    draft: Draft | None = None,
    *,
    at: str = "",
    refusal: Refused | None = None,
    said: str = "",
    still: bool = False,
) -> HttpResponse:
    """The stage page, with what was refused where something was. Without a plan to show, the draft that is kept.
    `still`: the post before it has moved nothing, and a page that says it shows all there is (Keeps-Rest) keeps what
    stands below its panel.
    """
    if draft is None:
        draft = replace(_kept(page), at=text(at))
    draft = replace(draft, orders=draft.orders or _standing(page))
    pages = games.get(page.run.game)
    shown = pages.show(page, draft)
    status = HTTPStatus.OK if refusal is None else refusal.status
    if refusal is None and shown.problem and not draft.kept:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    problem, rule = (refusal.message, refusal.rule) if refusal else (shown.problem, shown.rule)
    if refusal and refusal.move:
        problem = _("Move %(move)d: %(said)s") % {"move": refusal.move, "said": refusal.message}
    news_tag = polling.tag(request, page_versions.of_page(page))
    shows = polling.bare(news_tag)
    context = {
        "run": page.run,
        "news_tag": news_tag,
        "shows": shows,
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "page": page,
        "shown": shown,
        "log": lambda: pages.log(page),  # told where it stands in the answer
        "map": shown.map,
        "dress": registry.get(page.run.game).dress,
        "words": registry.get(page.run.game).words,
        "problem": problem,
        "said": said,
        "rule": rule,
        "post_key": secrets.token_urlsafe(12),
        "post_url": reverse("runs:turn", args=[page.run.key]),
        "draft_url": reverse("runs:draft", args=[page.run.key]),
        "ahead_url": reverse("runs:ahead", args=[page.run.key]),
        "frame": "runs/fragment.html" if in_place(request) else "base.html",
        "crumbs": selectors.crumbs(page.run),
        "now": clock.now(),
        "still": still and request.headers.get("Keeps-Rest") == shows,
        **shown.context,
    }
    answer = render(request, "runs/run.html", context, status=status)
    if request.method == "POST":
        answer["HX-Replace-Url"] = page.run.get_absolute_url()
    return answer
