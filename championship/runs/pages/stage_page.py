"""The stage page as a response: to a view, after a post, and after a refusal."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import replace_url

from championship import catalogue
from championship.accounts.requests import is_signed_in
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refusal, Refused, Stale
from championship.platform.web import htmx, polling
from championship.rallies.selectors import Viewer
from championship.runs import draft_forms, run_pages
from championship.runs.models import PLAN_LENGTH, Run
from championship.runs.pages.since import since_last_turn
from championship.runs.run_pages import DraftShown
from championship.runs.watch import page_versions, selectors
from championship.runs.watch.finish_card import finish_card
from championship.runs.watch.selectors import RunPage

POSTS_TO = {"post": "turn", "draft": "draft", "ahead": "ahead"}
"""The addresses to which the forms of a stage page post."""
NEWS_FOR = timedelta(minutes=1)
"""How long the draws of the last post are shown above the finish that they brought."""


def text(typed: str) -> str:
    """Return what a driver typed, with blanks for unprintable characters, cut to the longest draft."""
    return "".join(letter if letter.isprintable() else " " for letter in typed[:PLAN_LENGTH])


def sent_form(form: Form) -> dict[str, Any]:
    """Return the cleaned data of a form.

    Raises: Refused with the first field that is missing or invalid.
    """
    if not form.is_valid():
        field = next(iter(form.errors))
        said = _("%(field)s: the form arrived incomplete. Reload the page and send it again.")
        raise Refused(said % {"field": field}, field=field)
    return form.cleaned_data


def read_page(request: HttpRequest, run: Run) -> RunPage:
    """Return what the reader's stage page shows. The reader's waiting turns, which its title counts, are read with it.

    Raises: NotYet when the reader may not watch the run yet.
    """
    if not is_signed_in(request) or request.user.is_guest:
        return selectors.run_page(run, request.user)
    page = selectors.run_page(run, request.user, beside=page_versions.queries_of_reader(request.user))
    if page.beside is not None:
        page_versions.put_reader(request, *page.beside)
    return page


def fresh_page(request: HttpRequest, run: Run, *, said: str = "", now: Run | None = None) -> HttpResponse:
    """Return the response after a post: the present stage for a page that takes the response in place, otherwise a
    redirect to it. `said`: a message about the post. `now`: the run as the post has just read it, where the post has
    moved nothing; then the parts of the reader's page that are already up to date stay there.
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
    return stage_page(request, read_page(request, now), said=said, still=still)


def refused_page(request: HttpRequest, run: Run, refusal: Refusal) -> HttpResponse:
    """Return the stage page after a refusal, with plan and standing orders as they were sent. Where the stage has moved
    on, it is shown as it is now, with the stored draft if there is one.
    """
    moved_on = isinstance(refusal, Stale | Forbidden)
    page = read_page(request, selectors.run_by_key(run.key, request.user))
    draft = _stored_draft(page)
    if "plan" in request.POST and not (moved_on and draft.plan):
        draft = DraftShown(plan=text(request.POST["plan"]))
    sent = {} if moved_on else {name: text(str(value)) for name, value in request.POST.items()}
    return stage_page(request, page, replace(draft, orders=_orders_sent(request, run), sent=sent), refusal=refusal)


def _stored_draft(page: RunPage) -> DraftShown:
    """Return the viewer's stored draft."""
    return DraftShown(plan=draft_forms.written(page.draft.laid), kept=True) if page.draft else DraftShown()


def _standing_orders(page: RunPage) -> dict[str, Any]:
    """Return the viewer's standing orders: those of a turn played after the draft was stored, otherwise those stored
    with the draft.
    """
    kept = page.draft.orders if page.draft is not None else {}
    since = page.draft.version if page.draft is not None and kept else 0
    pages = run_pages.get(page.run.game)
    own = (post for post in page.posts if page.mine and post.by_id == page.mine.entry.driver_id)
    sent = (pages.standing_of(post.orders) for post in own if post.number > since)
    return next((orders for orders in sent if orders), kept)


def _orders_sent(request: HttpRequest, run: Run) -> dict[str, Any]:
    """Return the standing orders of a form, or none where they are invalid."""
    pages = run_pages.get(run.game)
    try:
        return pages.read_standing(request.POST) if pages.brings_standing(request.POST) else {}
    except (Refused, Stale):
        return {}


def _is_seen(page: RunPage) -> bool:
    """Return whether the last post is so old that its draws are no news: then the finish comes before them."""
    return not page.posts or clock.now() - page.posts[0].at > NEWS_FOR


def _name_in_polls(page: RunPage, viewer: Viewer) -> str:
    """Return the signed name by which polls of the page say that a driver has it open; "" for everybody else."""
    drives = page.mine is not None and not page.run.special_stage.rally.practice
    return page_versions.signed_name_of(viewer) if drives and viewer.is_authenticated else ""


def in_place(request: HttpRequest) -> bool:
    """Return whether htmx puts the response into the stage page that the reader already has."""
    return htmx.asks_for_part(request, "run")


def stage_page(
    request: HttpRequest,
    page: RunPage,
    draft: DraftShown | None = None,
    *,
    at: str = "",
    refusal: Refusal | None = None,
    said: str = "",
    still: bool = False,
) -> HttpResponse:
    """Return the stage page, with what was refused where something was. Without a plan to show, it shows the stored
    draft. `still`: the post has moved nothing. Then a page with a matching Keeps-Rest header, which says that it is up
    to date, keeps the parts below its panel.
    """
    if draft is None:
        draft = replace(_stored_draft(page), at=text(at))
    draft = replace(draft, orders=draft.orders or _standing_orders(page))
    pages = run_pages.get(page.run.game)
    shown = pages.show(page, draft)
    status = HTTPStatus.OK if refusal is None else refusal.status
    if refusal is None and shown.problem and not draft.kept:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    problem, rule = (refusal.message, refusal.rule) if refusal else (shown.problem, shown.rule)
    if refusal and refusal.move:
        problem = _("Move %(move)d: %(said)s") % {"move": refusal.move, "said": refusal.message}
    finish, game = finish_card(page, request.user), catalogue.get(page.run.game)
    news_tag = polling.tag(request, page_versions.of_page(page, finish.follows if finish else None))
    context = {
        "run": page.run,
        "news_tag": news_tag,
        "shows": polling.bare(news_tag),
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "page": page,
        "shown": shown,
        "finish": finish,
        "finish_first": finish is not None and _is_seen(page),
        "log": lambda: pages.log(page),  # a lambda, so that it runs only where the template shows the log
        "since": lambda: since_last_turn(page, pages.log(page)),
        "map": shown.map,
        "games": [game],  # those whose maps the page can show: it loads no styles of others
        "game_names": [page.run.game],
        "assets": game.assets,
        "words": game.words,
        "problem": problem,
        "said": said,
        "rule": rule,
        "poll_as": _name_in_polls(page, request.user),
        "post_key": secrets.token_urlsafe(12),
        **{f"{name}_url": reverse(f"runs:{view}", args=[page.run.key]) for name, view in POSTS_TO.items()},
        "frame": "runs/fragment.html" if in_place(request) else "base.html",
        "crumbs": selectors.crumbs(page.run),
        "now": clock.now(),
        "still": still and request.headers.get("Keeps-Rest") == polling.bare(news_tag),
        **shown.context,
    }
    answer = render(request, "runs/run.html", context, status=status)
    if request.method == "POST":
        replace_url(answer, page.run.get_absolute_url())
    return answer
