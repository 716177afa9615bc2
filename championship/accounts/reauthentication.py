"""Asks people to reauthenticate before they change how they sign in, so that a stolen session is no stolen account.

A person who typed a code from the mail or used a passkey less than FRESH_FOR ago, to sign in or to reauthenticate, may
continue at once. Anybody else is redirected to a page that asks for one of them, and nothing has changed until then.
Afterwards the original request continues with what was typed.
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.code_verification import AbstractCodeVerificationProcess
from allauth.account.internal.flows.login import get_authentication_records, record_authentication
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect
from django.urls import resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from championship.accounts.requests import SignedInRequest, is_signed_in

FRESH_FOR = 600  # seconds
PROOFS = frozenset({"code", "mfa"})
"""Allauth's names for a code from the mail and for a passkey."""
ACT, CODE = "accounts_act", "accounts_fresh_code"
"""Session keys of the waiting form, and of the code that was sent."""
LONGEST_ACT = 20_000  # characters of a form that waits
ACT_WAITS_FOR = 1200  # seconds; enough time to ask for a code and to type it


def is_fresh(request: SignedInRequest) -> bool:
    """Whether the person has proved in this session who they are, less than FRESH_FOR ago."""
    records = get_authentication_records(request, request.user)
    proved = [record["at"] for record in records if record.get("method") in PROOFS]
    return bool(proved) and 0 <= time.time() - max(proved) < FRESH_FOR


def note_code(request: SignedInRequest, address: str, *, reauthenticated: bool | None = None) -> None:
    """Record that the signed-in person has typed the code that was sent to their address."""
    record_authentication(request, request.user, "code", email=address, reauthenticated=reauthenticated)


def redirect_to_proof(request: HttpRequest) -> HttpResponse:
    """Redirect to the page that asks for proof. A submitted form waits in the session."""
    request.session.pop(ACT, None)
    if request.method == "POST":
        sent = request.POST.urlencode()
        if len(sent) <= LONGEST_ACT:
            request.session[ACT] = {"path": request.path, "sent": sent, "at": time.time()}
    return redirect(f"{reverse('account_fresh_code')}?{urlencode({REDIRECT_FIELD_NAME: request.path}, safe='/')}")


def resume(request: HttpRequest) -> HttpResponseBase:
    """Process the form that was waiting, as if it were submitted now. Without one, redirect to the requested page.

    A form that has waited longer than ACT_WAITS_FOR is not processed: its author may have forgotten it.
    """
    path = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME) or ""
    act = request.session.pop(ACT, None)
    awaited = bool(act) and act["path"] == path
    in_time = awaited and 0 <= time.time() - act.get("at", 0) < ACT_WAITS_FOR
    if awaited and not in_time:
        messages.warning(request, _("That took too long, so nothing was changed. Send the form again."))
    if in_time:
        request.path = request.path_info = path
        request.GET, request.POST = QueryDict(), QueryDict(act["sent"])
        request.META["QUERY_STRING"] = ""
        request.resolver_match = match = resolve(path)
        answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        return answer
    safe = url_has_allowed_host_and_scheme(path, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return HttpResponseRedirect(path if path and safe else reverse("accounts:me"))  # redirect() would look for names


class ReauthenticationRequired:
    """Mixin for a view of allauth that needs fresh proof. Allauth redirects people who are not signed in."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if is_signed_in(request) and not is_fresh(request):
            return redirect_to_proof(request)
        answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        return answer


class FreshCode(AbstractCodeVerificationProcess):
    """A code sent to the person's own address. It has the same lifetime and number of tries as a sign-in code."""

    def __init__(self, request: SignedInRequest, state: dict[str, Any]) -> None:
        self.request = request
        super().__init__(
            max_attempts=settings.ACCOUNT_LOGIN_BY_CODE_MAX_ATTEMPTS,
            timeout=settings.ACCOUNT_LOGIN_BY_CODE_TIMEOUT,
            state=state,
            user=request.user,
        )

    @classmethod
    def sent_to(cls, request: SignedInRequest) -> FreshCode | None:
        """The code that this session waits for, if one was sent and is still valid; else None."""
        state = request.session.get(CODE)
        if not state or state.get("email") != request.user.email:
            return None
        process: FreshCode | None = cls(request, state).abort_if_invalid()  # type: ignore[no-untyped-call]  # allauth
        return process

    @classmethod
    def start(cls, request: SignedInRequest) -> FreshCode:
        """Send a code to the person's own address."""
        process = cls(request, cls.initial_state(user=None, email=request.user.email))
        process.state["code"] = get_adapter().generate_login_code()
        process.send()
        process.persist()
        return process

    def send(self) -> None:
        context = {"request": self.request, "user": self.request.user, "code": self.code}
        get_adapter().send_mail("account/email/fresh_code", self.state["email"], context)

    def persist(self) -> None:
        self.request.session[CODE] = self.state

    def abort(self) -> None:
        self.request.session.pop(CODE, None)

    def finish(self) -> None:
        """Record that the right code was typed."""
        self.abort()
        note_code(self.request, self.state["email"], reauthenticated=True)
