"""One answer for many spectators. When a run moves, every open page asks for it at once. Those without an account get
the same part of the page, so a process renders it once for all of them.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from championship.platform.web.polling import NEWS_TAG

KEPT_FOR = 5.0
"""Seconds. Every open page has asked by then."""
MOST = 64
FORM = b"csrfmiddlewaretoken"
"""A part with a form belongs to its reader."""

_kept: OrderedDict[tuple[str, ...], tuple[float, bytes, dict[str, str]]] = OrderedDict()
_rendering: dict[tuple[str, ...], threading.Lock] = {}
_lock = threading.Lock()


def shared(request: HttpRequest, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the answer to a poll: a copy of the one that another spectator has just got, where the reader has no
    session and asks for the same version of the same part in the same language and zone.
    """
    tag = NEWS_TAG.of(request)
    if settings.SESSION_COOKIE_NAME in request.COOKIES or not tag or "HX-Request" not in request.headers:
        return answer()
    others = sorted(f"{name}={value}" for name, value in request.COOKIES.items() if name != settings.CSRF_COOKIE_NAME)
    key = (request.get_full_path(), tag, request.headers.get("HX-Target", ""), *others)
    with _lock:
        waits = _rendering.setdefault(key, threading.Lock())
    with waits:
        with _lock:
            kept = _kept.get(key)
        if kept is not None and time.monotonic() < kept[0]:
            return HttpResponse(kept[1], headers=kept[2])
        fresh = answer()
        if fresh.status_code == 200 and FORM not in fresh.content:
            with _lock:
                _kept[key] = (time.monotonic() + KEPT_FOR, fresh.content, dict(fresh.headers))
                while len(_kept) > MOST:
                    _kept.popitem(last=False)
                if len(_rendering) > 4 * MOST:
                    _rendering.clear()
        return fresh
