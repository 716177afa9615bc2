"""Setting up the ways a notice can go: browsers, a webhook, the calendar."""

import json
from datetime import timedelta
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from championship import clock
from championship.notices import addresses, calendars, choosing, hooks, posting
from championship.notices.forms import WebhookForm
from championship.notices.models import Preferences, Webhook
from championship.notices.views.settings import settings_page
from championship.refusals import Refused

BETWEEN_TESTS = timedelta(seconds=10)
"""Nobody is to knock at others' doors with our hand."""


@login_required
@require_POST
def add_browser(request: HttpRequest) -> HttpResponse:
    """What a browser's script posts once its owner has allowed notices: its subscription, as JSON."""
    try:
        told = json.loads(request.body)
        subscription = {
            "endpoint": str(told["endpoint"]),
            "p256dh": str(told["keys"]["p256dh"]),
            "auth": str(told["keys"]["auth"]),
        }
    except (ValueError, KeyError, TypeError):
        return JsonResponse({"message": _("That is no browser's key.")}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        kept = choosing.add_browser(
            person=request.user, browser=name_of_browser(request.headers.get("User-Agent", "")), **subscription
        )
    except Refused as refusal:
        return JsonResponse({"message": str(refusal), "field": refusal.field}, status=refusal.status)
    request.session[choosing.BROWSER_HERE] = kept.pk
    messages.success(request, _("This browser shows your notices from now on."))
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def name_of_browser(agent: str) -> str:
    """ "Firefox, Android", as well as it can be told from what the browser says of itself."""
    browsers = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
    systems = (
        *(("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad")),
        *(("Windows", "Windows"), ("Mac OS", "macOS"), ("Linux", "Linux")),
    )
    browser = next((name for mark, name in browsers if mark in agent), "")
    system = next((name for mark, name in systems if mark in agent), "")
    return ", ".join(filter(None, (browser, system)))


@login_required
@require_POST
def remove_browser(request: HttpRequest, pk: int) -> HttpResponse:
    """No more notices in that browser."""
    choosing.remove_browser(person=request.user, pk=pk)
    messages.success(request, _("That browser shows your notices no more."))
    return redirect("notices:settings")


@login_required
@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Set one's own webhook, try it, or take it away."""
    if request.POST.get("do") == "remove":
        choosing.remove_webhook(person=request.user)
        messages.success(request, _("Nothing is posted there any more."))
        return redirect("notices:settings")
    if request.POST.get("do") == "test":
        test_webhook(request, Webhook.objects.filter(person_id=request.user.pk).first())
        return redirect("notices:settings")
    form = WebhookForm(request.POST)
    if form.is_valid():
        try:
            choosing.set_webhook(person=request.user, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("The webhook is saved. Send a test to see whether it works."))
            return redirect("notices:settings")
    return settings_page(request, webhook_form=form)


def test_webhook(request: HttpRequest, hook: Webhook | None) -> None:
    """Post a test and tell what came back; 404 without a webhook."""
    if hook is None:
        raise Http404
    if hook.last_at is not None and clock.now() - hook.last_at < BETWEEN_TESTS:
        messages.error(request, _("Something was posted there a moment ago. Wait a little."))
        return
    try:
        answer = hooks.send_test(hook)
    except addresses.Refusal as refusal:
        messages.error(request, _("The test did not arrive: %s") % refusal)
        return
    except posting.NoAnswer:
        messages.error(request, _("No answer came to the test. It may have arrived."))
        return
    except OSError:
        messages.error(request, _("The test did not arrive: nobody listens at this address."))
        return
    if hooks.well(answer):
        messages.success(request, _("The test has arrived: the answer was %d.") % answer.status)
    else:
        messages.error(
            request,
            _("The test was refused: %(status)d %(text)s") % {"status": answer.status, "text": answer.text[:200]},
        )


@login_required
@require_POST
def renew_calendar(request: HttpRequest) -> HttpResponse:
    """Another secret address for one's calendar."""
    choosing.renew_calendar(person=request.user)
    messages.success(request, _("The calendar has another address; the old one finds nothing any more."))
    return redirect("notices:settings")


@require_safe
@cache_control(private=True, max_age=300)
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """The calendar of whoever's secret is in the address; unchanged since the ETag it was asked with: 304."""
    preferences = Preferences.objects.select_related("person").filter(calendar_key=key).first()
    if preferences is None or not preferences.person.is_active:
        raise Http404
    return calendars.answer(request, preferences.person)


@require_safe
@cache_control(no_cache=True)
def push_worker(request: HttpRequest) -> HttpResponse:
    """The script that shows pushes, at the root: a worker may only act on pages below its own address."""
    path = finders.find("js/push-worker.js")
    if not isinstance(path, str):
        raise Http404
    with open(path, encoding="utf-8") as script:
        return HttpResponse(script.read(), content_type="text/javascript; charset=utf-8")
