"""The page for the first stage's start list before the start: by hand, or by the standings of the championship."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.services import require_role_to_read
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refusal, Refused, Stale
from championship.rallies import selectors, services
from championship.rallies.desk.forms import put_refusal
from championship.rallies.entries.entry_forms import StartListForm
from championship.rallies.entries.services import seeding
from championship.rallies.entries.services.seeding import fingerprint, order_now
from championship.rallies.models import Entry, Rally
from championship.rallies.public_views import crumbs, page_context

WAYS = {"standing": False, "standing-last": True}
"""The buttons that order by the standings, and whether the leader starts last."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def start_list(request: SignedInRequest, key: str) -> HttpResponse:
    """Edit the start list. The buttons up and down only move a line of the form; they save nothing."""
    rally = selectors.rally_by_key(key, request.user)
    roles = require_role_to_read(request.user, rally.club, Role.ORGANISER)
    if request.method != "POST":
        return _page(request, rally, roles, _form(rally))
    pressed = request.POST.get("do", "")
    try:
        if pressed in WAYS:
            services.seed_by_standing(by=request.user, rally=rally, leader_last=WAYS[pressed])
        else:
            form = _form(rally, request.POST)
            if not form.is_valid():
                return _page(request, rally, roles, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
            if pressed.startswith(("up-", "down-")):
                return _page(request, rally, roles, _moved(rally, form, pressed))
            services.write_start_list(by=request.user, rally=rally, order=form.order(), seen=form.cleaned_data["seen"])
    except (Refused, Stale) as refusal:
        return _refused(request, selectors.rally_by_key(key, request.user), roles, refusal)
    messages.success(request, _("The start list is set."))
    return redirect("rallies:desk", key)


def _refused(request: HttpRequest, rally: Rally, roles: frozenset[str], refusal: Refusal) -> HttpResponse:
    """The page with the refusal. When the list has changed in the meantime, the page shows the present list."""
    changed = isinstance(refusal, Stale) or "seen" not in request.POST
    form = _form(rally) if changed else _form(rally, request.POST)
    if changed:
        return _page(request, rally, roles, form, status=refusal.status, problem=str(refusal.message))
    form.is_valid()
    put_refusal(form, refusal)
    return _page(request, rally, roles, form, status=refusal.status)


def _form(rally: Rally, data: QueryDict | None = None) -> StartListForm:
    """The form with the present start list; with `data`, its lines are in the order in which they were sent."""
    order = order_now(rally)
    seen = fingerprint(order, rally.seeded_by)
    if data is not None:
        sent = [name.removeprefix("place_") for name in data if name.startswith("place_")]
        typed = [pk for pk in map(whole_number, sent) if pk is not None]
        if sorted(typed) == sorted(order):
            order = typed
    entries = Entry.objects.in_bulk(order)
    return StartListForm(data, entries=[entries[pk] for pk in order], initial={"seen": seen})


def _moved(rally: Rally, form: StartListForm, pressed: str) -> StartListForm:
    """The typed list with one line moved up or down."""
    order = form.order()
    word, _dash, pk = pressed.partition("-")
    entry_id = whole_number(pk)
    if entry_id in order:
        at = order.index(entry_id)
        to = max(0, min(len(order) - 1, at + (-1 if word == "up" else 1)))
        order.insert(to, order.pop(at))
    entries = {entry.pk: entry for entry in form.entries}
    return StartListForm(entries=[entries[pk] for pk in order], initial={"seen": form.cleaned_data["seen"]})


def _page(
    request: HttpRequest,
    rally: Rally,
    roles: frozenset[str],
    form: StartListForm,
    *,
    status: int = HTTPStatus.OK,
    problem: str = "",
) -> HttpResponse:
    page = selectors.rally_page(rally, request.user, number=1, roles=roles)
    context = {
        **page_context(page, "desk"),
        "crumbs": crumbs(page, _("Start list")),
        "form": form,
        "problem": problem,
        "championship": seeding.championship_of(rally),
    }
    return render(request, "rallies/edit_start_list.html", context, status=status)
