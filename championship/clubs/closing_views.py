"""The page on which an owner closes the club, with its name typed to confirm, or opens it again."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from championship.accounts.requests import SignedInRequest
from championship.accounts.text import one_line
from championship.clubs import selectors, services
from championship.clubs.models import LONGEST_CLOSE_REASON, Role
from championship.clubs.services import closing
from championship.clubs.views import about, crumbs
from championship.platform.refusals import Refused


class CloseForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_CLOSE_REASON,
        validators=[one_line],
        help_text=gettext_lazy("Everybody who may see the club can read it. Every member is notified."),
    )
    name = forms.CharField(label=gettext_lazy("Type the name of the club to confirm"), max_length=80)

    def __init__(self, *args: object, name: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["name"].help_text = name
        self.fields["name"].widget.attrs["autocomplete"] = "off"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: SignedInRequest, slug: str) -> HttpResponse:
    """Close the club, or open it again (do=open). Repeating a request from an outdated page has no further effect."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role_to_read(request.user, me.club, Role.OWNER)
    if request.method == "POST" and request.POST.get("do") == "open":
        closing.open_again(by=request.user, club=me.club)
        messages.success(request, _("The club is open again."))
        return redirect("clubs:club", slug=slug)
    form = CloseForm(request.POST if request.method == "POST" else None, name=me.club.name)
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    if form.is_bound and form.is_valid():
        typed, reason = form.cleaned_data["name"], form.cleaned_data["reason"]
        try:
            closing.close(by=request.user, club=me.club, typed=typed, reason=reason)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
            status = refusal.status
        else:
            messages.success(request, _("The club is closed. Its members are notified."))
            return redirect("clubs:club", slug=slug)
    title = _("Open the club again") if me.club.closed_at else _("Close the club")
    context = {**about(me), "form": form, "title": title, "crumbs": crumbs(me.club, title)}
    return render(request, "clubs/close.html", context, status=status)
