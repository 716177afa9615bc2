"""The page for choices about notices, the page that a link in a letter opens to switch mail off, and the operator's
page of notices that were not sent.
"""

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from championship.accounts.requests import SignedInRequest
from championship.notices import notice_text, selectors, services, unsubscribing
from championship.notices.forms import NoticesForm
from championship.notices.services import notice_choices, push_transport, webhook_transport
from championship.notices.services.webhooks import Owner
from championship.platform import clock
from championship.platform.refusals import Refused

LETTERS_ON_A_PAGE = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: SignedInRequest) -> HttpResponse:
    """Show and change which notices the person gets, how, and when."""
    form = NoticesForm(request.POST if request.method == "POST" else None, person=request.user)
    if request.method == "POST" and form.is_valid():
        try:
            notice_choices.set_times(
                person=request.user,
                **{name: form.cleaned_data[name] for name in ("rhythm", "daily_at", "reminder_hours")},
            )
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            notice_choices.set_switches(person=request.user, on=form.chosen())
            messages.success(request, _("Your choices are saved."))
            return redirect("notices:settings")
    return settings_page(request, form=form)


def settings_page(request: SignedInRequest, *, form: NoticesForm) -> HttpResponse:
    """The whole page; 422 when its form is not valid."""
    person = request.user
    key = notice_choices.calendar_key_of(person=person)
    context = {
        "form": form,
        "webhooks": [(each, webhook_transport.address_of(each)) for each in Owner(person).webhooks()],
        "browsers": person.push_subscriptions.all(),
        "push_key": push_transport.public_key(),
        "calendar": notice_text.absolute_url(reverse("notices:calendar", args=[key])),
        "crumbs": [(_("Your profile"), reverse("accounts:me")), (_("Notices"), None)],
    }
    return render(
        request,
        "notices/settings.html",
        context,
        status=HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK,
    )


@login_required
@require_POST
def trust_address(request: SignedInRequest) -> HttpResponse:
    """Send mail again to an address that bounced, because its owner says that it works again."""
    services.trust_address(person=request.user)
    messages.success(request, _("Mail goes to %s again.") % request.user.email)
    return redirect("notices:settings")


@csrf_exempt  # mail programs post here (RFC 8058), and people who are not signed in; the signature is the key
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """The page that the link in a letter opens. GET changes nothing; POST switches those kinds of mail off."""
    asked = unsubscribing.read(token)
    if asked is None:
        raise Http404
    done = request.method == "POST"
    if done:
        notice_choices.switch_mail_off(person=asked.person, names=[kind.name for kind in asked.kinds])
    address = masked_address(asked.person.email)
    context = {"kinds": [kind.switch for kind in asked.kinds], "address": address, "done": done}
    return render(request, "notices/off.html", context)


def masked_address(address: str) -> str:
    """An address in a form that only its owner recognises: "a…@example.org"."""
    local, _at, host = address.partition("@")
    return f"{local[:1]}…@{host}"


@require_http_methods(["GET", "HEAD", "POST"])
def letters(request: HttpRequest) -> HttpResponse:
    """Show dead and unsure notices; send them again or let them go. For staff only; others get a 404."""
    if not (request.user.is_authenticated and request.user.is_staff):
        raise Http404
    if request.method == "POST":
        return _settle(request)
    now = clock.now()
    page = Paginator(selectors.for_the_operator(), LETTERS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page_obj": page,
        "due": selectors.due_count(now),
        "overdue": selectors.overdue(now).count(),
        "stuck": selectors.stuck(now).count(),
        "dead": page.paginator.count,
        "without_mail": selectors.people_without_mail()[:LETTERS_ON_A_PAGE],
    }
    return render(request, "notices/letters.html", context)


def _settle(request: HttpRequest) -> HttpResponse:
    known = {str(pk) for pk in selectors.for_the_operator().values_list("pk", flat=True)}
    ids = known if request.POST.get("which") == "all" else known.intersection(request.POST.getlist("letter"))
    if known and not ids:
        messages.error(request, _("Tick the letters you mean, or choose all."))
    elif request.POST.get("do") == "again":
        count = services.retry_undelivered(ids=ids)
        messages.success(request, ngettext("%d letter is sent again.", "%d letters are sent again.", count) % count)
    elif request.POST.get("do") == "let go":
        count = services.drop_undelivered(ids=ids)
        messages.success(request, ngettext("%d letter is let go.", "%d letters are let go.", count) % count)
    return redirect("notices:letters")
