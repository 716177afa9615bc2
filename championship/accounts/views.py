"""The profile page."""

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts import services
from championship.accounts.forms import ReaderForm
from championship.refusals import Refused


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def me(request: HttpRequest) -> HttpResponse:
    """Show and change one's own name, language and time zone."""
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
