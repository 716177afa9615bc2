"""The list of reserves of a season, in order: drivers who want a place in a division when one is free."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.platform.refusals import Refused
from championship.rallies.text_checks import checked_line
from championship.seasons.models import Championship, Reserve
from championship.seasons.services import locked
from championship.seasons.services.registering import look_at_places, no_reserve_any_more


@transaction.atomic
def join(*, by: User, championship: Championship, driver: User, crew: str, division: str = "") -> Reserve:
    """Put a driver at the end of the list; who is on it keeps the place, with the new crew and division. Drivers do it
    for themselves, organisers for anybody.

    Raises: Refused with the field: driver, crew or division.
    """
    championship = locked(championship)
    require_role(by, championship.club, *(() if by == driver else (Role.ORGANISER,)))
    if not championship.club.memberships.filter(user=driver, roles__contains=[Role.DRIVER]).exists():
        raise Refused(_("%(name)s is not a driver of this club.") % {"name": driver}, field="driver")
    if championship.registrations.filter(driver=driver, left_at=None).exclude(car_class="").exists():
        raise Refused(_("%(name)s has a place in a division already.") % {"name": driver}, field="driver")
    if division and division not in championship.divisions:
        raise Refused(_("Choose one of the divisions."), field="division")
    crew = checked_line(crew, longest=80, field="crew")
    found = championship.reserves.filter(driver=driver).first()
    last = championship.reserves.aggregate(last=Max("position"))["last"] or 0
    found = found or Reserve(championship=championship, driver=driver, position=last + 1)
    if found.pk and (found.crew, found.division) == (crew, division):
        return found
    found.crew, found.division = crew, division
    found.save()
    _log(by, championship, "reserve listed", driver, division)
    look_at_places(championship)
    return found


@transaction.atomic
def leave(*, by: User, championship: Championship, driver: User) -> None:
    """Take a driver off the list, with what is offered to them. The driver and organisers. Does nothing twice."""
    championship = locked(championship)
    if by != driver:
        require_role(by, championship.club, Role.ORGANISER)
    refuse_if_closed(championship.club)
    if championship.reserves.filter(driver=driver).exists():
        no_reserve_any_more(championship, [driver.pk])
        _log(by, championship, "reserve removed", driver, "")
        look_at_places(championship)


@transaction.atomic
def move(*, by: User, championship: Championship, driver: User, up: bool, position: int) -> None:
    """Move a reserve one place up or down the list. Only organisers. `position`: where the organiser saw the reserve;
    nothing happens when the reserve stands elsewhere by now, so that a press counts once.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    listed = list(championship.reserves.order_by("position", "pk"))
    at = next((at for at, each in enumerate(listed) if each.driver_id == driver.pk), None)
    if at is None or listed[at].position != position:
        return
    to = at - 1 if up else at + 1
    if not 0 <= to < len(listed):
        return
    one, other = listed[at], listed[to]
    one.position, other.position = other.position, one.position
    Reserve.objects.bulk_update([one, other], ["position"])
    _log(by, championship, "reserve moved", driver, "")


def _log(by: User, championship: Championship, action: str, driver: User, division: str) -> None:
    audit.record(
        actor=by,
        action=action,
        subject=championship,
        club_id=championship.club_id,
        details={
            "championship": championship.name,
            "driver": str(driver),
            **({"division": division} if division else {}),
        },
    )
