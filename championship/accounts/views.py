"""The pages of the person's account: profile, sign-ins, and closing it."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from championship.accounts import services
from championship.accounts.forms import ReaderForm
from championship.accounts.reauthentication import is_fresh, redirect_to_proof
from championship.accounts.requests import SignedInRequest
from championship.accounts.services import closing, sessions
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def me(request: SignedInRequest) -> HttpResponse:
    """Show and change the person's own name, language and time zone."""
    user = request.user
    form = ReaderForm(
        request.POST if request.method == "POST" else None,
        initial={"name": user.name, "language": user.language, "time_zone": user.time_zone},
    )
    if request.method == "POST" and form.is_valid():
        try:
            changed = services.update_profile(user=user, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            with translation.override(changed.language):
                messages.success(request, _("Your profile is saved."))
            return redirect("accounts:me")
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "accounts/me.html", {"form": form}, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def signed_in(request: SignedInRequest) -> HttpResponse:
    """List the person's sign-ins. End one of them (end=number), or all except this one (do=end-others)."""
    if request.method == "POST":
        if request.POST.get("do") == "end-others":
            sessions.end_others(request)
            messages.success(request, _("You are signed out on all other devices."))
        else:
            _end_one(request)
        return redirect("accounts:sign_ins")
    context = {"sign_ins": sessions.of(request.user), "here": request.session.session_key}
    return render(request, "accounts/sign_ins.html", context)


def _end_one(request: SignedInRequest) -> None:
    """End the sign-in that the button names; 404 if it is not the person's own."""
    number = whole_number(request.POST.get("end", ""))
    if number is None or not sessions.end(user=request.user, number=number):
        raise Http404
    messages.success(request, _("That device is signed out."))


class CloseForm(forms.Form):
    sure = forms.BooleanField(label=gettext_lazy("Close my account"))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: SignedInRequest) -> HttpResponse:
    """Explain what happens, ask for confirmation, and close the account."""
    if not is_fresh(request):
        return redirect_to_proof(request)
    form = CloseForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            closing.close(person=request.user)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            logout(request)
            says = _("Your account is closed. Sign in within %d days to open it again.")
            messages.success(request, says % closing.days())
            return redirect("home")
    context = {
        "form": form,
        "days": closing.days(),
        "crumbs": [(_("Your profile"), reverse("accounts:me")), (_("Close my account"), None)],
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "accounts/close.html", context, status=status)
