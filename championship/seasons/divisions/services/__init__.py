"""Writes about the divisions of a season: their rules, and which driver stands in which. `renewing` makes the next
season, `reserves` keeps the list of reserves, `offers` offers them free places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Entry, Rally
from championship.seasons.divisions.models import LONGEST_ANSWER, LONGEST_WAIT, MOST_PLACES
from championship.seasons.models import Championship, DivisionRules, PlaceOffer, Registration
from championship.seasons.services import change_championship, locked, require_version
from championship.seasons.services.registering import look_at_places, move_entries

MOST_DIVISIONS = 12
MOST_MOVING = 50
KEPT = ("places", "start_lists", "answer_hours", "renews_days")


def rules_of(championship: Championship) -> DivisionRules:
    """Return the rules of a season's divisions; new ones, not stored, where it has none. One query."""
    found = DivisionRules.objects.filter(championship=championship).first()
    return found or DivisionRules(championship=championship)


@transaction.atomic
def set_rules(
    *,
    by: User,
    championship: Championship,
    names: Sequence[str],
    up: int,
    down: int,
    version: int | None = None,
    **given: Any,
) -> DivisionRules:
    """Change the divisions of a season: their names, the highest first, how many go up and down between two neighbours,
    and the fields of DivisionRules that are `given`. They become the classes of the season. No names: the season has no
    divisions. As many names as before: they are renamed, with the drivers in them. Only organisers.

    Raises: Refused with the field: names, up, down, or a field of DivisionRules.
    Raises: Stale when the championship has changed since `version`, unless it already has these values.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    rules = rules_of(championship)
    wanted = {name: given.get(name, getattr(rules, name)) for name in KEPT}
    _check(names, up, down, wanted)
    before = championship.classes
    further = {name: value for name, value in championship.further.items() if name != "divisions"}
    if names:
        further["divisions"] = {"names": list(names), "up": up, "down": down}
    same_rules = all(getattr(rules, name) == value for name, value in wanted.items())
    if same_rules and championship.further == further and (not names or before == list(names)):
        return rules
    require_version(championship, version)
    for name, value in wanted.items():
        setattr(rules, name, value)
    rules.save()
    was = championship.version
    championship = change_championship(
        by=by,
        championship=championship,
        name=championship.name,
        points=championship.points,
        classes=list(names) if names else [] if championship.divisions else before,
        further=further,
    )
    if championship.version == was:
        Championship.objects.filter(pk=championship.pk).update(version=was + 1)
    _rename(championship, before, championship.classes)
    audit.record(
        actor=by,
        action="divisions changed",
        subject=championship,
        club_id=championship.club_id,
        details={
            "championship": championship.name,
            "divisions": list(names),
            "rules": [f"up: {up}", f"down: {down}", *(f"{name}: {value}" for name, value in wanted.items())],
        },
    )
    look_at_places(championship)
    return rules


def _check(names: Sequence[str], up: int, down: int, wanted: Mapping[str, Any]) -> None:
    if len(names) == 1 or len(names) > MOST_DIVISIONS:
        says = _("Name 2 to %(most)d divisions, or none.") % {"most": MOST_DIVISIONS}
        raise Refused(says, field="names")
    places, renews = wanted["places"], wanted["renews_days"]
    for field, value, least, most in (
        ("up", up, 0, MOST_MOVING),
        ("down", down, 0, MOST_MOVING),
        ("places", places, 0, MOST_PLACES),
        ("answer_hours", wanted["answer_hours"], 1, LONGEST_ANSWER),
        ("renews_days", 0 if renews is None else renews, 0, LONGEST_WAIT),
    ):
        if not least <= value <= most:
            raise Refused(_("Give a number from %(least)d to %(most)d.") % {"least": least, "most": most}, field=field)
    if wanted["start_lists"] not in DivisionRules.Lists.values:
        raise Refused(_("Choose one of the list."), field="start_lists")
    if places and max(up, down) > places:
        field = "up" if up > places else "down"
        raise Refused(_("No more than there are places in a division."), field=field)


def _rename(championship: Championship, before: Sequence[str], after: Sequence[str]) -> None:
    """Give registrations, reserves, open offers and entries in rounds to come the new names of their divisions. Drivers
    of a division that is gone stand in none, and offers of its places are taken back.
    """
    renamed = dict(zip(before, after, strict=True)) if len(before) == len(after) else {}
    divisions: dict[int, str] = {}
    for member in championship.registrations.exclude(car_class=""):
        now = member.car_class if member.car_class in after else renamed.get(member.car_class, "")
        if now != member.car_class:
            divisions[member.pk] = now
    _write(championship, divisions)
    for reserve in championship.reserves.exclude(division=""):
        if reserve.division not in after:
            reserve.division = renamed.get(reserve.division, "")
            reserve.save(update_fields=["division"])
    offers = championship.place_offers.filter(state=PlaceOffer.State.OPEN)
    for offer in offers.exclude(division__in=after):
        if offer.division in renamed:
            offer.division = renamed[offer.division]
        else:
            offer.state, offer.answered_at = PlaceOffer.State.TAKEN_BACK, clock.now()
        offer.save(update_fields=["division", "state", "answered_at"])


def _write(championship: Championship, divisions: Mapping[int, str]) -> None:
    """Put registrations, by id, into divisions, with the entries of their drivers in rounds to come."""
    for name in set(divisions.values()):
        mine = [pk for pk, own in divisions.items() if own == name]
        championship.registrations.filter(pk__in=mine).update(car_class=name)
    drivers = dict(championship.registrations.filter(pk__in=divisions).values_list("driver_id", "pk"))
    move_entries(championship, {driver: divisions[pk] for driver, pk in drivers.items()})


def fingerprint(registrations: Sequence[Registration]) -> str:
    """Return a hash of who stands where, as an organiser saw it."""
    said = sorted((each.pk, each.car_class) for each in registrations)
    return sha256(repr(said).encode()).hexdigest()[:16]


@transaction.atomic
def assign(*, by: User, championship: Championship, divisions: Mapping[int, str], seen: str) -> int:
    """Put registered drivers into divisions, by the id of their registration; "" for none. Entries in rounds to come
    move with them; rounds that have begun stay as they are. Drivers are told. Returns how many have moved. Only
    organisers. `seen`: the fingerprint of what the organiser saw.

    Raises: Refused with the field `division_<id>`: an unknown division, or one with more drivers than places.
    Raises: Stale when somebody has been moved, registered or withdrawn meanwhile, unless all stand there already.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    members = list(championship.registrations.filter(left_at=None).select_related("driver"))
    changed = {
        each.pk: divisions[each.pk] for each in members if divisions.get(each.pk, each.car_class) != each.car_class
    }
    if not changed:
        return 0
    if seen != fingerprint(members):
        raise Stale(_("Somebody has changed the divisions meanwhile. This page shows them as they are now."))
    rules, after = rules_of(championship), {each.pk: changed.get(each.pk, each.car_class) for each in members}
    for pk, name in changed.items():
        if name and name not in championship.divisions:
            raise Refused(_("Choose one of the divisions."), field=f"division_{pk}")
        if name and rules.places and list(after.values()).count(name) > rules.places:
            says = _("%(division)s has %(places)d places.") % {"division": name, "places": rules.places}
            raise Refused(says, field=f"division_{pk}")
    _write(championship, changed)
    look_at_places(championship)
    moved = [each for each in members if each.pk in changed]
    audit.record(
        actor=by,
        action="drivers put into divisions",
        subject=championship,
        club_id=championship.club_id,
        details={
            "championship": championship.name,
            "drivers": [f"{each.driver}: {each.car_class or '–'} → {changed[each.pk] or '–'}" for each in moved],
        },
    )
    tell_divisions(championship, {each.driver: changed[each.pk] for each in moved if changed[each.pk]}, "assigned")
    return len(moved)


