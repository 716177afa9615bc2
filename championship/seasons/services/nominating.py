"""Rounds that drivers nominate, and drivers who share a car in a round."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.models import Entry, Rally
from championship.seasons.models import Championship, Nomination, Registration, Round, SharedDrive
from championship.seasons.services import locked, require_version


@transaction.atomic
def nominate(*, by: User, registration: Registration, rounds: Collection[int]) -> list[int]:
    """Say which rounds, by id, a driver nominates: only they count for the driver, or they count more. Drivers change
    rounds that have not started; an organiser corrects any. The same again changes nothing. Returns the ids.

    Raises: Forbidden for somebody else's rounds.
    Raises: Refused (field rounds): too many, or a round that has started, or in a season where nobody nominates.
    """
    championship = locked(registration.championship)
    own = by.pk == registration.driver_id
    organises = Role.ORGANISER in require_role(by, championship.club)
    if not own and not organises:
        raise Forbidden(_("Each driver nominates the own rounds."))
    if not championship.nominates:
        raise Refused(_("In this season all rounds count; nobody nominates any."), field="rounds")
    known = {each.pk: each for each in championship.rounds.select_related("rally")}
    if not set(rounds) <= known.keys():
        raise Refused(_("Choose rounds of this championship."), field="rounds")
    before = set(registration.nominations.values_list("round_id", flat=True))
    changed = before ^ set(rounds)
    if not changed:
        return sorted(before)
    if len(set(rounds)) > championship.nominates:
        says = ngettext("Nominate at most %(n)d round.", "Nominate at most %(n)d rounds.", championship.nominates)
        raise Refused(says % {"n": championship.nominates}, field="rounds")
    begun = [known[pk] for pk in changed if known[pk].rally.status != Rally.Status.ENTRIES]
    if begun and not organises:
        says = _("%(round)s has started: an organiser can correct it.") % {"round": begun[0]}
        raise Refused(says, field="rounds")
    registration.nominations.exclude(round__in=rounds).delete()
    Nomination.objects.bulk_create(Nomination(registration=registration, round_id=pk) for pk in set(rounds) - before)
    numbers = sorted(known[pk].number for pk in rounds)
    _log(by, championship, "rounds nominated", driver=str(registration.driver), rounds=numbers)
    return sorted(rounds)


@transaction.atomic
def share_cars(*, by: User, round: Round, shares: Mapping[int, int | None], version: int | None) -> None:
    """Say who shared the car of each entry of a round, by entry id and driver id; None for nobody. Only organisers.

    Raises: Refused with the field `shared_<entry id>`: somebody who is no driver of the club, who drives a car in this
    round, or who is named twice; also in a season without shared cars.
    Raises: Stale when the championship has changed since `version`, unless it already has these values.
    """
    championship = locked(round.championship)
    require_role(by, championship.club, Role.ORGANISER)
    refuse_if_closed(championship.club)
    if not championship.shares_cars:
        raise Refused(_("The scheme says that no car is shared; change it first."))
    entries = {each.pk: each for each in round.rally.entries.filter(status=Entry.Status.CONFIRMED)}
    before: dict[int, list[int]] = {}
    for drive in SharedDrive.objects.filter(entry__in=entries):
        before.setdefault(drive.entry_id, []).append(drive.driver_id)
    wanted = {pk: [driver] for pk, driver in shares.items() if driver is not None and pk in entries}
    if before == wanted:
        return
    drivers = set(championship.club.memberships.filter(roles__contains=[Role.DRIVER]).values_list("user_id", flat=True))
    drivers |= {driver for named in before.values() for driver in named}  # also those who have left the club since
    taken = {each.driver_id for each in entries.values()}
    for pk, (driver,) in wanted.items():
        if driver not in drivers:
            raise Refused(_("Choose a driver of the club."), field=f"shared_{pk}")
        if driver in taken:
            raise Refused(_("This driver has a car in this round already."), field=f"shared_{pk}")
        taken.add(driver)
    require_version(championship, version)
    championship.version += 1
    championship.save(update_fields=["version"])
    SharedDrive.objects.filter(entry__in=entries).delete()
    made = [SharedDrive(entry_id=pk, driver_id=driver) for pk, (driver,) in wanted.items()]
    SharedDrive.objects.bulk_create(made)
    names = dict(User.objects.filter(pk__in=[each.driver_id for each in made]).values_list("pk", "name"))
    said = [f"{entries[each.entry_id]}: {names[each.driver_id]}" for each in made]
    _log(by, championship, "shared cars named", rally=round.rally.name, drivers=said)


def _log(by: User, championship: Championship, action: str, **details: object) -> None:
    audit.record(
        actor=by,
        action=action,
        subject=championship,
        club_id=championship.club_id,
        details={"championship": championship.name, **details},
    )
