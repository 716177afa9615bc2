"""The organiser's page of an evening: links with their codes, tables, results to decide about; and its paper."""

from __future__ import annotations

import io
from collections.abc import Callable
from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.papers.limits import over_limit, too_many_requests
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refusal, Refused, Stale
from championship.rallies import selectors as rallies
from championship.rallies import services as rally_services
from championship.rallies.desk.forms import put_refusal
from championship.rallies.desk.views import organised_rally
from championship.rallies.knockout.event import heats_of
from championship.rallies.models import Rally
from championship.rallies.public_views import crumbs, page_context
from championship.tabletop import links, selectors
from championship.tabletop.links import Pass
from championship.tabletop.models import MOST_TABLES, Evening, Score
from championship.tabletop.selectors import EveningNow, in_words
from championship.tabletop.services import handing_in, opening
from championship.tabletop.services.opening import LONGEST_HOURS, PROPOSED_HOURS
from championship.tabletop.starters import may_mix, meets_at_table
from championship.tabletop.views.names import decide_names

CARS_AT_A_TABLE = 8


class OpeningForm(forms.Form):
    """How many tables an evening has, and for how long its links work."""

    tables = forms.IntegerField(label=gettext_lazy("Tables"), min_value=1, max_value=MOST_TABLES)
    hours = forms.IntegerField(
        label=gettext_lazy("Hours"),
        min_value=1,
        max_value=LONGEST_HOURS,
        initial=PROPOSED_HOURS,
        help_text=gettext_lazy("So long the links of the evening work, from now."),
    )


@login_required
@require_safe
def evening(request: SignedInRequest, key: str) -> HttpResponse:
    """Show the evening; before it is opened, how to open it."""
    rally, roles = organised_rally(request, key)
    return _page(request, rally, roles)


