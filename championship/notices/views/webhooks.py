"""The pages of a person's or a club's webhooks: the list with a form to add one, and the page of one webhook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.notices import notice_text, selectors
from championship.notices.forms import WebhookForm
from championship.notices.models import Webhook
from championship.notices.services import webhook_tests, webhook_transport, webhooks
from championship.notices.services.webhooks import Owner
from championship.platform import clock
from championship.platform.refusals import Refused

SHOWN = 30
"""Posts in the log on the page."""
page_with_form = require_http_methods(["GET", "HEAD", "POST"])


@dataclass(frozen=True, slots=True)
class WebhookPages:
    """What the pages need: the owner of the webhooks, the address of the list, the template, and its context."""

    owner: Owner
    here: str
    template: str
    shows: Mapping[str, Any]


@login_required
@page_with_form
def mine(request: HttpRequest) -> HttpResponse:
    """The person's own webhooks, with a form to add one."""
    return listed(request, _own(request))


@login_required
@page_with_form
def my_one(request: HttpRequest, pk: int) -> HttpResponse:
    """One of the person's own webhooks."""
    return one(request, _own(request), pk)


def _own(request: HttpRequest) -> WebhookPages:
    assert isinstance(request.user, User)
    crumbs = [(_("Your profile"), reverse("accounts:me")), (_("Notices"), reverse("notices:settings"))]
    shows = {"crumbs": [*crumbs, (_("Webhooks"), None)]}
    return WebhookPages(Owner(request.user), reverse("notices:webhook"), "notices/webhook.html", shows)


def listed(request: HttpRequest, pages: WebhookPages) -> HttpResponse:
    """All webhooks of an owner, and a form for another one."""
    form = WebhookForm(request.POST if request.method == "POST" else None, owner=pages.owner)
    if form.is_bound and form.is_valid():
        kept = _saved(form, lambda: webhooks.add(pages.owner, **form.cleaned_data))
        if kept is not None:
            messages.success(request, _("The webhook is saved. Send a test to see whether it works."))
            _warn_of_copies(request, pages, kept.url)
            return redirect(webhook_transport.address_of(kept))
    shows = {"webhooks": [(each, webhook_transport.address_of(each)) for each in pages.owner.webhooks()]}
    return _page(request, pages, form, shows)


def one(request: HttpRequest, pages: WebhookPages, pk: int) -> HttpResponse:
    """One webhook: its secret, a test, its log, a form to change it, and its removal."""
    webhook = pages.owner.webhooks().filter(pk=pk).first()
    if webhook is None:
        raise Http404
    do = request.POST.get("do", "")
    if do in ACTS:
        return ACTS[do](request, pages, webhook)
    kept = {"url": webhook.url, "shape": webhook.shape, "name": webhook.name, "kinds": webhook.kinds}
    form = WebhookForm(request.POST if request.method == "POST" else None, owner=pages.owner, initial=kept)
    sent = form.is_bound and form.is_valid()
    if sent and _saved(form, lambda: webhooks.change(pages.owner, pk, **form.cleaned_data)):
        messages.success(request, _("The webhook is saved. Send a test to see whether it works."))
        _warn_of_copies(request, pages, form.cleaned_data["url"])
        return redirect(webhook_transport.address_of(webhook))
    posts = list(selectors.posts_of(webhook)[:SHOWN])
    shows = {
        "webhook": webhook,
        "old_secret": webhook.old_secret if len(webhook.secrets(clock.now())) > 1 else "",
        "posts": [(post, notice_text.subject_of(post), post.status in webhooks.SETTLED) for post in posts],
        "here": webhook_transport.address_of(webhook),
    }
    return _page(request, pages, form, shows)


def _warn_of_copies(request: HttpRequest, pages: WebhookPages, url: str) -> None:
    """Say that notices arrive twice if somebody else posts to this address too: a club and one of its members."""
    if webhooks.is_address_elsewhere(pages.owner, url):
        messages.warning(
            request,
            _("Another webhook, of a club or a person, posts to this address too. Some posts arrive there twice."),
        )


def _page(request: HttpRequest, pages: WebhookPages, form: WebhookForm, shows: Mapping[str, Any]) -> HttpResponse:
    context = {"all": pages.here, "here": pages.here, **pages.shows, "form": form, **shows}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, pages.template, context, status=status)


def _saved(form: WebhookForm, save: Any) -> Webhook | None:
    """The saved webhook; None if it was refused. The form then shows why."""
    try:
        saved: Webhook = save()
    except Refused as refusal:
        form.add_error(refusal.field, str(refusal))
        return None
    return saved


def _test(request: HttpRequest, pages: WebhookPages, webhook: Webhook) -> HttpResponse:
    try:
        webhook_tests.request_test(by=pages.owner.by, webhook=webhook)
    except webhook_tests.TooSoon as refusal:
        messages.error(request, str(refusal))
    return redirect(webhook_transport.address_of(webhook))


def _rotate(request: HttpRequest, pages: WebhookPages, webhook: Webhook) -> HttpResponse:
    webhooks.rotate(pages.owner, webhook.pk)
    messages.success(request, _("The webhook has a new secret. For three days posts are signed with both."))
    return redirect(webhook_transport.address_of(webhook))


def _send_again(request: HttpRequest, pages: WebhookPages, webhook: Webhook) -> HttpResponse:
    try:
        webhooks.send_again(pages.owner, webhook.pk, request.POST.get("post", ""))
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("It is sent again."))
    return redirect(webhook_transport.address_of(webhook))


def _remove(request: HttpRequest, pages: WebhookPages, webhook: Webhook) -> HttpResponse:
    webhooks.remove(pages.owner, webhook.pk)
    messages.success(request, _("Nothing is posted there any more."))
    return redirect(pages.here)


ACTS = {"test": _test, "rotate": _rotate, "again": _send_again, "remove": _remove}
"""The functions of the buttons on the page of a webhook."""
