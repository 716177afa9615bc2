"""The organiser's desk: creating a rally, entries, their list, options, start, time control, messages to entrants."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name
from championship.accounts.requests import SignedInRequest
from championship.catalogue import Words
from championship.clubs.models import Role
from championship.clubs.selectors import club_for_member
from championship.clubs.services import require_role, require_role_to_read
from championship.platform.csv_text import BYTE_ORDER_MARK, plain
from championship.platform.refusals import Forbidden, Refusal, Refused, Stale
from championship.platform.web import polling
from championship.rallies import page_versions, selectors, services
from championship.rallies.desk.forms import (
    RallyForm,
    SettingsForm,
    StageModesForm,
    StartNumberForm,
    data_of_rally,
    put_refusal,
    settings_of,
    stage_modes_form,
)
from championship.rallies.desk.game_choice import chosen_game
from championship.rallies.entries.entry_forms import MessageForm
from championship.rallies.entries.impartiality import TIMEKEEPERS, officials_for
from championship.rallies.entries.registered_drivers import other_classes
from championship.rallies.entries.services import seeding
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.public_views import crumbs, page_context

LONGEST_SEARCH = 80
CODRIVER = "codriver"
"""The value of the status filter for cars that the codriver drives."""


def narrowed(entries: Sequence[Entry], *, search: str = "", only: str = "") -> list[Entry]:
    """The entries that match the search and have that status, in the order given.

    A number matches start numbers exactly; other text matches a part of the crew, the driver or the class. No query:
    the drivers are loaded already.
    """
    wanted = comparable_name(search[:LONGEST_SEARCH])
    return [entry for entry in entries if _matches(entry, wanted) and _has_status(entry, only)]


def _matches(entry: Entry, wanted: str) -> bool:
    if wanted.lstrip("#").isdigit():
        return str(entry.start_number or "") == wanted.lstrip("#")
    return any(wanted in comparable_name(text) for text in (entry.crew, entry.driver.name, entry.car_class))


def _has_status(entry: Entry, only: str) -> bool:
    if only == CODRIVER:
        return entry.driven_by == Entry.DrivenBy.CODRIVER
    return only not in Entry.Status.values or entry.status == only


def choices(*, codrivers: bool = True) -> list[tuple[str, str]]:
    """The choices of the status filter. `codrivers`: whether a codriver may drive a car."""
    statuses = [(value, str(label)) for value, label in Entry.Status.choices]
    return [("", _("All")), *statuses, *([(CODRIVER, _("the codriver drives"))] if codrivers else [])]


def as_csv(entries: Sequence[Entry], words: Words) -> str:
    """The entries as CSV, one a line: number, crew, driver, class, status, who drives, time of the request (UTC)."""
    written = io.StringIO()
    table = csv.writer(written)
    heads = (_("Number"), words.crew, _("Driver"), _("Car class"), _("Status"), _("driven by"), _("entered"))
    table.writerow([plain(str(head)) for head in heads])
    for entry in entries:
        who = (
            entry.crew,
            entry.driver.name,
            entry.car_class,
            entry.get_status_display(),
            entry.get_driven_by_display(),
        )
        table.writerow(
            [entry.start_number or "", *(plain(str(text)) for text in who), f"{entry.asked_at:%Y-%m-%d %H:%M}"]
        )
    return BYTE_ORDER_MARK + written.getvalue()


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: SignedInRequest, slug: str) -> HttpResponse:
    """Create a rally of the club."""
    club = club_for_member(user=request.user, slug=slug)
    require_role(request.user, club, Role.ORGANISER)
    game = chosen_game(request)
    form = RallyForm(data_of_rally(request), game=game, club=club)
    if request.method == "POST" and form.is_valid():
        try:
            rally = services.create_rally(
                by=request.user, club=club, game=game, designs=form.cleaned_data["designs"], **form.settings()
            )
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
        else:
            messages.success(request, str(rally.words.made))
            return redirect("tabletop:evening" if rally.at_table else "rallies:desk", rally.key)
    context = {
        "club": club,
        "form": form,
        "crumbs": [(club.name, reverse("clubs:club", args=[club.slug])), (form.words.new, None)],
    }
    wrong = request.method == "POST" and form.errors
    status = HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
    return render(request, "rallies/create.html", context, status=status)


def organised_rally(request: HttpRequest, key: str) -> tuple[Rally, frozenset[str]]:
    """The rally for an organiser of its club, with their roles.

    Raises: Forbidden or Http404 for everybody else.
    """
    rally = selectors.rally_by_key(key, request.user)
    assert isinstance(request.user, User)
    return rally, require_role_to_read(request.user, rally.club, Role.ORGANISER)


@polling.polled(page_versions.of_rally)
@login_required
@require_safe
def desk(request: HttpRequest, key: str) -> HttpResponse:
    """The state of the rally, its entries and the next step."""
    return desk_page(request, *organised_rally(request, key))


def desk_page(
    request: HttpRequest,
    rally: Rally,
    roles: frozenset[str],
    refusal: Refusal | None = None,
    refused_entry: int | None = None,
    number_form: StartNumberForm | None = None,
    wheel: dict[str, Any] | None = None,
    several: Several | None = None,
) -> HttpResponse:
    """The desk, with a refusal beside its entry, if there is one. `several`: the entries that were chosen before, and
    what was refused for them. `wheel`: what was typed to hand an entry's car over
    and was refused, for the form of the runs app.
    """
    page = selectors.rally_page(rally, request.user, roles=roles)
    context = {
        **page_context(page, "desk"),
        "crumbs": crumbs(page, str(page.rally.words.desk)),
        **_entries(request, page),
        "next_step": selectors.next_step(page),
        "why_not": _why_not(page, request.user),
        "championship": seeding.championship_of(rally) if rally.status == Rally.Status.ENTRIES else "",
        "link": request.build_absolute_uri(rally.get_absolute_url()),
        "refusal": refusal,
        "refused_entry": refused_entry,
        "number_form": number_form,
        "wheel": wheel,
        "several": _for_several(page, several),
    }
    status = refusal.status if refusal else HTTPStatus.UNPROCESSABLE_ENTITY if number_form else HTTPStatus.OK
    return render(request, "rallies/desk.html", context, status=status)


@dataclass(frozen=True, slots=True)
class Several:
    """The ids of the entries that an organiser has chosen; the crews for which the act was refused, and why."""

    chosen: frozenset[int] = frozenset()
    refusals: tuple[tuple[str, str], ...] = ()


def _for_several(page: selectors.RallyPage, before: Several | None) -> Several | None:
    """What the desk shows of acts on several entries; None where there is nothing to do."""
    entering, running = (page.rally.status == each for each in (Rally.Status.ENTRIES, Rally.Status.RUNNING))
    return before or (Several() if entering or (running and page.drives_runs) else None)


def _entries(request: HttpRequest, page: selectors.RallyPage) -> dict[str, object]:
    """The entries that match the reader's search and filter (?q=text&only=status)."""
    search, only = request.GET.get("q", "")[:LONGEST_SEARCH], request.GET.get("only", "")
    entries = selectors.in_desk_order(page.results.all_entries)
    shown = narrowed(entries, search=search, only=only)
    return {
        "entries": shown,
        "other_classes": other_classes(page.rally, shown),
        "all_entries": len(entries),
        "search": search,
        "only": only,
        "choices": choices(codrivers=page.drives_runs),
    }


