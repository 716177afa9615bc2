"""Try another scheme on the results of a season: both tables side by side. Nothing is written."""

from __future__ import annotations

from copy import copy
from dataclasses import asdict, dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from championship.platform.bounded_input import whole_number
from championship.seasons import selectors
from championship.seasons.models import Championship
from championship.seasons.scheme_forms import SchemeForm, moved
from championship.seasons.schemes import READY_MADE, Scheme
from championship.seasons.selectors import Line, Table
from championship.seasons.views.public import page_context


@dataclass(frozen=True, slots=True)
class Compared:
    """A driver or team under both schemes. `won`: places won by the other scheme, below 0 for places lost."""

    now: Line
    then: Line

    @property
    def won(self) -> int:
        return self.now.place - self.then.place

    @property
    def lost(self) -> int:
        return -self.won


def compared(now: list[Line], then: list[Line]) -> list[Compared]:
    """Return the lines of two tables together, in the order of the other scheme."""
    before = {line.who.pk: line for line in now}
    return [Compared(before[line.who.pk], line) for line in then if line.who.pk in before]


def under(table: Table, scheme: Scheme) -> Table:
    """Return the same season under another scheme."""
    other = copy(table.championship)
    for name, value in asdict(scheme).items():
        setattr(other, name, list(value) if isinstance(value, tuple) else value)
    return replace(table, championship=other)


@require_http_methods(["GET", "HEAD", "POST"])
def another_scheme(request: HttpRequest, key: str) -> HttpResponse:
    """Show the tables of a season under another scheme beside its own: a ready-made one, that of another season of the
    club, or one that is typed here.
    """
    shown = selectors.championship_by_key(key, request.user)
    here = _("Try a scheme")
    context = page_context(request.user, shown, "try", here, here)
    others = (
        list(shown.club.championships.exclude(pk=shown.pk).order_by("-created_at", "-pk")) if context["member"] else []
    )
    scheme = _chosen(request, others) or shown.scheme
    posted = request.POST if request.method == "POST" else None
    rows = whole_number(request.GET.get("places", ""), digits=3) or 0
    form = SchemeForm(posted, scheme=scheme, rows=rows)
    if posted is not None and form.is_valid():
        how, _colon, what = posted.get("action", "").partition(":")
        scheme = form.cleaned_data["scheme"]
        scheme = Scheme(**{**asdict(scheme), "tie_breaks": moved(scheme.tie_breaks, how, what)})
        form = SchemeForm(None, scheme=scheme, rows=form.rows + (10 if how == "more" else 0))
    table = selectors.table(shown)
    other = under(table, scheme)
    context |= {
        "form": form,
        "table": table,
        "scheme": scheme,
        "ready_made": READY_MADE.values(),
        "others": others,
        "chosen": request.GET.get("as", ""),
        "same": scheme == shown.scheme,
        "drivers": compared(table.drivers, other.drivers),
        "teams": compared(table.teams, other.teams),
    }
    return render(request, "seasons/try.html", context, status=422 if form.errors else 200)


def _chosen(request: HttpRequest, others: list[Championship]) -> Scheme | None:
    said = request.GET.get("as", "")
    if said in READY_MADE:
        return READY_MADE[said].scheme
    return next((other.scheme for other in others if other.key == said), None)
