"""The limits of cars in a rally, and the queue of entries that wait for a place, in the order of their requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import all_differ
from championship.audit import services as audit
from championship.notices.services import Letter, enqueue_many
from championship.platform.refusals import Refused
from championship.rallies.models import Entry, Rally
from championship.rallies.text_checks import checked_line

MOST_CARS = 999
MOST_CLASSES = 12
Status = Entry.Status


class Room:
    """The free places of a rally. Requested and confirmed entries occupy a place. The rally is locked."""

    def __init__(self, rally: Rally) -> None:
        taken = Counter(rally.entries.filter(status__in=Status.taking_places()).values_list("car_class", flat=True))
        self.left = None if rally.entry_limit is None else rally.entry_limit - taken.total()
        self.left_in = {name: limit - taken[name] for name, limit in rally.class_limits.items()}

    def for_one(self, car_class: str) -> bool:
        """Whether there is a free place for one more car of that class."""
        return (self.left is None or self.left > 0) and self.left_in.get(car_class, 1) > 0

    def take(self, car_class: str) -> bool:
        """Occupy a place for a car of that class. Returns False when there is none."""
        if not self.for_one(car_class):
            return False
        if self.left is not None:
            self.left -= 1
        if car_class in self.left_in:
            self.left_in[car_class] -= 1
        return True


def class_chosen(rally: Rally, car_class: str) -> str:
    """The class, checked: it is one of the rally's, or the rally has no classes.

    Raises: Refused (field car_class) when the rally has classes and this is none of them.
    """
    if rally.classes and car_class not in rally.class_names:
        message = _("Choose one of the classes: %(classes)s.") % {"classes": ", ".join(rally.class_names)}
        raise Refused(message, field="car_class")
    return car_class


def move_up(rally: Rally, *, by: User | None) -> list[Entry]:
    """Give free places to waiting entries in the order of their requests, and notify their drivers. An organiser still
    has to confirm them. The rally is locked.

    An entry whose class is full does not block entries of other classes. `by`: the person whose act made room, None for
    the sweep.
    """
    waiting = rally.entries.filter(status=Status.WAITING).select_related("driver").order_by("asked_at", "pk")
    if not waiting:
        return []
    room = Room(rally)
    moved = [entry for entry in waiting if room.take(entry.car_class)]
    for entry in moved:
        entry.status = Status.REQUESTED
        details = {"rally": rally.name, "crew": entry.crew}
        audit.record(actor=by, action="entry moved up", subject=entry, club_id=rally.club_id, details=details)
    Entry.objects.bulk_update(moved, ["status"])
    enqueue_many([_letter(rally, entry) for entry in moved])
    return moved


def set_capacity(rally: Rally, given: Mapping[str, Any]) -> None:
    """Set the limit of cars and the classes of a rally. The rally is not saved. Entries that have a place keep it.

    `given`: `entry_limit` (None for no limit), and `classes`, each with `name` and, if it has one, `limit`.

    Raises: Refused when a value is not valid; it names the field.
    """
    entry_limit = given.get("entry_limit")
    if entry_limit is not None and not 1 <= entry_limit <= MOST_CARS:
        message = _("Give a limit between 1 and %(most)d; leave it empty for any number.") % {"most": MOST_CARS}
        raise Refused(message, field="entry_limit")
    rally.entry_limit, rally.classes = entry_limit, _checked(given.get("classes", ()))


def _checked(classes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for each in classes:
        name, limit = checked_line(each["name"], longest=20, field="classes"), each.get("limit")
        if limit is not None and not 1 <= limit <= MOST_CARS:
            message = _("Class %(name)s: give a limit between 1 and %(most)d.") % {"name": name, "most": MOST_CARS}
            raise Refused(message, field="classes")
        found.append({"name": name, "limit": limit})
    if not all_differ([each["name"] for each in found]):
        raise Refused(_("Name each class once."), field="classes")
    if len(found) > MOST_CLASSES:
        raise Refused(_("At most %(n)d classes.") % {"n": MOST_CLASSES}, field="classes")
    return found


def capacity_for_log(rally: Rally) -> dict[str, Any]:
    """The limit and the classes as the log stores them; a class with a limit is "RC2: 12"."""
    classes = [each["name"] if each["limit"] is None else f"{each['name']}: {each['limit']}" for each in rally.classes]
    return {"most": rally.entry_limit, "classes": classes}


def _letter(rally: Rally, entry: Entry) -> Letter:
    return Letter(
        recipient=entry.driver,
        kind="entry moved up",
        subject_key=f"entry {entry.pk} asked {entry.asked_at:%Y%m%dT%H%M%S%f}",
        context={"rally": rally.name},
        link=rally.get_absolute_url(),
        thread=f"rally {rally.key}",
    )
