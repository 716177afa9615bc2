"""The page on which a person reauthenticates: with a code by mail, or with a passkey."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import ReauthenticateWebAuthnForm
from allauth.mfa.webauthn.internal.auth import begin_authentication
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.decorators import login_required
from django.forms import HiddenInput
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from championship.accounts import rate_limit_answers
from championship.accounts.passkeys import CredentialField, read_credential
from championship.accounts.reauthentication import FreshCode, is_fresh, resume
from championship.accounts.requests import SignedInRequest
from championship.accounts.sign_in_views import ConfirmLoginCodeForm


class FreshPasskeyForm(ReauthenticateWebAuthnForm):
    """The browser's response about one of the person's own keys."""

    credential = CredentialField(widget=HiddenInput)

    def clean_credential(self) -> Authenticator:
        return read_credential(super().clean_credential)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def fresh_code(request: SignedInRequest) -> HttpResponseBase:
    """Send a code (do=send), or check the typed code and continue with the waiting request."""
    if request.method != "POST":
        return resume(request) if is_fresh(request) else _page(request)
    if not _consume(request, "reauthenticate"):
        return rate_limit_answers.refused(request)
    if request.POST.get("do") == "send":
        if not _consume(request, "request_login_code", key=request.user.email.lower()):
            return rate_limit_answers.refused(request)
        FreshCode.start(request)
        return redirect(_here(request))
    process = FreshCode.sent_to(request)
    if process is None:
        return redirect(_here(request))
    form = ConfirmLoginCodeForm(request.POST, code=process.code)
    if form.is_valid():
        process.finish()
        return resume(request)
    if not process.record_invalid_attempt():
        messages.error(request, get_adapter().error_messages["too_many_login_attempts"])
        return redirect(_here(request))
    return _page(request, form)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def fresh_passkey(request: SignedInRequest) -> HttpResponseBase:
    """Tell the browser which keys are accepted; check its response and continue with the waiting request."""
    if request.method == "GET":
        if not get_adapter().is_ajax(request):
            return redirect(_here(request))
        return JsonResponse({"request_options": begin_authentication(request.user)})
    if not _consume(request, "reauthenticate"):
        return rate_limit_answers.refused(request)
    form = FreshPasskeyForm(request.POST, user=request.user)
    if form.is_valid():
        form.save()
        return resume(request)
    for error in form.errors.get("credential", []):
        messages.error(request, str(error))
    return redirect(_here(request))


def _consume(request: HttpRequest, action: str, key: str | None = None) -> bool:
    """Count this request against the limit. Returns False when the limit is reached."""
    return ratelimit.consume(request, app=rate_limit_answers.ACCOUNT, action=action, key=key) is not None


def _page(request: SignedInRequest, form: ConfirmLoginCodeForm | None = None) -> HttpResponse:
    process = FreshCode.sent_to(request)
    context: dict[str, Any] = {
        "form": form or ConfirmLoginCodeForm() if process else None,
        "next": _next(request),
        "has_passkeys": Authenticator.objects.filter(
            user_id=request.user.pk, type=Authenticator.Type.WEBAUTHN
        ).exists(),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form else HTTPStatus.OK
    return render(request, "accounts/fresh_code.html", context, status=status)


def _next(request: HttpRequest) -> str:
    return request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME) or ""


def _here(request: HttpRequest) -> str:
    address = reverse("account_fresh_code")
    return f"{address}?{urlencode({REDIRECT_FIELD_NAME: _next(request)}, safe='/')}" if _next(request) else address
