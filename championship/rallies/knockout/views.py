"""The page for organisers on which they see and choose who drives a semi-final or a final."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.services import require_role_to_read
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refusal, Refused, Stale
from championship.rallies import selectors
from championship.rallies.knockout.event import plan_in_words, starters_of
from championship.rallies.knockout.field import Field, field_of
from championship.rallies.knockout.services import choose_field, fingerprint_of, redraw_field
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.public_views import crumbs, page_context
from championship.rallies.results import measures
from championship.rallies.results.selectors import COMPLETE
from championship.rallies.selectors import RallyPage

MOST_CHOSEN = 100


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A car that might go on: its heat and result in words, whether it is on the list, and why the results put it
    there.
    """

    entry: Entry
    heat: int
    result: str
    chosen: bool
    why: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def field(request: SignedInRequest, key: str, number: int) -> HttpResponse:
    """Who goes on to a stage, and why; a button to draw it again, and a form to choose by hand."""
    rally = selectors.rally_by_key(key, request.user)
    roles = require_role_to_read(request.user, rally.club, Role.ORGANISER)
    if rally.heats is None or number < 2:
        raise Http404
    refusal: Refusal | None = None
    typed: set[int] | None = None
    if request.method == "POST":
        sent = map(whole_number, request.POST.getlist("entry")[:MOST_CHOSEN])
        typed = {entry for entry in sent if entry is not None}
        try:
            if request.POST.get("do") == "draw":
                redraw_field(by=request.user, rally=rally, number=number)
                says = _("Drawn again by the results as they are now.")
            else:
                seen = request.POST.get("seen", "")
                choose_field(by=request.user, rally=rally, number=number, entry_ids=sorted(typed), seen=seen)
                says = _("The list is set.")
        except (Refused, Stale) as refused:
            refusal = refused
        else:
            messages.success(request, says)
            return redirect("rallies:field", key, number)
    page = selectors.rally_page(rally, request.user, number=number, roles=roles)
    listed = [place.entry_id for place in page.start_list]
    ready = page.results.stages[number - 2].status in COMPLETE
    chosen = set(listed) if typed is None or isinstance(refusal, Stale) else typed
    context = {
        **page_context(page, "desk"),
        "crumbs": crumbs(page, page.stage.called),
        "stage": page.stage,
        "plan": plan_in_words(page.rally, starters_of(page.results)),
        "lines": _lines(page, field_of(rally, page.stage, lots=listed, results=page.results), chosen) if ready else [],
        "seen": fingerprint_of(listed),
        "open": page.stage.status == SpecialStage.Status.PLANNED and rally.status == Rally.Status.RUNNING and ready,
        "refusal": refusal,
    }
    return render(request, "rallies/field.html", context, status=refusal.status if refusal else HTTPStatus.OK)


def _lines(page: RallyPage, found: Field, chosen: set[int]) -> list[FieldLine]:
    why = {car.entry: _("by its place in the heat") if car.direct else _("by its result") for car in found.through}
    why |= {entry: _("joins late") for entry in found.late}
    return [
        FieldLine(
            entry=found.entries[entry],
            heat=found.heats[entry],
            result=measures.result(found.totals[entry], page.results.measure),
            chosen=entry in chosen,
            why=why.get(entry, ""),
        )
        for entry in found.order
    ]
