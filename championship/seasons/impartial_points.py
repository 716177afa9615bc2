"""Which officials may give, take or withdraw points by hand: the rule of impartiality of rallies, over a season."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.platform.refusals import Forbidden
from championship.rallies.entries.impartiality import Conflict, Officials, people_with
from championship.rallies.models import Entry
from championship.seasons.models import Championship, Team

OFFICIALS = (Role.ORGANISER, Role.STEWARD)


def drivers_of_team(team: Team) -> set[int]:
    """Return the ids of everybody who is registered for a team or has driven for it. Two queries."""
    members = set(team.registrations.values_list("driver_id", flat=True))
    entries = Entry.objects.filter(rally__round__championship=team.championship_id, team=team.name)
    return members | set(entries.values_list("driver_id", flat=True))


def teams_of(championship: Championship, person: User) -> set[int]:
    """Return the ids of the teams for which a person is registered or has driven. One query."""
    registered = Q(registrations__driver=person)
    drove = Q(name__in=Entry.objects.filter(rally__round__championship=championship, driver=person).values("team"))
    return set(championship.teams.filter(registered | drove).values_list("pk", flat=True))


def officials_on(
    championship: Championship, *, driver: User | None, team: Team | None, lock: bool = False
) -> Officials:
    """Return the officials of the club with their conflicts of interest about points for a driver or a team: being the
    driver, or one of the team; taking part in the season. Only those with the smallest conflict may act. Five queries
    at most. `lock`: as `impartiality.officials_for`; the championship is locked.
    """
    own = {driver.pk} if driver is not None else drivers_of_team(team) if team is not None else set()
    driving = set(championship.registrations.filter(left_at=None).values_list("driver_id", flat=True))
    confirmed = Q(rally__round__championship=championship, status=Entry.Status.CONFIRMED)
    driving |= set(Entry.objects.filter(confirmed).values_list("driver_id", flat=True))
    people = people_with(championship.club_id, OFFICIALS, lock=lock)
    return Officials(
        [
            (
                person,
                (Conflict.PARTY if person.pk in own else Conflict.NONE)
                | (Conflict.DRIVES if person.pk in driving else Conflict.NONE),
            )
            for person in people
        ]
    )


def require_impartial(by: User, championship: Championship, *, driver: User | None, team: Team | None) -> bool:
    """Check that an official may give or withdraw these points; nobody may for themselves or their team, even where the
    club has no other official. Returns whether the official takes part in the season. The championship is locked.

    Raises: Forbidden (field who); it says why, and who may.
    """
    officials = officials_on(championship, driver=driver, team=team, lock=True)
    conflict = officials.conflict_of(by.pk)
    names = officials.names(but=by.pk)
    if conflict & Conflict.PARTY:
        says = _("Nobody may judge their own case. This is for: %(names)s.") % {"names": names}
        raise Forbidden(says if names else _("Nobody may judge their own case."), field="who")
    if not officials.may(by.pk):
        says = _("You take part in this season, and the club has officials who do not. This is for: %(names)s.")
        raise Forbidden(says % {"names": names}, field="who")
    return bool(conflict & Conflict.DRIVES)
