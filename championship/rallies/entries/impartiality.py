"""Which officials may judge in a rally: those who do not drive in it, as long as the club has one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Membership, Role
from championship.platform.refusals import Forbidden
from championship.rallies.models import CrewChange, Entry, Rally

JUDGES = (Role.STEWARD,)
"""The roles that decide protests and appeals, and take decisions without one."""
PENALISERS = (Role.ORGANISER, Role.STEWARD)
"""The roles that give and withdraw penalties."""
TIMEKEEPERS = (Role.ORGANISER,)
"""The roles that give a driver more time, close a time control before its deadline, or change a car's driver during a
rally.
"""


class Conflict(IntFlag):
    """The conflicts of interest of an official in an act. A more serious one has a higher value than all less serious
    ones together, so that sums of flags can be compared.
    """

    NONE = 0
    DECIDED = 1
    DRIVES = 2
    PARTY = 4


@dataclass(frozen=True, slots=True)
class Officials:
    """The club's officials with a role for an act, each with their conflicts of interest."""

    conflicts: Sequence[tuple[User, Conflict]]

    @property
    def eligible(self) -> list[User]:
        """The officials who may act: those with the smallest conflict of interest. Empty when the club has no official
        with such a role.
        """
        least = min((conflict for _person, conflict in self.conflicts), default=Conflict.NONE)
        return [person for person, conflict in self.conflicts if conflict == least]

    def conflict_of(self, person_id: int | None) -> Conflict:
        """This person's conflicts of interest."""
        return next((conflict for person, conflict in self.conflicts if person.pk == person_id), Conflict.NONE)

    def may(self, person_id: int | None) -> bool:
        """Whether this person may act."""
        return any(person.pk == person_id for person in self.eligible)

    def drives(self, person_id: int | None) -> bool:
        """Whether this official drives in the rally, or did."""
        return bool(self.conflict_of(person_id) & Conflict.DRIVES)

    def names(self, *, but: int | None = None) -> str:
        """The names of the officials who may act, separated by commas, without the person with the id `but`."""
        return ", ".join(str(person) for person in self.eligible if person.pk != but)

    def why_not(self, person_id: int | None) -> str:
        """The reason why this official may not act, with the names of those who may; "" when the official may."""
        if self.may(person_id):
            return ""
        conflict, names = self.conflict_of(person_id), {"names": self.names()}
        if conflict & Conflict.PARTY:
            return _("Nobody may judge their own case. This is for: %(names)s.") % names
        if conflict & Conflict.DRIVES:
            return _("You drive in this rally, and the club has officials who do not. This is for: %(names)s.") % names
        if conflict & Conflict.DECIDED:
            says = _("The steward who took a decision cannot judge the appeal. This is for: %(names)s.")
            return says % names
        return _("This is for: %(names)s.") % names


def officials_for(
    rally: Rally,
    roles: Iterable[Role],
    *,
    parties: Iterable[int] = (),
    decided_by: int | None = None,
    lock: bool = False,
) -> Officials:
    """The officials with a role for an act in the rally, and their conflicts of interest, in three queries.

    Officials are the club's members with one of `roles` whose account is active and not closed. Guests have no such
    role, and the role of a bot does not count. An official drives in the rally when they have a confirmed entry, or
    when they are in a change of crew, as the old or the new driver.

    Conflicts of interest, the most serious first: being a present or former driver of one of the entries that the act
    is about (`parties`); driving in the rally; having taken the decision that is appealed (`decided_by`). Only the
    officials with the smallest conflict may act. So there is always somebody who may, when the club has one official.
    An act of an official who drives in the rally is marked as such.

    Running the rally is not judging: starts and pauses do not use this rule.
    `lock`: lock the memberships, so that nobody gains or loses a role before the transaction ends. The caller has
    locked the rally.
    """
    about, own, driving = set(parties), set[int](), set[int]()
    for entry_id, driver_id, status in Entry.objects.filter(rally=rally).values_list("pk", "driver_id", "status"):
        if status == Entry.Status.CONFIRMED:
            driving.add(driver_id)
        if entry_id in about:
            own.add(driver_id)
    changes = CrewChange.objects.filter(entry__rally=rally)
    for entry_id, *crew in changes.values_list("entry_id", "before_id", "driver_id"):
        driving.update(person for person in crew if person is not None)
        if entry_id in about:
            own.update(person for person in crew if person is not None)
    people = people_with(rally.club_id, roles, lock=lock)
    return Officials([(person, _conflict(person.pk, own, driving, decided_by)) for person in people])


def people_with(club_id: int, roles: Iterable[Role], *, lock: bool = False) -> list[User]:
    """The people who may hold these roles in a club as officials (officials_for), by name. One query."""
    held = Membership.objects.filter(
        club=club_id,
        roles__overlap=[str(role) for role in roles],
        user__is_active=True,
        user__closed_at=None,
        user__is_bot=False,
    ).order_by("pk")  # always the same order, so that two rallies of the club cannot deadlock
    if lock:
        held = held.select_for_update(of=("self",))
    return sorted((each.user for each in held.select_related("user")), key=lambda person: person.name.casefold())


def _conflict(person: int, own: set[int], driving: set[int], decided_by: int | None) -> Conflict:
    conflict = Conflict.PARTY if person in own else Conflict.NONE
    if person in driving:
        conflict |= Conflict.DRIVES
    if person == decided_by:
        conflict |= Conflict.DECIDED
    return conflict


def require_impartial(
    by: User,
    rally: Rally,
    roles: Iterable[Role],
    *,
    concerned: Iterable[Entry] = (),
    parties: Iterable[Entry] = (),
    decided_by: int | None = None,
) -> bool:
    """Check by the rule of `officials_for` that this official may act, and return whether they drive in the rally.

    The rally is locked. `concerned`: entries that gain or lose by an act that nothing waits for. Their drivers may
    never act, even when the club has no other official.

    Raises: Forbidden when `by` may not act; it says why and who may. Its field is "entry" when `by` drives or drove one
    of `concerned`.
    """
    officials = officials_for(rally, roles, parties=[entry.pk for entry in parties], decided_by=decided_by, lock=True)
    if not officials.may(by.pk):
        raise Forbidden(officials.why_not(by.pk))
    if drove_one_of(by, concerned):
        names = officials.names(but=by.pk)
        says = _("Nobody may judge their own case. This is for: %(names)s.") % {"names": names}
        raise Forbidden(says if names else _("Nobody may judge their own case."), field="entry")
    return officials.drives(by.pk)


def drove_one_of(person: User, entries: Iterable[Entry]) -> bool:
    """Whether the person drives one of these cars, or did before somebody else took it over."""
    ids = [entry.pk for entry in entries]
    drives = Entry.objects.filter(pk__in=ids, driver=person)
    return bool(ids) and (drives.exists() or CrewChange.objects.filter(entry__in=ids, before=person).exists())


def author_drives() -> str:
    """The note at an act whose author drives in the rally, in the reader's language."""
    return _("its author drives in this rally")
