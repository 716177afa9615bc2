"""The pads: one page for the cars of a table or for one car, and what its buttons and its script send."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.platform.bounded_input import plain_json, whole_number
from championship.platform.refusals import Refusal, Refused, Stale
from championship.platform.version import __version__
from championship.rallies.control import career, envelopes
from championship.rallies.control.services.time_control import submit_time_control
from championship.rallies.desk.forms import TimeControlForm, put_refusal
from championship.rallies.results import measures
from championship.tabletop import links, selectors
from championship.tabletop.models import Score
from championship.tabletop.selectors import PadPage, in_words
from championship.tabletop.services import handing_in, rolling, scoring
from championship.tabletop.services.limits import TooOften, limit
from championship.tabletop.services.names import entry_waits
from championship.tabletop.services.scoring import MOST_A_MINUTE, MOST_AT_ONCE, Outcome
from championship.tabletop.views.names import decide_names
from championship.tabletop.written import from_form, from_json

WORKER = "js/pad-worker.js"
LONGEST_BODY = 200_000
"""Bytes of one request of a phone that was without a network."""


@require_http_methods(["GET", "HEAD", "POST"])
def pad(request: HttpRequest, token: str) -> HttpResponse:
    """Show the pads; a post is the plain form of one of them."""
    by = links.pass_of(token)
    if request.method != "POST":
        return _page(request, token, selectors.pad_page(by))
    page = selectors.pad_page(by)
    try:
        _count(by)
        written = from_form(request.POST, page.pad, page.rally.measure)
        score = scoring.enter_score(by=by, written=written)
    except Refusal as refusal:
        return _refused(request, token, page, refusal)
    messages.success(request, _told(score))
    return redirect("tabletop:pad", token)


def _count(by: links.Pass) -> None:
    """Count one more request that writes over a link, with the entries of scripts.

    Raises: TooOften.
    """
    limit(f"pad-{by.counted_as}", MOST_A_MINUTE)


def _refused(request: HttpRequest, token: str, page: PadPage, refusal: Refusal) -> HttpResponse:
    """The pads as they are now, with why something was not done."""
    if not isinstance(refusal, TooOften):
        return _page(request, token, selectors.pad_page(page.by), refusal)
    answer = _page(request, token, page, refusal)
    answer["Retry-After"] = str(refusal.seconds)
    return answer


def _told(score: Score) -> str:
    said = {"car": score.entry, "result": in_words(score, score.entry.rally), "what": score.get_standing_display()}
    return _("%(car)s: %(result)s %(what)s.") % said


def _page(
    request: HttpRequest,
    token: str,
    page: PadPage,
    refusal: Refusal | None = None,
    card: TimeControlForm | None = None,
) -> HttpResponse:
    sent = whole_number(request.POST.get("entry", ""), digits=9) if request.method == "POST" else None
    context: dict[str, Any] = {
        "token": token,
        "page": page,
        "rally": page.rally,
        "stage": page.stage,
        "cars": [(car, _card_form(page, car, card if car.entry.pk == sent else None)) for car in page.cars],
        "refusal": refusal,
        "field": refusal.field if refusal else "",
        "sent": sent,
        "typed": request.POST if refusal else {},
        "worths": json.dumps(page.worths),
        "head": measures.result_head(page.rally.measure),
        "version": selectors.version_of(page.by),
    }
    status = refusal.status if refusal else HTTPStatus.UNPROCESSABLE_ENTITY if card else HTTPStatus.OK
    return render(request, "tabletop/pad.html", context, status=status)


def _card_form(page: PadPage, car: selectors.Car, sent: TimeControlForm | None) -> TimeControlForm | None:
    """The decisions of a car that time control waits for; None for others."""
    return sent or (TimeControlForm(**_decisions(page, car)) if car.card else None)


def _decisions(page: PadPage, car: selectors.Car) -> dict[str, Any]:
    assert page.stage is not None, "a card belongs to a stage"
    found = career.decisions(page.rally, page.stage, car.entry.car, last=page.last)
    prices = envelopes.all_prices(found, page.rally.measure)
    return {"decisions": found, "prices": prices, "auto_id": f"card-{car.entry.pk}-%s"}


@require_POST
def entries(request: HttpRequest, token: str) -> HttpResponse:
    """Take what a script sends, as JSON: `entries`, a list. The answer says for each what became of it."""
    by = links.pass_of(token)
    try:
        if len(request.body) > LONGEST_BODY:
            raise ValueError("too large")
        sent = plain_json(request.body)
        listed = sent["entries"] if isinstance(sent, dict) else None
        if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_AT_ONCE:
            raise ValueError("no list")
    except (ValueError, KeyError, UnicodeDecodeError):
        return JsonResponse({"message": _("This cannot be read.")}, status=HTTPStatus.BAD_REQUEST)
    outcomes: list[Outcome] = []
    for each in listed:
        key = each.get("key", "") if isinstance(each, dict) and isinstance(each.get("key"), str) else ""
        try:
            written = from_json(each, by.evening.rally.measure)
            outcomes += scoring.enter_scores(by=by, written=[written])
        except TooOften as refusal:
            return _too_often(refusal, outcomes)
        except Refusal as refusal:
            outcomes.append(Outcome(key[:40], refusal=refusal))
    return JsonResponse(_answer(by, outcomes))


def _too_often(refusal: TooOften, outcomes: list[Outcome]) -> HttpResponse:
    answer = JsonResponse(
        {"message": str(refusal), "outcomes": [_outcome(each) for each in outcomes]},
        status=HTTPStatus.TOO_MANY_REQUESTS,
    )
    answer["Retry-After"] = str(refusal.seconds)
    return answer


def _answer(by: links.Pass, outcomes: list[Outcome]) -> dict[str, Any]:
    page = selectors.pad_page(by)
    return {
        "outcomes": [_outcome(each) for each in outcomes],
        "cars": {
            str(car.entry.pk): {
                "seen": car.stands.key if car.stands else "",
                "says": in_words(car.stands, page.rally) if car.stands else "",
                "conflicts": len(car.others),
            }
            for car in page.cars
        },
        "version": selectors.version_of(by),
    }


def _outcome(each: Outcome) -> dict[str, Any]:
    if each.score is None:
        return {"key": each.key, "standing": "refused", "says": str(each.refusal)}
    return {"key": each.key, "standing": each.score.standing, "says": _told(each.score)}


@require_safe
def state(request: HttpRequest, token: str) -> HttpResponse:
    """Say what the pads show now, as a text that changes with it."""
    answer = JsonResponse({"version": selectors.version_of(links.pass_of(token))})
    answer["Cache-Control"] = "no-store"
    return answer


@require_POST
def card(request: HttpRequest, token: str) -> HttpResponse:
    """Hand in the time card of a car, with the decisions of its driver."""
    by = links.pass_of(token)
    _count(by)
    page = selectors.pad_page(by)
    pk = whole_number(request.POST.get("entry", ""), digits=9)
    car = next((each for each in page.cars if each.entry.pk == pk and each.card), None)
    if car is not None and entry_waits(car.entry):
        return _refused(request, token, page, Refused(_("Somebody has to confirm first that it is you.")))
    if car is None or page.stage is None:
        raise Stale(_("This card is in, or time control is closed."))
    form = TimeControlForm(request.POST, **_decisions(page, car))
    if form.is_valid():
        try:
            submit_time_control(by=car.entry.driver, special_stage=page.stage, decision=form.cleaned_data)
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
        else:
            messages.success(request, _("The card of %(car)s is in and sealed.") % {"car": car.entry})
            return redirect("tabletop:pad", token)
    return _page(request, token, selectors.pad_page(by), card=form)


@require_POST
def roll(request: HttpRequest, token: str) -> HttpResponse:
    """Roll for a car. Which and how many: `t_<name>`, a number for each thing to throw."""
    by = links.pass_of(token)
    page = selectors.pad_page(by)
    thrown: list[str] = []
    for each in page.pad.throws:
        thrown += [each.name] * min(whole_number(request.POST.get(f"t_{each.name}", "") or "0", digits=4) or 0, 99)
    try:
        made = rolling.roll(
            by=by,
            entry_id=whole_number(request.POST.get("entry", ""), digits=9) or 0,
            thrown=thrown,
            asked=request.POST.get("asked", ""),
            salt=request.POST.get("salt", ""),
        )
    except Refusal as refusal:
        return _refused(request, token, page, refusal)
    return redirect("tabletop:roll", made.key)


@require_POST
def hand_in(request: HttpRequest, token: str) -> HttpResponse:
    """Hand in the results of the table."""

    def act(by: links.Pass) -> str:
        number = whole_number(request.POST.get("stage", ""), digits=3) or 0
        n = handing_in.hand_in(by=by, number=number)
        return ngettext("%(n)d result is handed in.", "%(n)d results are handed in.", n) % {"n": n}

    return _acted(request, token, act)


@require_POST
def names(request: HttpRequest, token: str) -> HttpResponse:
    """Decide whose names phones have taken at this table: they are here, or a name is freed."""

    def act(by: links.Pass) -> str:
        return decide_names(by, request)

    return _acted(request, token, act)


@require_POST
def decide(request: HttpRequest, token: str) -> HttpResponse:
    """Decide which of two entries counts."""

    def act(by: links.Pass) -> str:
        number = whole_number(request.POST.get("score", ""), digits=15)
        score = get_object_or_404(Score, pk=number or 0, special_stage__rally=by.evening.rally_id)
        handing_in.decide(by=by, score=score, counts=request.POST.get("counts") == "yes")
        return _("Decided.")

    return _acted(request, token, act)


def _acted(request: HttpRequest, token: str, act: Callable[[links.Pass], str]) -> HttpResponse:
    by = links.pass_of(token)
    try:
        _count(by)
        says = act(by)
    except Refusal as refusal:
        return _refused(request, token, selectors.pad_page(by), refusal)
    messages.success(request, says)
    return redirect("tabletop:pad", token)


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker of pads. Its address is that of all pads, so that it controls them and nothing else. The first
    line changes with each release.
    """
    path = finders.find(WORKER)
    if not isinstance(path, str):
        raise Http404
    release = json.dumps(f"{__version__} {getattr(staticfiles_storage, 'manifest_hash', '')}".strip())
    with open(path, encoding="utf-8") as script:
        text = f"var RELEASE = {release}, STATIC = {json.dumps(settings.STATIC_URL)};\n{script.read()}"
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")
