"""The drivers who are registered for the championship of a rally, with their class for the season.

Rallies know nothing about championships. The app of championships registers a function here when Django is ready.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

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


Finder = Callable[["Rally", Collection[int] | None], Mapping[int, RegisteredDriver]]


def _nobody(rally: Rally, drivers: Collection[int] | None) -> Mapping[int, RegisteredDriver]:
    return {}


_find: Finder = _nobody


def register(find: Finder) -> None:
    """Register the function that finds the registered drivers of a rally; it replaces the one before. It may run one
    query at most.
    """
    global _find
    _find = find


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
