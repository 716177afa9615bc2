"""The next season: its drivers in their new divisions, in one act of an organiser or of the season's clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import date, datetime, timedelta
from hashlib import sha256

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Rally
from championship.seasons import selectors
from championship.seasons.clock.models import SeasonClock
from championship.seasons.divisions.services import rules_of, tell_divisions
from championship.seasons.divisions.services.offers import is_over
from championship.seasons.models import Championship, Registration, Renewal, Reserve
from championship.seasons.scoring import divisions as scoring
from championship.seasons.season_plans import Plan, available_stages, copied_plan
from championship.seasons.services import create_championship, locked
from championship.seasons.services.registering import name_teams, renewable_registrations
from championship.seasons.services.season_drafts import make_rounds


def fingerprint(proposed: Mapping[str, str]) -> str:
    """Return a hash of the divisions that the tables propose, as an organiser saw them."""
    return sha256(repr(sorted(proposed.items())).encode()).hexdigest()[:16]


def name_after(name: str) -> str:
    """Return the name of the season after one of that name: the last number in it counted up, else "2" behind it."""
    before, last = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    found = f"{before}{int(last) + 1}" if last and len(last) < 9 else f"{name[:77]} 2"
    return found[:80]


@transaction.atomic
def make_next_season(
    *,
    by: User,
    championship: Championship,
    name: str,
    divisions: Mapping[int, str],
    seen: str,
    first_day: date | None = None,
    calendar: bool = True,
) -> Championship:
    """Make the next season of a season with divisions that is over: the same scheme, teams, rules and clock (which does
    not run yet), its reserves, and its drivers in these `divisions`, by driver id; who is left out is not registered.
    Drivers are told. If it was made already, that season is returned. Only organisers. `seen`: the fingerprint of the
    proposal that the organiser saw. `calendar`: whether the rounds are made again; on the same days a year later, or
    so many days later that the first is on `first_day`.

    Raises: Refused when a round is still to be driven; also with the field name, or `division_<id>` of a driver.
    Raises: Stale when the tables propose other moves by now.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    made = _made(championship)
    if made is not None:
        return made
    _require_over(championship)
    proposed = scoring.after(selectors.table(championship).season)
    if seen != fingerprint(proposed):
        raise Stale(_("The tables have changed meanwhile. This page shows who moves by now."))
    for driver, division in divisions.items():
        if division and division not in championship.divisions:
            raise Refused(_("Choose one of the divisions."), field=f"division_{driver}")
    if Championship.objects.filter(club=championship.club_id, name=name.strip()).exists():
        raise Refused(_("The club has a season of this name; choose another."), field="name")
    return _make(championship, by, name, divisions, first_day=first_day, calendar=calendar)


@transaction.atomic
def renew_by_clock(championship_id: int, *, now: datetime) -> Championship | None:
    """Make the next season for the clock, as the tables propose, once it is due; None before, and where it was made
    already. The clock of the next season runs. An organiser of the club is its author.
    """
    championship = (
        Championship.objects.select_for_update(of=("self",)).select_related("club").filter(pk=championship_id).first()
    )
    if championship is None or _made(championship) is not None:
        return None
    due = renews_at(championship)
    organiser = User.objects.filter(
        memberships__club=championship.club, memberships__roles__contains=[Role.ORGANISER], is_active=True
    )
    by = organiser.order_by("memberships__pk").first()
    if due is None or due > now or by is None:
        return None
    proposed = scoring.after(selectors.table(championship).season)
    divisions = {int(driver): name for driver, name in proposed.items()}
    return _make(championship, by, _free_name(championship), divisions, by_clock=True)


def renews_at(championship: Championship) -> datetime | None:
    """Return when the clock makes the next season; None while a round is to come, and where only an organiser makes it.
    Three queries at most.
    """
    rules = rules_of(championship)
    if not championship.divisions or rules.renews_days is None or not is_over(championship):
        return None
    over = championship.rounds.filter(rally__status=Rally.Status.FINISHED).values_list("rally__finished_at", flat=True)
    last = max((at for at in over if at is not None), default=None)
    return None if last is None else last + timedelta(days=rules.renews_days)


def _made(championship: Championship) -> Championship | None:
    found = Renewal.objects.filter(championship=championship).select_related("made__club").first()
    return None if found is None else found.made


