"""The logo of a club: the picture itself, and the forms that set and remove it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from championship.accounts.requests import SignedInRequest
from championship.clubs import selectors, services
from championship.clubs.logos import MOST_BYTES, Logo
from championship.clubs.services import logo as writes
from championship.clubs.views import MANAGERS
from championship.clubs.visibility import require_may_see
from championship.platform.refusals import Refused

KEPT = 365 * 24 * 3600
"""Seconds for which a browser keeps the picture: its address changes with it."""


@require_safe
def picture(request: HttpRequest, key: str, tag: str) -> HttpResponse:
    """The logo as PNG, for everybody who may see what the club shows."""
    found = get_object_or_404(Logo.objects.select_related("club"), club__key=key, club__logo_tag=tag)
    require_may_see(found.club, request.user)
    answer = HttpResponse(bytes(found.content), content_type="image/png")
    answer["Cache-Control"] = f"private, max-age={KEPT}, immutable"
    return answer


@login_required
@require_POST
def change(request: SignedInRequest, slug: str) -> HttpResponse:
    """Set the logo from the file of the form, or remove it. A picture that cannot be read is told on the page."""
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    try:
        if "remove" in request.POST:
            writes.remove_logo(by=request.user, club=me.club)
        elif request.FILES.get("logo") is None:
            raise Refused(_("Choose a picture."), field="logo")
        else:
            writes.set_logo(by=request.user, club=me.club, content=_content(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("The club is changed."))
    return redirect("clubs:edit_face", slug=slug)


def _content(request: SignedInRequest) -> bytes:
    """Return the bytes of the uploaded file, and no more than one beyond what a logo may have."""
    file = request.FILES["logo"]
    if isinstance(file, list):
        raise Http404
    content: bytes = file.read(MOST_BYTES + 1)
    return content
