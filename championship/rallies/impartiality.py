"""Who may judge in a rally: officials who do not drive in it, as long as the club has one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Membership, Role
from championship.rallies.models import CrewChange, Entry, Rally
from championship.refusals import Forbidden

JUDGES = (Role.STEWARD,)
"""Who decides on protests and appeals, or without one."""
PENALISERS = (Role.ORGANISER, Role.STEWARD)
"""Who gives seconds, and withdraws them."""
TIMEKEEPERS = (Role.ORGANISER,)
"""Who gives a driver more time, closes a time control before its hour, or gives a car to somebody else mid-rally."""


class Bond(IntFlag):
    """What ties an official to an act. The value of what weighs more is higher than all that weighs less together."""

    NONE = 0
    DECIDED = 1
    DRIVES = 2
    PARTY = 4


@dataclass(frozen=True, slots=True)
class Bench:
    """The club's officials who have the power for an act, each with what ties them to it."""

    officials: Sequence[tuple[User, Bond]]

    @property
    def able(self) -> list[User]:
        """The officials who may act: those whom the least ties to it. Empty where the club has no such official."""
        least = min((bond for _person, bond in self.officials), default=Bond.NONE)
        return [person for person, bond in self.officials if bond == least]

    def bond_of(self, person_id: int | None) -> Bond:
        """What ties this person to the act."""
        return next((bond for person, bond in self.officials if person.pk == person_id), Bond.NONE)

    def may(self, person_id: int | None) -> bool:
        """Whether this person may act."""
        return any(person.pk == person_id for person in self.able)

    def drives(self, person_id: int | None) -> bool:
        """Whether this person drives in the rally, or did."""
        return bool(self.bond_of(person_id) & Bond.DRIVES)

    def names(self, *, but: int | None = None) -> str:
        """The officials who may act, in a row, without the one of that id."""
        return ", ".join(str(person) for person in self.able if person.pk != but)

    def why_not(self, person_id: int | None) -> str:
        """Why this official may not act, and who may; empty for who may."""
        if self.may(person_id):
            return ""
        bond, names = self.bond_of(person_id), {"names": self.names()}
        if bond & Bond.PARTY:
            return _("Nobody judges in their own cause. This is for: %(names)s.") % names
        if bond & Bond.DRIVES:
            return _("You drive in this rally, and the club has officials who do not. This is for: %(names)s.") % names
        if bond & Bond.DECIDED:
            says = _("An appeal is judged by another steward than who took the decision. This is for: %(names)s.")
            return says % names
        return _("This is for: %(names)s.") % names


def bench_of(
    rally: Rally,
    roles: Iterable[Role],
    *,
    parties: Iterable[int] = (),
    decided_by: int | None = None,
    lock: bool = False,
) -> Bench:
    """Who has the power for an act in the rally, and what ties each of them to it, in three queries. The rule:

    Officials are the club's members with one of `roles` whose account is active and not closed. Guests hold no such
    role, and a bot's counts for nothing. An official drives in the rally with a confirmed entry, or with a car that
    changed hands in it, before or after the change. `parties` are entries that the act is about: their drivers, of now
    and before, act last of all. Before them come officials who drive, before these the official who took the decision
    that is appealed (`decided_by`), and first all others. The officials whom the least ties to the act may do it, and
    nobody else: so nothing is stuck as long as the club has one official. What an official who drives does says so
    openly.

    Running the rally is not judging: starts and pauses are not asked about here.
    `lock`: nobody gains or loses a role before the transaction ends; the rally is locked then.
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
    held = Membership.objects.filter(
        club=rally.club_id,
        roles__overlap=[str(role) for role in roles],
        user__is_active=True,
        user__closed_at=None,
        user__is_bot=False,
    ).order_by("pk")  # in one order, so that two rallies of the club do not wait for each other
    if lock:
        held = held.select_for_update(of=("self",))
    people = sorted((each.user for each in held.select_related("user")), key=lambda person: person.name.casefold())
    return Bench([(person, _bond(person.pk, own, driving, decided_by)) for person in people])


def _bond(person: int, own: set[int], driving: set[int], decided_by: int | None) -> Bond:
    bond = Bond.PARTY if person in own else Bond.NONE
    if person in driving:
        bond |= Bond.DRIVES
    if person == decided_by:
        bond |= Bond.DECIDED
    return bond


def require_impartial(
    by: User,
    rally: Rally,
    roles: Iterable[Role],
    *,
    concerned: Iterable[Entry] = (),
    parties: Iterable[Entry] = (),
    decided_by: int | None = None,
) -> bool:
    """Whether this official, who may act by the rule of `bench_of`, drives in the rally. The rally is locked.

    `concerned` are entries that gain or lose by the act where nothing waits for it: their drivers never act.
    Forbidden, saying why and who may act; field "entry" where it is about one of `concerned`.
    """
    bench = bench_of(rally, roles, parties=[entry.pk for entry in parties], decided_by=decided_by, lock=True)
    if not bench.may(by.pk):
        raise Forbidden(bench.why_not(by.pk))
    if drove_one_of(by, concerned):
        names = bench.names(but=by.pk)
        says = _("Nobody judges in their own cause. This is for: %(names)s.") % {"names": names}
        raise Forbidden(says if names else _("Nobody judges in their own cause."), field="entry")
    return bench.drives(by.pk)


def drove_one_of(person: User, entries: Iterable[Entry]) -> bool:
    """Whether the person drives one of these cars, or did before another took it over."""
    ids = [entry.pk for entry in entries]
    drives = Entry.objects.filter(pk__in=ids, driver=person)
    return bool(ids) and (drives.exists() or CrewChange.objects.filter(entry__in=ids, before=person).exists())


def author_drives() -> str:
    """What stands beside an act whose author drives, in the reader's language."""
    return _("its author drives in this rally")
