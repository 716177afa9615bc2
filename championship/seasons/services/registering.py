"""Drivers and teams of a season. Drivers are registered once, and can then be entered in every round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import all_differ
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import Entry, Rally
from championship.rallies.services import EntryRequest, enter_for
from championship.rallies.text_checks import checked_line
from championship.seasons.models import Championship, PlaceOffer, Registration, Round, SeasonClock, Team, Transfer

HIGHEST_NUMBER = 999


@transaction.atomic
def register(
    *,
    by: User,
    championship: Championship,
    driver: User,
    crew: str,
    car_class: str = "",
    start_number: int | None = None,
    team: Team | None = None,
    before: Mapping[str, Any] | None = None,
) -> Registration:
    """Register a driver of the club for the season, or change the registration.

    Drivers register themselves, but only organisers set the start number, and only organisers change the team once the
    season has begun. Only organisers put a driver into a division. Organisers register anybody; a reserve leaves the
    list of reserves with that. The log keeps old and new values. `before`: the old values, as `logged_values` returns
    them, where the caller has changed the row in this transaction already.

    Raises: Refused with the field: driver, crew, car_class (one of the season's, where it has any), start_number or
    team.
    """
    championship = _locked(championship)
    organises = Role.ORGANISER in require_role(by, championship.club, *(() if by == driver else (Role.ORGANISER,)))
    if not championship.club.memberships.filter(user=driver, roles__contains=[Role.DRIVER]).exists():
        raise Refused(_("%(name)s is not a driver of this club.") % {"name": driver}, field="driver")
    registration = Registration.objects.filter(championship=championship, driver=driver).first()
    if championship.divisions and not organises:
        car_class = registration.car_class if registration is not None and registration.left_at is None else ""
    if championship.classes and car_class not in (*championship.classes, *([""] if championship.divisions else [])):
        message = _("Choose one of the classes: %(classes)s.") % {"classes": ", ".join(championship.classes)}
        raise Refused(message, field="car_class")
    if start_number is not None and not 1 <= start_number <= HIGHEST_NUMBER:
        raise Refused(_("Start numbers go from 1 to 999."), field="start_number")
    if team is not None and team.championship_id != championship.pk:
        raise Refused(_("Choose a team of this championship."), field="team")
    if before is None and registration is not None and registration.left_at is None:
        before = logged_values(registration)
    registration = registration or Registration(championship=championship, driver=driver)
    registration.crew = checked_line(crew, longest=80, field="crew")
    registration.car_class = checked_line(car_class, longest=20, field="car_class", needed=False)
    if organises:
        registration.start_number = start_number
    elif team != registration.team and has_begun(championship):
        raise Refused(_("The season has begun: ask an organiser to change the team."), field="team")
    _keep_teams_of_entries(registration, team)
    _record_transfer(registration, team)
    registration.team, registration.left_at = team, None
    if championship.divisions:
        move_entries(championship, {driver.pk: registration.car_class})
    no_reserve_any_more(championship, [driver.pk])
    try:
        with transaction.atomic():
            registration.save()
    except IntegrityError as error:
        message = _("Start number %(number)d is taken; choose another.") % {"number": start_number or 0}
        raise Refused(message, field="start_number") from error
    _log_registration(by, registration, before, logged_values(registration))
    return registration


def _keep_teams_of_entries(registration: Registration, team: Team | None) -> None:
    """Before a registration gets this team: entries in rounds that have begun keep the team of the registration as it
    was, and those in rounds to come get the new one. Nothing is written where the team stays.
    """
    before = Registration.objects.filter(pk=registration.pk).select_related("team").first() if registration.pk else None
    if before is None or before.team == team:
        return
    entries = Entry.objects.filter(driver=registration.driver, rally__round__championship=registration.championship_id)
    to_come = Q(rally__status=Rally.Status.ENTRIES)
    entries.filter(~to_come, team=None).update(team=before.team.name if before.team else "")
    entries.filter(to_come).update(team=team.name if team else "")


def _record_transfer(registration: Registration, team: Team | None) -> None:
    """Before a registration gets this team: write that the driver changes teams. Nothing where the team stays."""
    stored = Registration.objects.filter(pk=registration.pk, left_at=None).select_related("team").first()
    before = stored.team if stored is not None else None
    if before != team:
        Transfer.objects.create(
            championship=registration.championship, driver=registration.driver, before=before, after=team
        )


def no_reserve_any_more(championship: Championship, drivers: Sequence[int]) -> None:
    """Take drivers, by id, off the list of reserves, with what is offered to them. Three queries at most."""
    if championship.reserves.filter(driver__in=drivers).delete()[0]:
        offers = championship.place_offers.filter(driver__in=drivers, state=PlaceOffer.State.OPEN)
        offers.update(state=PlaceOffer.State.TAKEN_BACK, answered_at=clock.now())


def look_at_places(championship: Championship) -> None:
    """Let the clock of the season, where it runs, look for free places at its next sweep. One query."""
    SeasonClock.objects.filter(championship=championship, running=True).update(next_at=clock.now())


def move_entries(championship: Championship, divisions: Mapping[int, str]) -> None:
    """Put the entries of drivers, by id, in rounds to come into these divisions. Rounds that have begun stay. One query
    for each division.
    """
    entries = Entry.objects.filter(rally__round__championship=championship, rally__status=Rally.Status.ENTRIES)
    for name in set(divisions.values()):
        drivers = [pk for pk, own in divisions.items() if own == name]
        entries.filter(driver__in=drivers).exclude(car_class=name).update(car_class=name)


def logged_values(registration: Registration) -> dict[str, Any]:
    """Return the values of a registration for the log: crew, car_class, start_number, and team by its name."""
    return {
        "crew": registration.crew,
        "car_class": registration.car_class,
        "start_number": registration.start_number,
        "team": registration.team.name if registration.team else "",
    }


def _log_registration(
    by: User, registration: Registration, before: Mapping[str, Any] | None, after: Mapping[str, Any]
) -> None:
    championship, driver = registration.championship, str(registration.driver)
    if before is None:
        _log(by, championship, "driver registered", driver=driver, **after)
        return
    changed = [name for name in after if before[name] != after[name]]
    if changed:
        values = {"before": {name: before[name] for name in changed}, "after": {name: after[name] for name in changed}}
        _log(by, championship, "registration changed", driver=driver, **values)


def has_begun(championship: Championship) -> bool:
    """Return whether a round of the season has started."""
    started = (Rally.Status.RUNNING, Rally.Status.FINISHED)
    return championship.rounds.filter(rally__status__in=started).exists()


@transaction.atomic
def register_again(*, by: User, championship: Championship, before: Championship) -> list[Registration]:
    """Register the drivers of an earlier season for this one: crew, class, start number, and the team of the same name.

    Only organisers. People who are no longer drivers of the club, and drivers whose class does not exist any more, are
    left out.
    """
    championship = _locked(championship)
    require_role(by, championship.club, Role.ORGANISER)
    teams = {team.name: team for team in championship.teams.all()}
    new_registrations = [
        Registration(
            championship=championship,
            driver=each.driver,
            crew=each.crew,
            car_class=each.car_class,
            start_number=each.start_number,
            team=teams.get(each.team.name) if each.team else None,
        )
        for each in renewable_registrations(before, championship.classes)
    ]
    Registration.objects.bulk_create(new_registrations)
    _log(by, championship, "drivers registered again", drivers=[str(each.driver) for each in new_registrations])
    return new_registrations


def renewable_registrations(before: Championship, classes: Sequence[str]) -> list[Registration]:
    """Return the registrations of an earlier season that are still valid in a season with these classes."""
    drivers = before.club.memberships.filter(roles__contains=[Role.DRIVER]).values("user")
    found = before.registrations.filter(driver__in=drivers, left_at=None).select_related("driver", "team")
    return [each for each in found if not classes or each.car_class in classes]


@transaction.atomic
def withdraw_registration(*, by: User, registration: Registration) -> None:
    """Withdraw a registration: the driver leaves the season from now on, and is entered in no further round. Entries
    and the points of rounds that have begun stay. The start number is free for others.

    Only the driver and organisers may do it.
    """
    championship = _locked(registration.championship)
    if by.pk != registration.driver_id:
        require_role(by, championship.club, Role.ORGANISER)
    refuse_if_closed(championship.club)
    found = Registration.objects.filter(pk=registration.pk, left_at=None)
    _record_transfer(registration, None)
    if has_begun(championship):
        if not found.update(left_at=clock.now(), start_number=None):
            return
    else:
        found.delete()
    look_at_places(championship)
    _log(by, championship, "registration withdrawn", driver=str(registration.driver))


@transaction.atomic
def name_teams(*, by: User, championship: Championship, names: Iterable[str]) -> list[Team]:
    """Set the season's teams to exactly these, in any order. Drivers of a removed team have no team any more. Only
    organisers.

    Raises: Refused (field teams) when a name occurs twice.
    """
    championship = _locked(championship)
    require_role(by, championship.club, Role.ORGANISER)
    wanted = [checked_line(name, longest=60, field="teams") for name in names]
    if not all_differ(wanted):
        raise Refused(_("Name each team once."), field="teams")
    championship.teams.exclude(name__in=wanted).delete()
    known = set(championship.teams.values_list("name", flat=True))
    Team.objects.bulk_create(Team(championship=championship, name=name) for name in wanted if name not in known)
    _log(by, championship, "teams named", teams=wanted)
    return list(championship.teams.all())


@transaction.atomic
def change_teams(
    *, by: User, championship: Championship, names: Mapping[int, str], more: Sequence[str] = ()
) -> list[Team]:
    """Rename teams, by id, with their drivers; an empty name removes a team. `more`: new teams. Only organisers.

    Raises: Refused with the field, `team_<id>` or `teams`, when a name occurs twice.
    """
    championship = _locked(championship)
    require_role(by, championship.club, Role.ORGANISER)
    teams = list(championship.teams.all())
    wanted: dict[int, str] = {}
    for team in teams:
        field = f"team_{team.pk}"
        name = checked_line(names.get(team.pk, team.name), longest=60, field=field, needed=False)
        if name and not all_differ([name, *(other for other in wanted.values() if other)]):
            raise Refused(_("Name each team once."), field=field)
        wanted[team.pk] = name
    new = [checked_line(name, longest=60, field="teams") for name in more]
    kept = [name for name in wanted.values() if name]
    if not all_differ([*new, *kept]):
        raise Refused(_("Name each team once."), field="teams")
    remaining = [team for team in teams if wanted[team.pk]]
    championship.teams.exclude(pk__in=[team.pk for team in remaining]).delete()
    _rename_in_entries(championship, {team.name: wanted[team.pk] for team in remaining})
    for names_of in (
        {team.pk: f"~ {team.pk}" for team in remaining},
        wanted,
    ):  # two steps, since teams may exchange names
        for team in remaining:
            team.name = names_of[team.pk]
        Team.objects.bulk_update(remaining, ["name"])
    Team.objects.bulk_create(Team(championship=championship, name=name) for name in new)
    _log(by, championship, "teams named", teams=[*(team.name for team in remaining), *new])
    return list(championship.teams.all())


def _rename_in_entries(championship: Championship, names: Mapping[str, str]) -> None:
    """Give the entries of the season's rounds the new names of their teams, by the old ones."""
    renamed = {before: after for before, after in names.items() if before != after}
    entries = Entry.objects.filter(rally__round__championship=championship, team__in=renamed)
    by_name: dict[str, list[int]] = defaultdict(list)
    for pk, team in entries.values_list("pk", "team"):
        by_name[renamed[team or ""]].append(pk)
    for name, found in by_name.items():  # read before, since teams may exchange names
        Entry.objects.filter(pk__in=found).update(team=name)


@transaction.atomic
def enter_registered(*, by: User, round: Round) -> list[Entry]:
    """Enter everybody registered in the round's rally, confirmed, with the season's number and class. Returns the new
    entries. Drivers who are already entered are not changed. Only organisers.

    Raises: Stale after the rally's start.
    """
    return enter_for(by=by, rally=round.rally, wanted=wanted_in(round))


def wanted_in(round: Round) -> list[EntryRequest]:
    """Return the drivers whom a round enters: everybody registered; in a season with divisions, those who stand in one.
    One query.
    """
    registered = round.championship.registrations.filter(left_at=None).select_related("driver")
    if round.championship.divisions:
        registered = registered.filter(car_class__in=round.championship.divisions)
    return [EntryRequest(each.driver, each.crew, each.car_class, each.start_number) for each in registered]


def _locked(championship: Championship) -> Championship:
    return Championship.objects.select_for_update(of=("self",)).select_related("club").get(pk=championship.pk)


def _log(by: User, championship: Championship, action: str, **details: object) -> None:
    audit.record(
        actor=by,
        action=action,
        subject=championship,
        club_id=championship.club_id,
        details={"championship": championship.name, **details},
    )
