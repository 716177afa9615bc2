"""Views for handing the wheel to the codriver, for one turn, for the rest of a stage or for good."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from championship.accounts.requests import SignedInRequest
from championship.rallies import selectors as rallies
from championship.rallies import services as rally_services
from championship.rallies.models import Entry
from championship.refusals import Stale
from championship.runs import services
from championship.runs.models import Run, Seat

FOR_GOOD = "rally"


@login_required
@require_POST
def hand_over(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Let the codriver drive the reader's own car for as long as they chose."""
    rally = rallies.rally_by_key(key, request.user)
    entry = get_object_or_404(rally.entries.filter(driver=request.user), pk=entry_id)
    how_long, manner = request.POST.get("how_long", ""), request.POST.get("manner", "")
    run = Run.objects.filter(seats__entry=entry, status=Run.Status.RUNNING).select_related("special_stage").first()
    if how_long == FOR_GOOD:
        codriver = Entry.DrivenBy.CODRIVER
        rally_services.set_driven_by(by=request.user, entry=entry, driven_by=codriver, manner=manner)
        said = _(
            "The codriver drives for %(crew)s until you take the wheel back. The cards of time control stay yours."
        )
    elif run is None:
        raise Stale(_("Your car is not on the road now. Look again."))
    else:
        made = request.POST.get("turns_made", "")
        services.hand_over_wheel(
            by=request.user,
            run=run,
            how_long=how_long,
            turns_made=int(made) if made.isascii() and made.isdecimal() and len(made) < 10 else -1,
            manner=manner,
        )
        if how_long == Seat.HandedOver.TURN:
            said = _("The codriver drives one turn for %(crew)s. After it the wheel is yours again.")
        else:
            said = _("The codriver drives for %(crew)s until this is over: %(stage)s.")
    stage = "" if run is None else run.special_stage.called
    messages.success(request, said % {"crew": entry.crew, "stage": stage})
    if run is not None and request.POST.get("from") == "run":
        return redirect(f"{run.get_absolute_url()}#panel")
    return redirect("rallies:rally", key)
