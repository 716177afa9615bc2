"""The drivers who are registered for the championship of a rally, with their class for the season; and the classes that
a driver without one may choose.

Rallies know nothing about championships. The app of championships registers two functions here when Django is ready.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from championship.accounts.name_comparison import same_as

if TYPE_CHECKING:
    from championship.rallies.models import Entry, Rally


@dataclass(frozen=True, slots=True)
class RegisteredDriver:
    """A registration: the championship's name, the crew, one of the championship's classes, and the name of a team; ""
    where it has none.
    """

    championship: str
    crew: str
    car_class: str
    team: str = ""


@dataclass(frozen=True, slots=True)
class SeasonClasses:
    """The classes of a championship, by its name. `divisions`: only organisers put drivers into them."""

    championship: str
    classes: tuple[str, ...]
    divisions: bool


@dataclass(frozen=True, slots=True)
class OpenClasses:
    """What a driver whose class is not fixed may enter in. `names`: the choices; None for any text that is none of
    `kept`, and also for none at all. `kept`: the classes into which only an organiser puts this driver. `why` says so.
    """

    names: tuple[str, ...] | None
    kept: tuple[str, ...] = ()
    why: str = ""

    @property
    def closed(self) -> bool:
        """Whether there is no class that the driver may choose, and the round needs one."""
        return self.names == ()

    def allow(self, car_class: str) -> bool:
        """Whether the driver may enter in this class, as far as the championship says."""
        return not self.closed and same_as(car_class, self.kept) is None


Finder = Callable[["Rally", Collection[int] | None], Mapping[int, RegisteredDriver]]
ClassFinder = Callable[["Rally"], SeasonClasses | None]


def _nobody(rally: Rally, drivers: Collection[int] | None) -> Mapping[int, RegisteredDriver]:
    return {}


def _no_season(rally: Rally) -> SeasonClasses | None:
    return None


_find: Finder = _nobody
_find_classes: ClassFinder = _no_season


def register(find: Finder, find_classes: ClassFinder) -> None:
    """Register the functions that find the registered drivers of a rally, and the classes of its championship (None for
    a rally that is no round). They replace those before. Each may run one query at most.
    """
    global _find, _find_classes
    _find, _find_classes = find, find_classes


def registered_in(rally: Rally, drivers: Collection[int] | None = None) -> Mapping[int, RegisteredDriver]:
    """The drivers, by id, who are registered for the championship that the rally is a round of; of these `drivers`
    only, when they are given. One query at most.
    """
    return _find(rally, drivers)


def class_for_round(rally: Rally, registered: RegisteredDriver | None) -> str:
    """The class in which a registered driver enters the rally; "" for a driver who may choose: one without a class in
    the season, or with a class that this rally does not have.
    """
    if registered is None or not registered.car_class:
        return ""
    return registered.car_class if not rally.classes or registered.car_class in rally.class_names else ""


def open_classes(rally: Rally, registered: RegisteredDriver | None) -> OpenClasses:
    """The classes that a driver may choose whose class is not fixed (`class_for_round`). One query at most.

    In a season with divisions it is none of the divisions. A registered driver takes no other class of the season
    than the own one. Where the rally has no classes, those of the season hold.
    """
    names, season = tuple(rally.class_names), _find_classes(rally)
    if season is None or not season.classes:
        return OpenClasses(names or None)
    if season.divisions:
        says = _(
            "Only organisers put drivers into the divisions of %(championship)s. Ask an organiser to put you into one, "
            "or to enter you."
        )
        why = says % {"championship": season.championship}
    elif registered is not None and registered.car_class:
        says = _(
            "You are registered for %(championship)s in class %(class)s. An organiser can change your registration, or "
            "enter you in another class."
        )
        why = says % {"championship": season.championship, "class": registered.car_class}
    else:
        return OpenClasses(names or season.classes)
    left = tuple(name for name in names if same_as(name, season.classes) is None)
    return OpenClasses(left if names else None, season.classes, why)


def other_class(car_class: str, registered: RegisteredDriver | None) -> str:
    """What to say about an entry in another class than the one that the driver is registered in; "" when it is the
    same.
    """
    if registered is None or not registered.car_class or registered.car_class == car_class:
        return ""
    says = _("Registered for %(championship)s in class %(class)s. The round counts for the class of the entry.")
    return says % {"championship": registered.championship, "class": registered.car_class}


def other_classes(rally: Rally, entries: Sequence[Entry]) -> dict[int, str]:
    """What to say about the entries in another class than the one that their drivers are registered in, by entry id.
    One query at most.
    """
    registered = registered_in(rally, [entry.driver_id for entry in entries])
    said = {entry.pk: other_class(entry.car_class, registered.get(entry.driver_id)) for entry in entries}
    return {pk: says for pk, says in said.items() if says}
