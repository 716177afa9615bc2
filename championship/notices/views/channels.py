"""Views to set up channels: browsers, the calendar."""

import json
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from championship.accounts import devices
from championship.accounts.requests import SignedInRequest
from championship.notices import calendar_feed
from championship.notices.models import Preferences
from championship.notices.services import notice_choices
from championship.platform.bounded_input import plain_json
from championship.platform.refusals import Refused
from championship.platform.version import __version__

WORKER = ("js/push-worker.js", "js/kept-pages.js")
"""The scripts of the service worker."""


@login_required
@require_POST
def add_browser(request: SignedInRequest) -> HttpResponse:
    """Store a browser's subscription. The browser's script posts it as JSON once its owner has allowed notices."""
    try:
        told = plain_json(request.body)
        subscription = _subscription(told)
    except (ValueError, KeyError, TypeError):
        return _no_key()
    try:
        kept = notice_choices.add_browser(
            person=request.user, browser=name_of_browser(request.headers.get("User-Agent", "")), **subscription
        )
    except Refused as refusal:
        return JsonResponse({"message": str(refusal), "field": refusal.field}, status=refusal.status)
    request.session[notice_choices.BROWSER_HERE] = kept.pk
    if not told.get("renewed"):  # nobody has asked for it: the browser has renewed its subscription by itself
        messages.success(request, _("This browser shows your notices from now on."))
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@csrf_exempt  # a service worker has no token, and nobody may be signed in: the old subscription's secret is the key
@require_POST
def renew_browser(request: HttpRequest) -> HttpResponse:
    """Replace a subscription by the one with which the browser has replaced it. The browser's service worker posts
    both. 404 for an old one that does not exist, or with another secret.
    """
    try:
        told = plain_json(request.body)
        old, new = _subscription(told["old"]), _subscription(told["new"])
    except (ValueError, KeyError, TypeError):
        return _no_key()
    try:
        notice_choices.renew_browser(old_endpoint=old["endpoint"], old_auth=old["auth"], **new)
    except Refused as refusal:
        return JsonResponse({"message": str(refusal), "field": refusal.field}, status=refusal.status)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _subscription(told: Any) -> dict[str, str]:
    """The fields of a subscription, as browsers write it in JSON.

    Raises: KeyError, TypeError when it is none.
    """
    return {
        "endpoint": str(told["endpoint"]),
        "p256dh": str(told["keys"]["p256dh"]),
        "auth": str(told["keys"]["auth"]),
    }


def _no_key() -> JsonResponse:
    return JsonResponse({"message": _("That is not a browser's key.")}, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def name_of_browser(agent: str) -> str:
    """A name such as "Firefox, Android", as far as the user agent shows it. It is stored: the same in all languages."""
    return ", ".join(filter(None, devices.browser_and_system(agent)))


@login_required
@require_POST
def remove_browser(request: SignedInRequest, pk: int) -> HttpResponse:
    """Stop showing notices in that browser."""
    notice_choices.remove_browser(person=request.user, pk=pk)
    messages.success(request, _("That browser no longer shows your notices."))
    return redirect("notices:settings")


@login_required
@require_POST
def renew_calendar(request: SignedInRequest) -> HttpResponse:
    """Give the person's calendar another secret address."""
    notice_choices.renew_calendar(person=request.user)
    messages.success(request, _("The calendar has a new address; the old one no longer works."))
    return redirect("notices:settings")


@require_safe
@cache_control(private=True, max_age=300)
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """The calendar of the person whose secret is in the address; 304 if it has not changed since the request's ETag."""
    preferences = Preferences.objects.select_related("person").filter(calendar_key=key).first()
    if preferences is None or not preferences.person.is_active or preferences.person.closed_at is not None:
        raise Http404
    return calendar_feed.answer(request, calendar_feed.feed(preferences.person))


@require_safe
@cache_control(no_cache=True)
def push_worker(request: HttpRequest) -> HttpResponse:
    """The one service worker: it shows pushes and keeps copies of pages. It is at the root: a worker controls only
    pages below its own address. The first line changes with each release. Then browsers install the worker again, and
    it deletes its copies.
    """
    release = json.dumps(f"{__version__} {getattr(staticfiles_storage, 'manifest_hash', '')}".strip())
    scripts = (_script(name) for name in WORKER)
    text = "\n".join((f"var RELEASE = {release}, STATIC = {json.dumps(settings.STATIC_URL)};", *scripts))
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")


def _script(name: str) -> str:
    path = finders.find(name)
    if not isinstance(path, str):
        raise Http404
    with open(path, encoding="utf-8") as script:
        return script.read()