def _page(
    request: HttpRequest,
    rally: Rally,
    roles: frozenset[str],
    form: OpeningForm | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    page = rallies.rally_page(rally, request.user, roles=roles)
    found = Evening.objects.filter(rally=rally).first()
    if found is not None:
        found.rally = rally
    stages = list(page.results.stages)
    fits = meets_at_table(rally, stages)
    now = selectors.evening_now(found) if found is not None else None
    tables = len(now.tables) if now else _proposed_tables(rally, len(page.results.entries))
    context = {
        **page_context(page, "at the table"),
        "crumbs": crumbs(page, _("Evening at the table")),
        "evening": found if found is not None and found.is_open else None,
        "now": now,
        "fits": fits,
        "mixed": may_mix(rally, stages),
        "entries": list(page.results.entries.values()),
        "form": form or OpeningForm(initial={"tables": tables, "hours": PROPOSED_HOURS}),
        "refusal": refusal,
        "next_step": rallies.next_step(page),
        **_start(rally, now),
        **_links(request, now),
    }
    status = refusal.status if refusal else HTTPStatus.UNPROCESSABLE_ENTITY if form else HTTPStatus.OK
    return render(request, "tabletop/evening.html", context, status=status)


def _start(rally: Rally, now: EveningNow | None) -> dict[str, object]:
    """Whether cars sit at tables, the label of the button that starts, and the names that paper cannot hold."""
    if now is None:
        return {}
    from championship.papers.fonts import not_drawn  # here: it loads the fonts

    cars = [car for table in now.tables for car in table.cars]
    starts = cars and rally.status == Rally.Status.ENTRIES
    return {
        "seated": len(cars),
        "start": str(rally.words.start) % {"number": 1} if starts else "",
        "not_drawn": not_drawn([rally.name, *(car.entry.crew for car in cars), *(each.crew for each in now.absent)]),
    }


def _proposed_tables(rally: Rally, cars: int) -> int:
    """How many tables a form proposes: one for each heat, without heats one for eight cars."""
    if rally.heats is not None and cars:
        return min(heats_of(rally, cars), MOST_TABLES)
    return max(1, min(-(-cars // CARS_AT_A_TABLE), MOST_TABLES))


def _links(request: HttpRequest, now: EveningNow | None) -> dict[str, object]:
    if now is None:
        return {}

    def whole(path: str) -> str:
        return request.build_absolute_uri(path)

    tables = [
        (
            each,
            whole(links.table_path(each.table)),
            [(car, links.car_path(now.evening, car.entry, car.serial)) for car in each.cars],
        )
        for each in now.tables
    ]
    disputes = [
        (score, in_words(score, now.evening.rally), in_words(stands, now.evening.rally) if stands else "–", stands)
        for score, stands in now.disputes
    ]
    return {"wall": whole(links.wall_path(now.evening)), "tables": tables, "disputes": disputes}


def _open_now(by: User, rally: Rally, sent: HttpRequest) -> str:
    form = OpeningForm(sent.POST)
    if not form.is_valid():
        raise InvalidForm(form)
    try:
        opening.open_evening(by=by, rally=rally, **form.cleaned_data)
    except Refused as refusal:
        put_refusal(form, refusal)
        raise InvalidForm(form) from refusal
    return _("The evening is open.")


class InvalidForm(Exception):
    """The form to open an evening cannot be accepted; it says why."""

    def __init__(self, form: OpeningForm) -> None:
        super().__init__()
        self.form = form


def _evening_of(rally: Rally) -> Evening:
    found = get_object_or_404(Evening, rally=rally)
    found.rally = rally
    return found


def _close(by: User, rally: Rally, sent: HttpRequest) -> str:
    opening.close_evening(by=by, evening=_evening_of(rally))
    return _("The evening is closed. None of its links works any more.")


def _renew_wall(by: User, rally: Rally, sent: HttpRequest) -> str:
    opening.renew_wall(by=by, evening=_evening_of(rally))
    return _("The link on the wall is new. The old one works no longer.")


def _renew_table(by: User, rally: Rally, sent: HttpRequest) -> str:
    number = whole_number(sent.POST.get("table", ""), digits=3) or 0
    table = get_object_or_404(_evening_of(rally).tables.select_related("evening"), number=number)
    opening.renew_table(by=by, table=table)
    return _("The link of the table is new. The old one works no longer.")


def _renew_car(by: User, rally: Rally, sent: HttpRequest) -> str:
    sign_on = get_object_or_404(_evening_of(rally).sign_ons, entry=_number(sent, "entry"))
    opening.renew_car(by=by, sign_on=sign_on)
    return _("%(car)s can sign on again. The old link works no longer.") % {"car": sign_on.entry}


def _seat(by: User, rally: Rally, sent: HttpRequest) -> str:
    entry = get_object_or_404(rally.entries, pk=_number(sent, "entry"))
    table = whole_number(sent.POST.get("table", ""), digits=3) or 0
    opening.seat(by=by, evening=_evening_of(rally), entry=entry, table=table)
    return _("%(car)s sits at table %(table)d.") % {"car": entry, "table": table}


def _seat_all(by: User, rally: Rally, sent: HttpRequest) -> str:
    n = opening.seat_everybody(by=by, evening=_evening_of(rally))
    return ngettext("%(n)d car has a table now.", "%(n)d cars have a table now.", n) % {"n": n}


def _where(by: User, rally: Rally, sent: HttpRequest) -> str:
    entry = get_object_or_404(rally.entries, pk=_number(sent, "entry"))
    at_table = sent.POST.get("where") == "table"
    opening.choose_where(by=by, rally=rally, entry=entry, at_table=at_table)
    told = _("%(car)s drives at the table.") if at_table else _("%(car)s drives on line.")
    return told % {"car": entry}


def _decide(by: User, rally: Rally, sent: HttpRequest) -> str:
    score = get_object_or_404(Score, pk=_number(sent, "score"), special_stage__rally=rally)
    counts = sent.POST.get("counts") == "yes"
    handing_in.decide(by=Pass(_evening_of(rally)), score=score, counts=counts, person=by)
    return _("Decided.")


def _hand_in(by: User, rally: Rally, sent: HttpRequest) -> str:
    number = whole_number(sent.POST.get("stage", ""), digits=3) or 0
    n = handing_in.hand_in(by=Pass(_evening_of(rally)), number=number, person=by)
    return ngettext("%(n)d result is handed in.", "%(n)d results are handed in.", n) % {"n": n}


def _start_now(by: User, rally: Rally, sent: HttpRequest) -> str:
    rally_services.start_rally(by=by, rally=rally)
    return _("The start is given.")


def _names(by: User, rally: Rally, sent: HttpRequest) -> str:
    return decide_names(Pass(_evening_of(rally)), sent, by)


def _number(sent: HttpRequest, name: str) -> int:
    return whole_number(sent.POST.get(name, ""), digits=9) or 0


ACTS: dict[str, Callable[[User, Rally, HttpRequest], str]] = {
    "open": _open_now,
    "start": _start_now,
    "close": _close,
    "renew-wall": _renew_wall,
    "renew-table": _renew_table,
    "renew-car": _renew_car,
    "seat": _seat,
    "seat-all": _seat_all,
    "where": _where,
    "decide": _decide,
    "hand-in": _hand_in,
    "names": _names,
}


@login_required
@require_POST
def act(request: SignedInRequest, key: str, act: str) -> HttpResponse:
    """Do the act of a button of the evening."""
    rally, roles = organised_rally(request, key)
    if act not in ACTS:
        raise Http404
    try:
        says = ACTS[act](request.user, rally, request)
    except InvalidForm as invalid:
        return _page(request, rally, roles, form=invalid.form)
    except (Refused, Stale) as refusal:
        return _page(request, rallies.rally_by_key(key, request.user), roles, refusal=refusal)
    messages.success(request, says)
    return redirect("tabletop:evening", key)


# Codes and paper ----------------------------------------------------------------------------------


@login_required
@require_safe
def wall_svg(request: SignedInRequest, key: str) -> HttpResponse:
    """The link on the wall as a QR code."""
    rally, _roles = organised_rally(request, key)
    return _svg(request.build_absolute_uri(links.wall_path(_evening_of(rally))))


@login_required
@require_safe
def table_svg(request: SignedInRequest, key: str, number: int) -> HttpResponse:
    """The link of a table's marshal as a QR code."""
    rally, _roles = organised_rally(request, key)
    table = get_object_or_404(_evening_of(rally).tables.select_related("evening"), number=number)
    return _svg(request.build_absolute_uri(links.table_path(table)))


def _svg(address: str) -> HttpResponse:
    import qrcode
    import qrcode.image.svg

    written = io.BytesIO()
    qrcode.make(address, image_factory=qrcode.image.svg.SvgPathFillImage, border=3).save(written)
    answer = HttpResponse(written.getvalue(), content_type="image/svg+xml")
    answer["Cache-Control"] = "no-store"
    return answer


@login_required
@require_safe
def evening_pdf(request: SignedInRequest, key: str) -> HttpResponse:
    """Everything on paper that the evening needs. The codes need an evening that is open."""
    rally, roles = organised_rally(request, key)
    found = Evening.objects.filter(rally=rally).first()
    if found is None or not found.is_open:
        return _page(request, rally, roles, refusal=Refused(_("Open the evening first: the paper has its links.")))
    if over_limit(request):
        return too_many_requests(request)
    from championship.tabletop import evening_pdf as paper

    found.rally = rally
    page = rallies.rally_page(rally, request.user, roles=roles)
    content = paper.evening_pdf(page.results, found, request.build_absolute_uri(reverse("home")))
    name = slugify(rally.name, allow_unicode=True)[:60] or "evening"
    headers = {"Content-Disposition": content_disposition_header(True, f"{name}-evening.pdf") or "attachment"}
    answer = HttpResponse(content, content_type="application/pdf", headers=headers)
    answer["Cache-Control"] = "no-store"
    return answer
