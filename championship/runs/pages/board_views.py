"""The organiser's board of runs and its actions: remind, give time, replace a driver, call off."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.alphabet import alphabetical
from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.services import require_role_to_read
from championship.platform import clock
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refusal, Refused, Stale
from championship.platform.web import polling
from championship.rallies import selectors as rallies
from championship.rallies import services as rally_services
from championship.rallies.desk.forms import put_refusal
from championship.rallies.entries.driver_changes import changes_of
from championship.rallies.entries.entry_forms import CancelForm
from championship.rallies.entries.impartiality import TIMEKEEPERS, officials_for
from championship.rallies.models import Entry, Rally
from championship.rallies.public_views import crumbs, page_context
from championship.rallies.results.penalty_views import impartiality_context
from championship.runs import play as services
from championship.runs.models import Turn
from championship.runs.pages.forms import ExtendForm, ReplaceForm
from championship.runs.watch import board as boards

FORM_METHODS = ["GET", "HEAD", "POST"]


def _organised(request: HttpRequest, key: str) -> tuple[User, Rally, frozenset[str]]:
    """Return the user, the rally and the user's roles, for an organiser of its club.

    Raises: Forbidden or Http404 for everybody else.
    """
    assert isinstance(request.user, User)
    rally = rallies.rally_by_key(key, request.user)
    return request.user, rally, require_role_to_read(request.user, rally.club, Role.ORGANISER)


@polling.polled(boards.news_of_board)
@login_required
@require_safe
def board(request: HttpRequest, key: str) -> HttpResponse:
    """Show every run of the present stage, or of the stage asked for; `show=late` leaves out runs that are on time."""
    return _board(request, key)


def _board(request: HttpRequest, key: str, refusal: Refusal | None = None) -> HttpResponse:
    by, rally, roles = _organised(request, key)
    wanted = request.GET.get("stage", "")
    number = whole_number(wanted, digits=3)
    page = rallies.rally_page(rally, request.user, number=number, roles=roles)
    now = clock.now()
    shown = boards.board_of(rally, page.stage, now, page.results.changes, viewer=by, sealed=page.results_sealed)
    only_late = request.GET.get("show") == "late"
    context = {
        **page_context(page, "runs"),
        "crumbs": crumbs(page, _("All runs")),
        "stage": page.stage,
        "opened": [stage for stage in page.results.stages if stage.opened_at is not None],
        "board": shown,
        "runs": shown.late if only_late else shown.on_the_road,
        "only_late": only_late,
        "refusal": refusal,
        "now": now,
    }
    return render(request, "runs/board.html", context, status=refusal.status if refusal else HTTPStatus.OK)


@login_required
@require_POST
def nudge(request: HttpRequest, key: str, turn_id: int) -> HttpResponse:
    """Remind the driver of a turn."""
    by, rally, _roles = _organised(request, key)
    turn = get_object_or_404(Turn, pk=turn_id, run__special_stage__rally=rally)
    try:
        turn = services.nudge(by=by, turn=turn)
    except (Refused, Stale) as refusal:
        return _board(request, key, refusal)
    messages.success(request, _("%(crew)s is reminded.") % {"crew": turn.seat.entry})
    return redirect("runs:board", key)


@login_required
@require_POST
def nudge_late(request: HttpRequest, key: str) -> HttpResponse:
    """Remind every driver of the stage who is late, or nearly so, and may be reminded; `stage` is its number."""
    by, rally, roles = _organised(request, key)
    number = whole_number(request.POST.get("stage", ""), digits=3)
    page = rallies.rally_page(rally, request.user, number=number, roles=roles)
    shown = boards.board_of(rally, page.stage, clock.now(), viewer=by, sealed=page.results_sealed)
    n = services.nudge_all(by=by, turns=shown.may_be_reminded)
    if n:
        messages.success(request, ngettext("%(n)d driver is reminded.", "%(n)d drivers are reminded.", n) % {"n": n})
    else:
        messages.info(request, _("No late driver can be reminded now."))
    return redirect("runs:board", key)


@login_required
@require_http_methods(FORM_METHODS)
def extend(request: HttpRequest, key: str, turn_id: int) -> HttpResponse:
    """Give more time for a turn."""
    by, rally, roles = _organised(request, key)
    turns = Turn.objects.select_related("seat__entry__driver", "run__special_stage__rally")
    turn = get_object_or_404(turns, pk=turn_id, run__special_stage__rally=rally)
    form, status = ExtendForm(request.POST if request.method == "POST" else None), int(HTTPStatus.OK)
    if request.method == "POST" and form.is_valid():
        try:
            services.extend_turn(by=by, turn=turn, **form.cleaned_data)
        except Refusal as refusal:
            put_refusal(form, refusal)
            turn, status = turns.get(pk=turn.pk), refusal.status
        else:
            messages.success(request, _("%(crew)s has more time and is notified.") % {"crew": turn.seat.entry})
            return redirect("runs:board", key)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {"turn": turn, "entry": turn.seat.entry, "seen": turn.deadline.isoformat(), "now": clock.now()}
    context |= {**impartiality_context(officials_for(rally, TIMEKEEPERS), by), "typed": form["reason"].value()}
    if turn.seat.entry_id in rallies.cars_of(rally, by):
        context["why_not"] = context["why_not"] or _("Nobody may judge their own case.")
    return _form_page(request, rally, roles, form, _("More time"), "runs/extend.html", status, **context)


@login_required
@require_http_methods(FORM_METHODS)
def replace(request: HttpRequest, key: str, entry_id: int) -> HttpResponse:
    """Give a car to the codriver or to another member."""
    by, rally, roles = _organised(request, key)
    entries = rally.entries.filter(status=Entry.Status.CONFIRMED).select_related("driver")
    entry = get_object_or_404(entries, pk=entry_id)
    if rally.status != Rally.Status.RUNNING:
        raise Http404
    people = sorted(boards.replacement_drivers(rally), key=lambda person: alphabetical(person.name))
    form = ReplaceForm(request.POST if request.method == "POST" else None, entry=entry, people=people)
    status = int(HTTPStatus.OK)
    if request.method == "POST" and form.is_valid():
        try:
            said = _replace(by, entry, form)
        except Refusal as refusal:
            status, entry = refusal.status, entries.get(pk=entry.pk)
            form = _as_it_is_now(request, form, entry)
            put_refusal(form, refusal)
        else:
            messages.success(request, said)
            return redirect("runs:board", key)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {"entry": entry, "changes": changes_of([rally.pk]).get(entry.pk, [])}
    if entry.driver_id != by.pk:
        context |= {
            **impartiality_context(officials_for(rally, TIMEKEEPERS, parties=[entry.pk]), by),
            "typed": form["reason"].value(),
        }
    return _form_page(request, rally, roles, form, _("Another driver"), "runs/replace.html", status, **context)


def _as_it_is_now(request: HttpRequest, form: ReplaceForm, entry: Entry) -> ReplaceForm:
    """Return the form as it was typed, but for the car's present driver: sending it again confirms the replacement of
    that person.
    """
    data = request.POST.copy()
    data["instead_of"] = str(entry.driver_id)
    refreshed = ReplaceForm(data, entry=entry, people=form.people.values())
    refreshed.is_valid()
    return refreshed


def _replace(by: User, entry: Entry, form: ReplaceForm) -> str:
    driver, reason = form.chosen, form.cleaned_data["reason"]
    if driver is None:
        rally_services.set_driven_by(
            by=by,
            entry=entry,
            driven_by=Entry.DrivenBy.CODRIVER,
            reason=reason,
            instead_of=form.cleaned_data["instead_of"],
        )
        return _("The codriver drives for %(crew)s.") % {"crew": entry.crew}
    entry = services.replace_driver(
        by=by,
        entry=entry,
        driver=driver,
        instead_of=form.cleaned_data["instead_of"],
        crew=form.cleaned_data["crew"] or str(driver),
        reason=reason,
    )
    return _("%(entry)s drives from now on; both drivers are notified.") % {"entry": entry}


@login_required
@require_http_methods(FORM_METHODS)
def call_off(request: SignedInRequest, key: str) -> HttpResponse:
    """Cancel the rally, with a reason."""
    by, rally, roles = _organised(request, key)
    form, status = CancelForm(request.POST if request.method == "POST" else None), int(HTTPStatus.OK)
    if request.method == "POST" and form.is_valid():
        try:
            services.call_off(by=by, rally=rally, reason=form.cleaned_data["reason"])
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            rally, status = rallies.rally_by_key(key, request.user), refusal.status
        else:
            messages.success(request, _("It is cancelled; everybody who entered is notified."))
            return redirect("rallies:desk", key)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    return _form_page(request, rally, roles, form, str(rally.words.cancel), "runs/call_off.html", status)


def _form_page(
    request: HttpRequest,
    rally: Rally,
    roles: frozenset[str],
    form: forms.Form,
    title: str,
    template: str,
    status: int,
    **context: object,
) -> HttpResponse:
    page = rallies.rally_page(rally, request.user, roles=roles)
    way = crumbs(page, title)
    if rally.started_at:
        way.insert(-1, (_("All runs"), reverse("runs:board", args=[rally.key])))
    shown = {**page_context(page, "runs" if rally.started_at else "desk"), "crumbs": way, "form": form, "title": title}
    return render(request, template, {**shown, **context}, status=status)