@login_required
@require_safe
def entries_csv(request: SignedInRequest, key: str) -> HttpResponse:
    """The entries as CSV for spreadsheets, with the desk's search and filter."""
    rally, roles = organised_rally(request, key)
    page = selectors.rally_page(rally, request.user, roles=roles)
    shown = _entries(request, page)["entries"]
    answer = HttpResponse(as_csv(shown, page.rally.words), "text/csv; charset=utf-8")  # type: ignore[arg-type]
    answer["Content-Disposition"] = content_disposition_header(True, f"{slugify(rally.name) or 'rally'}-entries.csv")
    return answer


def _why_not(page: selectors.RallyPage, viewer: User | AnonymousUser) -> str:
    """The reason why the viewer may not close the open time control, with the names of those who may; "" when they
    may.
    """
    if page.stage.status != SpecialStage.Status.TIME_CONTROL:
        return ""
    return officials_for(page.rally, TIMEKEEPERS).why_not(viewer.pk)


def _confirm_all(by: User, rally: Rally, number: int | None) -> str:
    n = len(services.confirm_all(by=by, rally=rally))
    return ngettext("%(n)d entry is confirmed.", "%(n)d entries are confirmed.", n) % {"n": n}


def _draw(by: User, rally: Rally, number: int | None) -> str:
    services.draw_start_list(by=by, rally=rally)
    return _("The start list is drawn.")


