"""Responses when a rate limit is reached. The page, the form and Retry-After say how long to wait. The limits are in
settings/base.py.
"""

from __future__ import annotations

import math
import time
from http import HTTPStatus

from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.platform.web.request_values import RequestValue

ACCOUNT, PASSKEYS = "allauth.account", "allauth.mfa"
COUNTED_AT = {
    "account_login": [(ACCOUNT, "login"), (ACCOUNT, "request_login_code")],
    "account_signup": [(ACCOUNT, "signup"), (ACCOUNT, "confirm_email")],
    "account_email": [(ACCOUNT, "manage_email"), (ACCOUNT, "confirm_email")],
    "account_email_verification_sent": [(ACCOUNT, "confirm_email")],
    "account_fresh_code": [(ACCOUNT, "reauthenticate"), (ACCOUNT, "request_login_code")],
    "account_fresh_passkey": [(ACCOUNT, "reauthenticate"), (ACCOUNT, "login_failed")],
    "mfa_login_webauthn": [(PASSKEYS, "webauthn_login")],
}
"""The limits that each page counts: (the app of the rates, the action's name)."""
AT_LEAST = 10
"""Seconds to wait where the counts do not say how long: another request had locked the count for a moment."""
CODES = frozenset({"rate_limited", "too_many_login_attempts"})
"""The error codes that mean a limit."""
LIMIT_REACHED: RequestValue[bool] = RequestValue("limit_reached")
"""Whether a form of the request has reached a limit."""


def wait(request: HttpRequest) -> int:
    """Seconds until this request, which was refused, may be tried again."""
    name = request.resolver_match.url_name if request.resolver_match else None
    waits = [
        _wait_for(request, app, action, rate)
        for app, action in COUNTED_AT.get(str(name), [])
        for rate in ratelimit.get_rates(app=app, action=action)
    ]
    return max([AT_LEAST, *waits])


def _wait_for(request: HttpRequest, app: str, action: str, rate: ratelimit.Rate) -> int:
    key = None
    if rate.per == "key":
        key = _key(request, action)
        if key is None:
            return 0
    elif rate.per == "user" and not request.user.is_authenticated:
        return 0
    counted = ratelimit.get_cache_key(request, app=app, action=action, rate=rate, key=key)
    now = time.time()
    recent = sorted((at for at in cache.get(counted, []) if at > now - rate.duration), reverse=True)
    if len(recent) < rate.amount:
        return 0
    return math.ceil(float(recent[rate.amount - 1]) + rate.duration - now)


def _key(request: HttpRequest, action: str) -> str | None:
    """The key by which the action counts: the typed address, else the signed-in person's own; a person for passkeys."""
    if action == "login_failed":
        return f"mfa-auth-user-{request.user.pk}" if request.user.is_authenticated else None
    typed = request.POST.get("login") or request.POST.get("email")
    if typed:
        return typed.strip().lower()
    return request.user.email.lower() if request.user.is_authenticated else None


def note_reached(request: HttpRequest) -> None:
    """Remember that a limit was reached in a form of this request. Allauth passes on only the message."""
    LIMIT_REACHED.put(request, True)


def was_reached(request: HttpRequest) -> bool:
    return bool(LIMIT_REACHED.of(request))


def in_words(seconds: int) -> str:
    """The time to wait as text: in seconds up to a minute and a half, then in minutes, rounded up."""
    if seconds <= 90:
        return ngettext("%d second", "%d seconds", seconds) % seconds
    minutes = math.ceil(seconds / 60)
    return ngettext("%d minute", "%d minutes", minutes) % minutes


def message(request: HttpRequest) -> str:
    """The message of a form when a limit is reached."""
    return _("Too many attempts. Try again in %s.") % in_words(wait(request))


def refused(request: HttpRequest) -> HttpResponse:
    """The 429 page, which asks to wait, with the seconds in Retry-After."""
    seconds = wait(request)
    answer = render(request, "429.html", {"wait": in_words(seconds)}, status=HTTPStatus.TOO_MANY_REQUESTS)
    answer["Retry-After"] = str(seconds)
    return answer
