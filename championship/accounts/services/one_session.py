"""One request of a session after the other: parallel requests would each read the same number of failed tries."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase


def one_at_a_time(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view whose POST counts in the session. The POST waits for others of its session, reads the session
    again, and stores it before the next one begins. Without a stored session it does not wait.
    """

    @wraps(view)
    def locked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        key = request.session.session_key
        if request.method != "POST" or key is None:
            return view(request, *args, **kwargs)
        with transaction.atomic():
            Session.objects.select_for_update().filter(session_key=key).first()
            request.session = type(request.session)(key)
            answer = view(request, *args, **kwargs)
            if request.session.session_key == key and request.session.modified:
                request.session.save()
                request.session.modified = False  # the middleware stores it later, over what the next request counts
        return answer

    return locked