def _start(by: User, rally: Rally, number: int | None) -> str:
    services.start_rally(by=by, rally=rally)
    return _("The start is given.")


def _next_stage(by: User, rally: Rally, number: int | None) -> str:
    stage = services.start_next_stage(by=by, rally=rally, number=number)
    return _("%(stage)s is on the road.") % {"stage": rally.stage_called(stage.number)}


def _close_time_control(by: User, rally: Rally, number: int | None) -> str:
    if number is None:
        raise Http404
    services.close_time_control(by=by, special_stage=selectors.stage_of(rally, number))
    return _("Time control is closed; the cards are open.")


def _resume(by: User, rally: Rally, number: int | None) -> str:
    services.resume_rally(by=by, rally=rally)
    return _("It continues; the time of the pause is added to every deadline.")


def _ledgers_off(by: User, rally: Rally, number: int | None) -> str:
    services.set_ledgers(by=by, rally=rally, shown=False)
    return _("Decisions and chance are not told apart here any more.")


def _ledgers_on(by: User, rally: Rally, number: int | None) -> str:
    services.set_ledgers(by=by, rally=rally, shown=True)
    return _("Decisions and chance are told apart here.")


ACTS: dict[str, Callable[[User, Rally, int | None], str]] = {
    "confirm-all": _confirm_all,
    "draw": _draw,
    "start": _start,
    "next-stage": _next_stage,
    "close-time-control": _close_time_control,
    "resume": _resume,
    "ledgers-off": _ledgers_off,
    "ledgers-on": _ledgers_on,
}


@login_required
@require_POST
def act(request: SignedInRequest, key: str, act: str) -> HttpResponse:
    """Do the act of a button on the desk. `stage` in the form is the stage that the organiser saw."""
    rally, roles = organised_rally(request, key)
    if act not in ACTS:
        raise Http404
    stage = request.POST.get("stage", "")
    number = int(stage) if stage.isascii() and stage.isdigit() and len(stage) < 4 else None
    try:
        says = ACTS[act](request.user, rally, number)
    except (Refused, Stale) as refusal:
        return desk_page(request, selectors.rally_by_key(key, request.user), roles, refusal)
    messages.success(request, says)
    return redirect("rallies:desk", key)


