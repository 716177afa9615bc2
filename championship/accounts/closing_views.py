"""The page on which people close their own account."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from championship.accounts.reauthentication import is_fresh, redirect_to_proof
from championship.accounts.requests import SignedInRequest
from championship.accounts.services import closing
from championship.platform.refusals import Refused


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
