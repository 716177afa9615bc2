"""The cells of a season's tables, and links to drivers."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.seasons.models import Team
from championship.seasons.selectors import Line
from championship.seasons.table_changes import TableChange
from championship.seasons.tie_breaks import METRICS

register = template.Library()


@register.simple_tag
def score_cells(line: Line, last: TableChange | None = None) -> SafeString:
    """Return the cells of a line, one for each round, with that of the `last` round marked. Built here and not in a
    template, since a season has hundreds of them.
    """
    dropped, retired, power = escape(_("dropped")), escape(_("ret.")), escape(pgettext("power stage", "PS"))
    place, none, excluded = escape(_("place")), escape(_("no points")), escape(_("excl."))
    cells = []
    for column, score in enumerate(line.scores):
        latest = " latest" if last and column == last.column else ""
        if score is None:
            cells.append(f'<td class="num{latest}"><span aria-hidden="true">–</span>'
                         f'<span class="visually-hidden">{none}</span></td>')  # fmt: skip
            continue
        points = f"<b>{score.points}</b>"
        if score.dropped:
            points = f'<s>{score.points}</s><span class="visually-hidden"> ({dropped})</span>'
        notes = []
        if score.place is not None:
            notes.append(f'<span class="visually-hidden">, {place} </span>{score.place}.')
        if score.excluded:
            notes.append(excluded)
        elif score.retired:
            notes.append(retired)
        if score.power:
            notes.append(f'<span class="power">{power} {score.power}</span>')
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
    return mark_safe(f"<small>+{points}</small>") if points else SafeString("")  # noqa: S308 - a number


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
    return str(METRICS[name].label)
