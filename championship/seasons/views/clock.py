"""The clock of a season: its settings and what comes next, for organisers; and the answer of a driver who was asked."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from championship.accounts.models import User
from championship.platform.refusals import Refused, Stale
from championship.seasons.clock import selectors, services
from championship.seasons.clock.forms import ClockForm
from championship.seasons.clock.services import acting
from championship.seasons.clock.timetable import ASK, CLOSE, DRAW, OPEN, START
from championship.seasons.models import Championship, Round, RoundAct
from championship.seasons.views.editing import FORM_METHODS, editing, form_data, organised, page, saved, version_in

ACTS = {"hold": services.hold, "release": services.release, "skip": services.skip, "now": services.do_now}


@editing
def season_clock(request: HttpRequest, by: User, shown: Championship) -> HttpResponse:
    """The settings of the clock, and what comes next in each round."""
    of = services.clock_of(shown)
    was_running = of.running
    initial = {} if of.pk else {"zone": by.time_zone}
    form = ClockForm(form_data(request), of=of, initial=initial)
    if form.is_bound and form.is_valid():

        def write() -> object:
            return services.set_clock(by=by, championship=shown, version=version_in(request), **form.cleaned_data)

        if saved(request, form, write, lambda: settings_said(was_running, running=form.cleaned_data["running"])):
            return redirect("seasons:edit_clock", shown.key)
    rounds = selectors.rounds_by_clock(shown, of)
    return page(request, shown, "edit_clock", form, {"clock": of, "rounds": rounds, "clock_version": of.version})


@require_POST
def act(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Hold, release, leave out or do an act of a round."""
    if not request.user.is_authenticated:
        return redirect("account_login")
    by, shown = organised(request, key)
    round = get_object_or_404(shown.rounds.select_related("rally"), number=number)
    pressed, name = request.POST.get("do", ""), request.POST.get("act", "")
    do = ACTS.get(pressed)
    try:
        if do is None or not hasattr(shown, "clock"):
            raise Refused(_("There is no such act."))
        do(by=by, round=round, act=name)
    except (Refused, Stale) as refusal:
        messages.error(request, str(refusal.message))
    else:
        messages.success(request, act_said(pressed, name, round))
    return redirect("seasons:edit_clock", key)


def settings_said(was_running: bool, *, running: bool) -> str:
    """What a change of the settings has done."""
    if running and not was_running:
        return _("The season runs by itself from now on. Its next steps are below.")
    if was_running and not running:
        return _("The season does nothing by itself any more. All dates stay as they are.")
    return _("The times are saved; the rounds ahead have their new dates.") if running else _("The times are saved.")


DONE_NOW = {
    OPEN: gettext_lazy("%(round)s: entries are open, and registered drivers are entered."),
    ASK: gettext_lazy("%(round)s: the drivers are asked whether they come."),
    CLOSE: gettext_lazy("%(round)s: entries are closed, and the waiting list has moved up."),
    DRAW: gettext_lazy("%(round)s: the start list is written."),
    START: gettext_lazy("%(round)s: the start is given."),
}
"""What each act has done when an organiser did it at once."""
ABOUT = {
    "hold": gettext_lazy("%(round)s: “%(act)s” is held, and all that follows it. Release it when you like."),
    "release": gettext_lazy("%(round)s: “%(act)s” is released. It happens at its time, or soon when that has passed."),
    "skip": gettext_lazy("%(round)s: “%(act)s” is left out."),
}


def act_said(pressed: str, act: str, round: Round) -> str:
    """What an organiser's act on a step of a round has done."""
    says = DONE_NOW[act] if pressed == "now" else ABOUT[pressed]
    return says % {"round": round.rally.name, "act": RoundAct.Act(act).label}


@require_http_methods(FORM_METHODS)
def check_in(request: HttpRequest, token: str) -> HttpResponse:
    """Ask a driver whether they come, and take the answer. The link is signed: nobody has to sign in."""
    entry = acting.entry_of(token)
    status, refusal = HTTPStatus.OK, ""
    if request.method == "POST" and request.POST.get("coming") in ("yes", "no"):
        try:
            acting.answer(entry=entry, coming=request.POST["coming"] == "yes")
        except Refused as refused:
            refusal, status = str(refused.message), HTTPStatus.UNPROCESSABLE_ENTITY
        else:
            return redirect("runs:mine") if request.POST.get("to") == "turns" else redirect("seasons:check_in", token)
    context = {"entry": entry, "rally": entry.rally, "check_in": getattr(entry, "check_in", None), "refusal": refusal}
    return render(request, "seasons/check_in.html", context, status=status)