def tell_divisions(championship: Championship, divisions: Mapping[User, str], how: str | Mapping[User, str]) -> None:
    """Tell drivers in which division they drive. `how`: "assigned"; or by driver "up", "down", "stays" or "new"."""
    done = {"season": championship.name}
    now = f"{clock.now():%Y%m%dT%H%M%S}"
    enqueue_many(
        [
            Letter(
                recipient=driver,
                kind="your division",
                subject_key=f"championship {championship.pk} division {name} {now}",
                context={**done, "division": name, "how": how if isinstance(how, str) else how[driver]},
                link=reverse("seasons:divisions", args=[championship.key]),
                thread=f"championship {championship.key}",
            )
            for driver, name in divisions.items()
        ]
    )


def in_order(championship: Championship, entry_ids: Sequence[int]) -> list[list[int]]:
    """Return the entries of a round, by id, in groups by division, in the order in which they start; one group where
    the season does not group them. Two queries at most.
    """
    rules = rules_of(championship) if championship.divisions else None
    if rules is None or rules.start_lists == DivisionRules.Lists.MIXED:
        return [list(entry_ids)]
    classes = dict(Entry.objects.filter(pk__in=entry_ids).values_list("pk", "car_class"))
    names = list(championship.divisions)
    if rules.start_lists == DivisionRules.Lists.HIGHEST_LAST:
        names.reverse()
    groups = [[pk for pk in entry_ids if classes.get(pk) == name] for name in names]
    others = [pk for pk in entry_ids if classes.get(pk) not in names]
    return [group for group in (*groups, others) if group]


class DivisionGroups:
    """How the start lists of a season's rounds follow its divisions: `rallies.entries.start_groups.Groups`."""

    def groups(self, rally: Rally, entry_ids: Sequence[int]) -> list[list[int]]:
        """Return the entries in groups, in starting order; one group where they start together. Four queries at most,
        one for a rally that is no round.
        """
        championship = Championship.objects.filter(rounds__rally=rally).first()
        return [list(entry_ids)] if championship is None else in_order(championship, entry_ids)

    def apart(self, rally: Rally) -> bool:
        """Return whether each group drives at tables of its own. One query."""
        return DivisionRules.objects.filter(
            championship__rounds__rally=rally,
            championship__further__has_key="divisions",
            start_lists=DivisionRules.Lists.SPLIT,
        ).exists()
