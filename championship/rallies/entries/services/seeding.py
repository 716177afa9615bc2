"""The start list of the first stage by the standings of the championship or by hand, instead of at random."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from secrets import SystemRandom

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.services.starting import seed
from championship.rallies.entries.standings import championship_of as championship_of
from championship.rallies.entries.standings import order_of as order_of
from championship.rallies.entries.standings import register_standings as register_standings
from championship.rallies.locks import locked_rally_for_organiser, require_open_entries
from championship.rallies.models import Entry, Rally, StartPlace


def fingerprint(entry_ids: Sequence[int], seeded_by: str) -> str:
    """A hash of the start list that an organiser saw: the entries, their order, and how the order was made."""
    return sha256(f"{seeded_by} {','.join(map(str, entry_ids))}".encode()).hexdigest()[:16]


def order_now(rally: Rally) -> list[int]:
    """Ids of the confirmed entries in the order of the start list, or by start number when there is no list. Two
    queries at most.
    """
    listed = StartPlace.objects.filter(special_stage__rally=rally, special_stage__number=1).order_by("position")
    return list(listed.values_list("entry_id", flat=True)) or list(
        rally.entries.filter(status=Entry.Status.CONFIRMED).order_by("start_number").values_list("pk", flat=True)
    )


@transaction.atomic
def write_start_list(*, by: User, rally: Rally, order: Sequence[int], seen: str) -> list[StartPlace]:
    """Write the start list by hand. `order`: the ids of the confirmed entries. Only for organisers, before the start.

    The act is logged. Writing the same list again changes nothing. `seen`: the fingerprint of the list that the
    organiser saw.

    Raises: Stale when an entry or the list has changed since then.
    Raises: Refused when `order` does not contain exactly the confirmed entries.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    require_open_entries(rally)
    first, now = rally.stages.get(number=1), order_now(rally)
    if list(order) == now and rally.seeded_by == Rally.Seeding.HAND:
        return list(first.start_places.all())
    if seen != fingerprint(now, rally.seeded_by):
        raise Stale(_("The entries or the start list have changed meanwhile. This page shows the current ones."))
    if not now or sorted(order) != sorted(now):
        raise Refused(_("Give every confirmed entry a place on the start list."), field="order")
    return seed(by, rally, first, list(order), Rally.Seeding.HAND)


@transaction.atomic
def seed_by_standing(*, by: User, rally: Rally, leader_last: bool = False) -> list[StartPlace]:
    """Write the start list by the championship's standings, the leader first or last.

    Drivers who are not in the standings start behind all others, in random order. Only for organisers, before the
    start. The act is logged.

    Raises: Refused when the rally belongs to no championship, when no round has been driven, or when no entry is
    confirmed.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    return seed_locked_rally_by_standing(rally, by=by, leader_last=leader_last)


def seed_locked_rally_by_standing(rally: Rally, *, by: User | None, leader_last: bool) -> list[StartPlace]:
    """Write the start list as `seed_by_standing` does. The rally is locked. `by`: None for the sweep."""
    require_open_entries(rally)
    ranks = {driver: rank for rank, driver in enumerate(order_of(rally))}
    if not ranks:
        raise Refused(_("There is no standing yet to order the start list by."))
    entries = list(rally.entries.filter(status=Entry.Status.CONFIRMED).values_list("pk", "driver_id"))
    if not entries:
        raise Refused(_("At least one confirmed entry is needed."))
    placed = sorted((ranks[driver], pk) for pk, driver in entries if driver in ranks)
    others = [pk for pk, driver in entries if driver not in ranks]
    SystemRandom().shuffle(others)
    ordered = [pk for _rank, pk in (reversed(placed) if leader_last else placed)] + others
    championship = championship_of(rally)
    first = rally.stages.get(number=1)
    return seed(by, rally, first, ordered, Rally.Seeding.STANDING, championship=championship, leader_last=leader_last)
