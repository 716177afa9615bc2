"""The page of a club's webhook."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.clubs import selectors, services, webhooks
from championship.clubs.views import MANAGERS, about, crumbs
from championship.notices.forms import WebhookForm
from championship.notices.views.channels import test_webhook
from championship.refusals import Forbidden, Refused


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the club's webhook, try it, or take it away; for its owners and organisers."""
    assert isinstance(request.user, User)
    me = selectors.membership_of(user=request.user, slug=slug)
    services.require_role(request.user, me.club, *MANAGERS)
    hook = webhooks.webhook_of(me.club)
    do = request.POST.get("do")
    if do == "test":
        test_webhook(request, hook)
        return redirect("clubs:webhook", slug=slug)
    if do == "remove":
        webhooks.remove_club_webhook(by=request.user, club=me.club)
        messages.success(request, _("Nothing is posted there any more."))
        return redirect("clubs:webhook", slug=slug)
    kept = {"url": hook.url, "shape": hook.shape} if hook else None
    form = WebhookForm(request.POST if request.method == "POST" else None, initial=kept)
    if form.is_bound and form.is_valid():
        try:
            webhooks.set_club_webhook(by=request.user, club=me.club, **form.cleaned_data)
        except Forbidden:
            raise
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("The webhook is saved. Send a test to see whether it works."))
            return redirect("clubs:webhook", slug=slug)
    context = {
        **about(me),
        "crumbs": crumbs(me.club, _("Webhook")),
        "webhook": hook,
        "form": form,
        "action_url": reverse("clubs:webhook", args=[slug]),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "clubs/webhook.html", context, status=status)