def _require_over(championship: Championship) -> None:
    if not championship.divisions:
        raise Refused(_("This season has no divisions."))
    if not is_over(championship):
        raise Refused(_("The season is not over: rounds are still to be driven."))


def _free_name(championship: Championship) -> str:
    name = name_after(championship.name)
    taken = set(Championship.objects.filter(club=championship.club_id).values_list("name", flat=True))
    while name in taken:
        name = name_after(name)
    return name


def _make(
    before: Championship,
    by: User,
    name: str,
    divisions: Mapping[int, str],
    *,
    first_day: date | None = None,
    calendar: bool = True,
    by_clock: bool = False,
) -> Championship:
    made = create_championship(
        by=by,
        club=before.club,
        name=name,
        classes=before.classes,
        rally_settings=before.rally_settings,
        **asdict(before.scheme),
    )
    teams = list(before.teams.values_list("name", flat=True))
    if teams:
        name_teams(by=by, championship=made, names=teams)
    rules = rules_of(before)
    if rules.pk:
        rules.pk, rules._state.adding, rules.championship = None, True, made
        rules.save()
    members = _register(made, before, divisions)
    _keep_reserves(made, before)
    if calendar:
        make_rounds(by, made, _calendar(before, first_day))
    _move_clock(made, before, runs=by_clock)
    Renewal.objects.create(championship=before, made=made, by=None if by_clock else by)
    audit.record(
        actor=None if by_clock else by,
        action="next season made",
        subject=before,
        club_id=before.club_id,
        details={
            "championship": made.name,
            "drivers": [f"{each.driver}: {each.car_class or '–'}" for each in members],
        },
    )
    _tell(made, before, members)
    return made


def _register(made: Championship, before: Championship, divisions: Mapping[int, str]) -> list[Registration]:
    teams = {team.name: team for team in made.teams.all()}
    members = [
        Registration(
            championship=made,
            driver=each.driver,
            crew=each.crew,
            car_class=divisions[each.driver_id],
            start_number=each.start_number,
            team=teams.get(each.team.name) if each.team else None,
        )
        for each in renewable_registrations(before, [])
        if divisions.get(each.driver_id)
    ]
    return Registration.objects.bulk_create(members)


def _keep_reserves(made: Championship, before: Championship) -> None:
    listed = before.reserves.order_by("position", "pk")
    Reserve.objects.bulk_create(
        Reserve(
            championship=made,
            driver_id=each.driver_id,
            crew=each.crew,
            division=each.division,
            position=position,
            created_at=clock.now(),
        )
        for position, each in enumerate(listed, 1)
    )


def _calendar(before: Championship, first_day: date | None) -> Plan:
    """Return the rounds of the season before as a plan; those whose courses are gone are left out."""
    plan, available = copied_plan(Plan(), before), available_stages(before.club)
    rounds = [each for each in plan.rounds if available.of(each)]
    first = next((each.day for each in rounds if each.day is not None), None)
    if first_day is not None and first is not None:
        later = first_day - first
        rounds = [replace(each, day=each.day + later if each.day else None) for each in rounds]
    elif first_day is not None and rounds:
        rounds[0] = replace(rounds[0], day=first_day)
    return replace(plan, rounds=tuple(rounds))


def _move_clock(made: Championship, before: Championship, *, runs: bool) -> None:
    """Give the next season the clock of the one before, which stops."""
    found = SeasonClock.objects.filter(championship=before).first()
    if found is None:
        return
    SeasonClock.objects.filter(pk=found.pk).update(running=False, next_at=None)
    found.pk, found._state.adding, found.championship = None, True, made
    found.running, found.version, found.next_at = runs, 0, clock.now() if runs else None
    found.save()


def _tell(made: Championship, before: Championship, members: list[Registration]) -> None:
    names = list(before.divisions)
    stood = dict(before.registrations.filter(left_at=None).values_list("driver_id", "car_class"))

    def how(member: Registration) -> str:
        was = stood.get(member.driver_id, "")
        if was not in names:
            return "new"
        moved = names.index(was) - names.index(member.car_class)
        return "up" if moved > 0 else "down" if moved < 0 else "stays"

    divisions = {member.driver: member.car_class for member in members}
    tell_divisions(made, divisions, {member.driver: how(member) for member in members})
