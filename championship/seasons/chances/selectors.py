"""Who is likely to win a rally or a season, for spectators: never for those who drive in it before it is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform.refusals import Forbidden
from championship.rallies.models import COLOURS, Entry, Rally
from championship.rallies.selectors import Viewer
from championship.seasons.chances.models import TitleForecast
from championship.seasons.chances.services import may_have
from championship.seasons.models import Championship, Registration, SharedDrive

MOST_CURVES = 12
"""The most curves that a reader can tell apart."""


@dataclass(frozen=True, slots=True)
class TitleChances:
    """A driver's chances to win, in thousandths: after each number of stages, and the last one. `colour`: of the curve,
    None for a driver without one.
    """

    driver: User
    curve: Sequence[int]
    now: int
    colour: int | None


@dataclass(frozen=True, slots=True)
class TitleForecasts:
    """The forecasts of a rally or a season: the likeliest first. `error`: the standard error of a chance of one half,
    in thousandths. `done`: after how many stages the last one was made.
    """

    drivers: Sequence[TitleChances]
    at: datetime | None
    simulations: int
    done: int
    error: int
    over: bool

    @property
    def curves(self) -> list[tuple[int, Sequence[int]]]:
        """The colour and the chances of each curve; empty where there is nothing to connect."""
        found = [(one.colour, one.curve) for one in self.drivers if one.colour is not None and len(one.curve) > 1]
        return [(colour, curve) for colour, curve in found if colour is not None]


def is_over(rally: Rally) -> bool:
    """Return whether a rally is over, or called off."""
    return rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED)


def of_rally(rally: Rally, viewer: Viewer) -> TitleForecasts:
    """Return the forecasts of a rally. Four queries.

    Raises: Http404 where it can have none.
    Raises: Forbidden when the viewer drives in it and it is not over.
    """
    if not Rally.objects.filter(may_have(""), pk=rally.pk).exists() or rally.status == Rally.Status.ENTRIES:
        raise Http404
    own = Entry.objects.filter(rally=rally, status__in=Entry.Status.entered())
    if not is_over(rally) and viewer.is_authenticated and own.filter(driver=viewer.pk).exists():
        raise _for_spectators()
    return _forecasts(TitleForecast.objects.filter(rally=rally), over=is_over(rally))


def of_season(season: Championship, viewer: Viewer) -> TitleForecasts:
    """Return the forecasts of a season. Five queries.

    Raises: Http404 where it can have none.
    Raises: Forbidden when the viewer drives in it and it is not over.
    """
    rounds = season.rounds.select_related("rally")
    if not rounds.exists() or rounds.exclude(may_have("rally__")).exists():
        raise Http404
    over = not rounds.filter(rally__status__in=(Rally.Status.ENTRIES, Rally.Status.RUNNING)).exists()
    if not over and drives_in(season, viewer):
        raise _for_spectators()
    return _forecasts(TitleForecast.objects.filter(championship=season), over=over)


def drives_in(season: Championship, viewer: Viewer) -> bool:
    """Return whether somebody is registered for a season, or has an entry in one of its rounds, or a part of one. One
    query; none for a visitor.
    """
    if not viewer.is_authenticated:
        return False
    registered = Registration.objects.filter(championship=season, driver=viewer.pk, left_at=None).values("driver")
    entered = Entry.objects.filter(
        rally__round__championship=season, driver=viewer.pk, status__in=Entry.Status.entered()
    ).values("driver")
    shared = SharedDrive.objects.filter(entry__rally__round__championship=season, driver=viewer.pk).values("driver")
    here = Q(pk__in=registered) | Q(pk__in=entered) | Q(pk__in=shared)
    return User.objects.filter(here).exists()


def is_there_for(season: Championship, viewer: Viewer) -> bool:
    """Return whether there is a forecast of a season that the viewer may see before its end. Two queries at most."""
    return TitleForecast.objects.filter(championship=season).exists() and not drives_in(season, viewer)


def rally_has_forecast(rally: Rally, viewer: Viewer) -> bool:
    """Return whether there is a forecast of a rally under way that the viewer may see. Two queries at most."""
    if rally.status != Rally.Status.RUNNING or not rally.ledgers:
        return False
    if not TitleForecast.objects.filter(rally=rally).exists():
        return False
    own = Entry.objects.filter(rally=rally, status__in=Entry.Status.entered(), driver=viewer.pk)
    return not (viewer.is_authenticated and own.exists())


def _for_spectators() -> Forbidden:
    return Forbidden(_("This is for spectators: who drives here sees it when all is over."))


def _forecasts(found: QuerySet[TitleForecast], *, over: bool) -> TitleForecasts:
    rows = list(found.order_by("done"))
    last = rows[-1] if rows else None
    names = {key for row in rows for key in row.chances}
    people = {str(one.pk): one for one in User.objects.filter(pk__in=names)} if names else {}
    likeliest = sorted(
        (key for key in (last.chances if last else {}) if key in people),
        key=lambda key: (-last.chances[key] if last else 0, str(people[key])),
    )
    drivers = [
        TitleChances(
            people[key],
            [row.chances.get(key, 0) for row in rows],
            last.chances[key] if last else 0,
            place % COLOURS if place < MOST_CURVES else None,
        )
        for place, key in enumerate(likeliest)
    ]
    simulations = last.simulations if last else 0
    error = round(500 / simulations**0.5) if simulations else 0
    return TitleForecasts(drivers, last.at if last else None, simulations, last.done if last else 0, error, over)
