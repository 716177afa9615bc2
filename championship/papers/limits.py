"""How many papers a person or a network address may have rendered in a minute."""

from __future__ import annotations

import hashlib
from http import HTTPStatus

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from championship.platform import clock
from championship.platform.web import client_address


def over_limit(request: HttpRequest) -> bool:
    """Count this request, and return whether the person or the network address is over the limit of papers a minute."""
    user = request.user
    who = f"person {user.pk}" if user.is_authenticated else f"address {client_address.network_of(request.META)}"
    most = settings.PAPERS_A_MINUTE * (1 if user.is_authenticated else 2)
    minute = int(clock.now().timestamp() // 60)
    key = "papers-" + hashlib.sha256(f"{who} {minute}".encode()).hexdigest()[:32]
    cache.add(key, 0, 120)
    try:
        return bool(cache.incr(key) > most)
    except ValueError:  # the cache evicted the key between the two calls
        return False


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Answer a request over the limit: 429, try again in a minute."""
    response = render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = "60"
    response["Cache-Control"] = "no-store"
    response["ETag"] = '"too often"'
    return response
