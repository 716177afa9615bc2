"""The cells of a season's tables, and links to drivers."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.formats import localize
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.seasons.models import Championship, Team
from championship.seasons.scheme_words import sentences
from championship.seasons.schemes import TIE_BREAKS
from championship.seasons.scoring.values import Number
from championship.seasons.selectors import Line
from championship.seasons.table_changes import TableChange

register = template.Library()


@register.simple_tag
def score_cells(line: Line, last: TableChange | None = None) -> SafeString:
    """Return the cells of a line, one for each round, with that of the `last` round marked. Built here and not in a
    template, since a season has hundreds of them.
    """
    dropped, retired, power = escape(_("dropped")), escape(_("ret.")), escape(pgettext("power stage", "PS"))
    bonus = escape(_("bonus"))
    place, none, excluded = escape(_("place")), escape(_("no points")), escape(_("excl."))
    cells = []
    for column, score in enumerate(line.scores):
        latest = " latest" if last and column == last.column else ""
        if score is None:
            cells.append(f'<td class="num{latest}"><span aria-hidden="true">–</span>'
                         f'<span class="visually-hidden">{none}</span></td>')  # fmt: skip
            continue
        points = f"<b>{localize(score.points)}</b>"
        if score.dropped:
            points = f'<s>{localize(score.points)}</s><span class="visually-hidden"> ({dropped})</span>'
        notes = []
        if score.place is not None:
            notes.append(f'<span class="visually-hidden">, {place} </span>{score.place}.')
        if score.excluded:
            notes.append(excluded)
        elif score.retired:
            notes.append(retired)
        if score.power:
            notes.append(f'<span class="power">{power} {localize(score.power)}</span>')
        if score.bonus:
            notes.append(f'<span class="power">{bonus} {localize(score.bonus)}</span>')
        podium = f" p{score.place}" if score.place and score.place <= 3 and not score.dropped else ""
        cells.append(f'<td class="num{podium}{latest}">{points}<small>{" ".join(notes)}</small></td>')
    return mark_safe("".join(cells))  # noqa: S308 - numbers and escaped words


@register.simple_tag
def places_won(last: TableChange | None, line: Line) -> SafeString:
    """Return the places that a line won or lost by the last round, below its place; "" where nothing is known."""
    won = last.won.get(line.who.pk) if last else None
    if not won:
        return SafeString("")
    sign, kind = ("▲", "up") if won > 0 else ("▼", "down")
    words = (
        ngettext("%(n)d place won", "%(n)d places won", won) % {"n": won}
        if won > 0
        else ngettext("%(n)d place lost", "%(n)d places lost", -won) % {"n": -won}
    )
    return mark_safe(  # noqa: S308 - numbers and escaped words
        f'<small class="{kind}"><span aria-hidden="true">{sign}{abs(won)}</span>'
        f'<span class="visually-hidden">, {escape(words)}</span></small>'
    )


@register.simple_tag
def points_won(last: TableChange | None, line: Line) -> SafeString:
    """Return the points of the last round, below the total; "" where it brought none, and after the first round."""
    points = last.points.get(line.who.pk, 0) if last and last.won else 0
    return mark_safe(f"<small>+{localize(points)}</small>") if points else SafeString("")  # noqa: S308 - a number


@register.simple_tag(takes_context=True)
def total_link(context: Context, line: Line) -> SafeString:
    """Return the total of a line as a link to the page that explains it; bare in a table of invented results."""
    points = f"<strong>{localize(line.total)}</strong>"
    if context.get("invented"):
        return mark_safe(points)  # noqa: S308 - a number
    key, pk = context["championship"].key, line.who.pk
    if isinstance(line.who, Team):
        address = reverse("seasons:team_scores", args=[key, pk])
    elif context.get("class_number"):
        address = reverse("seasons:class_scores", args=[key, context["class_number"], pk])
    else:
        address = reverse("seasons:driver_scores", args=[key, pk])
    by_hand = ""
    if line.adjusted:
        sign = "+" if line.adjusted > 0 else "−"
        by_hand = f"<small>{sign}{localize(abs(line.adjusted))} {escape(_('by hand'))}</small>"
    told = escape(_("how they came about"))
    return mark_safe(  # noqa: S308 - numbers and escaped words
        f'<a href="{escape(address)}">{points}<span class="visually-hidden">, {told}</span></a>{by_hand}'
    )


@register.filter
def signed(points: Number) -> str:
    """Return points with their sign."""
    return f"{'+' if points > 0 else '−'}{localize(abs(points))}"


@register.simple_tag
def scheme_sentences(championship: Championship) -> list[str]:
    """Return what the scheme says besides points, in sentences."""
    return sentences(championship.scheme)


@register.simple_tag
def driver_link(club: Club, who: User | Team, member: bool) -> SafeString:
    """Return a driver's name, for members of the club as a link to the driver's page; or a team's name."""
    name = escape(str(who))
    if isinstance(who, Team) or not member:
        return name
    address = escape(reverse("seasons:driver", args=[club.slug, who.pk]))
    return mark_safe(f'<a href="{address}">{name}</a>')  # noqa: S308 - escaped


@register.filter
def metric_label(name: str) -> str:
    """Return a tie-break in words."""
    return str(TIE_BREAKS[name].label)


@register.filter
def in_order(points: Sequence[float]) -> str:
    """Return points of places in the reader's way of writing numbers: 25 – 18 – 12.5."""
    return " – ".join(localize(value) for value in points)
