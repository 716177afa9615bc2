"""The pages of a club's webhooks."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.requests import SignedInRequest
from championship.clubs import selectors, webhooks
from championship.clubs.models import Membership
from championship.clubs.views import about, crumbs
from championship.notices.views import webhooks as pages

page_with_form = require_http_methods(["GET", "HEAD", "POST"])


@login_required
@page_with_form
def webhook(request: SignedInRequest, slug: str) -> HttpResponse:
    """The club's webhooks with a form to add one, for its owners and organisers."""
    return pages.listed(request, _pages(request, slug))


@login_required
@page_with_form
def one_webhook(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """One of the club's webhooks."""
    return pages.one(request, _pages(request, slug), pk)


def _pages(request: SignedInRequest, slug: str) -> pages.WebhookPages:
    me: Membership = selectors.membership_of(user=request.user, slug=slug)
    owner = webhooks.managed(by=request.user, club=me.club)
    here = reverse("clubs:webhook", args=[slug])
    trail = crumbs(me.club, _("Webhooks"))
    return pages.WebhookPages(owner, here, "clubs/webhook.html", {**about(me), "crumbs": trail})