@login_required
@require_POST
def confirm(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Confirm an entry, with the typed start number or the lowest free one."""
    rally, roles = organised_rally(request, key)
    entry = get_object_or_404(rally.entries, pk=entry_id)
    form = StartNumberForm(request.POST)
    if not form.is_valid():
        return desk_page(request, rally, roles, refused_entry=entry.pk, number_form=form)
    try:
        entry = services.confirm_entry(by=request.user, entry=entry, start_number=form.cleaned_data["start_number"])
    except (Refused, Stale) as refusal:
        put_refusal(form, refusal)
        return desk_page(request, selectors.rally_by_key(key, request.user), roles, refusal, entry.pk, form)
    messages.success(request, _("%(entry)s is confirmed.") % {"entry": entry})
    return redirect("rallies:desk", key)


@login_required
@require_POST
def newcomer(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Say whether the driver of an entry is a newcomer."""
    rally, roles = organised_rally(request, key)
    entry = get_object_or_404(rally.entries, pk=entry_id)
    try:
        services.mark_newcomer(by=request.user, entry=entry, newcomer=request.POST.get("newcomer", "?"))
    except (Refused, Stale) as refusal:
        return desk_page(request, selectors.rally_by_key(key, request.user), roles, refusal, entry.pk)
    return redirect(f"{reverse('rallies:desk', args=[key])}#entry-{entry.pk}")


SEVERAL: dict[str, Callable[[User, Entry], object]] = {
    "confirm": lambda by, entry: services.confirm_entry(by=by, entry=entry),
    "refuse": lambda by, entry: services.refuse_entry(by=by, entry=entry),
    "codriver": lambda by, entry: services.set_driven_by(by=by, entry=entry, driven_by=CODRIVER),
    "person": lambda by, entry: services.set_driven_by(by=by, entry=entry, driven_by=Entry.DrivenBy.PERSON),
}
MOST_CHOSEN = 300


@login_required
@require_POST
def several(request: SignedInRequest, key: str) -> HttpResponse:
    """Do the same with several entries. What is refused for one stops no other; these stay chosen, with the reason."""
    rally, roles = organised_rally(request, key)
    do = SEVERAL.get(request.POST.get("do", ""))
    given = [value for value in request.POST.getlist("entry")[:MOST_CHOSEN] if value.isascii() and value.isdigit()]
    ids = {int(value) for value in given if len(value) < 12}
    entries = list(rally.entries.filter(pk__in=ids).order_by("asked_at", "pk"))
    if do is None or not entries:
        refusal = Refused(_("Choose entries, then what to do with them."))
        return desk_page(request, rally, roles, refusal)
    refused: dict[Entry, str] = {}
    for entry in entries:
        try:
            do(request.user, entry)
        except (Refused, Stale, Forbidden) as refusal:
            refused[entry] = str(refusal.message)
    done = len(entries) - len(refused)
    says = ngettext("Done for %(n)d entry.", "Done for %(n)d entries.", done) % {"n": done}
    if not refused:
        messages.success(request, says)
        return redirect("rallies:desk", key)
    told = Several(frozenset(entry.pk for entry in refused), tuple((entry.crew, why) for entry, why in refused.items()))
    shown = selectors.rally_by_key(key, request.user)
    return desk_page(request, shown, roles, Refused(says), several=told)


@login_required
@require_POST
def refuse(request: SignedInRequest, key: str, entry_id: int) -> HttpResponse:
    """Refuse an entry."""
    rally, roles = organised_rally(request, key)
    entry: Entry = get_object_or_404(rally.entries, pk=entry_id)
    try:
        services.refuse_entry(by=request.user, entry=entry, reason=request.POST.get("reason", ""))
    except (Refused, Stale) as refusal:
        return desk_page(request, selectors.rally_by_key(key, request.user), roles, refusal)
    messages.success(request, _("The entry of %(crew)s is refused.") % {"crew": entry.crew})
    return redirect("rallies:desk", key)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def options(request: SignedInRequest, key: str) -> HttpResponse:
    """Change name, options and deadlines, before the start."""
    rally, roles = organised_rally(request, key)
    data = request.POST if request.method == "POST" else None
    form = SettingsForm(data, game=rally.game, initial=settings_of(rally))
    status: int = HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            services.change_options(by=request.user, rally=rally, **form.settings())
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            status = refusal.status
        else:
            messages.success(request, _("The options are saved."))
            return redirect("rallies:desk", key)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    return _options_page(request, rally, roles, form, status=status)


def _options_page(
    request: HttpRequest,
    rally: Rally,
    roles: frozenset[str],
    form: SettingsForm,
    modes: StageModesForm | None = None,
    *,
    status: int,
) -> HttpResponse:
    page = selectors.rally_page(rally, request.user, roles=roles)
    context = {
        **page_context(page, "desk"),
        "crumbs": crumbs(page, _("Options")),
        "form": form,
        "stage_modes": modes or stage_modes_form(rally, rally.stages.select_related("rally").order_by("number")),
    }
    return render(request, "rallies/options.html", context, status=status)


@login_required
@require_POST
def stage_modes(request: SignedInRequest, key: str) -> HttpResponse:
    """Choose how each stage that has not opened is driven."""
    rally, roles = organised_rally(request, key)
    form = stage_modes_form(rally, rally.stages.select_related("rally").order_by("number"), request.POST)
    if form is None:
        raise Stale(_("It has started already."))
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY
    if form.is_valid():
        try:
            services.choose_stage_modes(by=request.user, rally=rally, modes=form.modes())
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            status = refusal.status
        else:
            messages.success(request, _("The options are saved."))
            return redirect("rallies:options", key)
    settings = SettingsForm(None, game=rally.game, initial=settings_of(rally))
    return _options_page(request, rally, roles, settings, form, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def message(request: SignedInRequest, key: str) -> HttpResponse:
    """Send a message to every confirmed entrant; the page also shows earlier messages."""
    rally = selectors.rally_by_key(key, request.user)
    roles = require_role_to_read(request.user, rally.club, Role.ORGANISER)
    form = MessageForm(request.POST if request.method == "POST" else None, club=rally.club)
    status: int = HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            sent = services.write_to_entrants(by=request.user, rally=rally, text=form.cleaned_data["text"])
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            status = refusal.status
        else:
            says = ngettext("The message goes to %(n)d entrant.", "The message goes to %(n)d entrants.", sent.told)
            messages.success(request, says % {"n": sent.told})
            return redirect("rallies:message", key)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    page = selectors.rally_page(rally, request.user, roles=roles)
    context = {**page_context(page, "desk"), "crumbs": crumbs(page, _("Message to the entrants")), "form": form}
    return render(request, "rallies/message.html", context, status=status)
