"""Free places in divisions: they are offered to the reserves, the first of the list first, each with a time to answer.
The season's clock does it; organisers do the same by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.core import signing
from django.db import transaction
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.notices.models import Notice
from championship.notices.services import enqueue
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Rally
from championship.seasons.divisions.services import rules_of
from championship.seasons.models import Championship, DivisionRules, PlaceOffer, Registration, Reserve
from championship.seasons.services import locked
from championship.seasons.services.registering import look_at_places, move_entries

SALT = "championship.seasons.place_offer"
OVER = (Rally.Status.FINISHED, Rally.Status.CANCELLED)
State = PlaceOffer.State
NEVER = datetime.min.replace(tzinfo=UTC)


def is_over(championship: Championship) -> bool:
    """Return whether the season has rounds and all of them are over. One query."""
    statuses = set(championship.rounds.values_list("rally__status", flat=True))
    return Rally.Status.FINISHED in statuses and statuses <= set(OVER)


def free_places(championship: Championship, rules: DivisionRules) -> dict[str, int]:
    """Return how many places of each division are free and not offered to anybody; empty where divisions take any
    number of drivers. Two queries at most.
    """
    if not rules.places or not championship.divisions:
        return {}
    taken = Counter(championship.registrations.filter(left_at=None).values_list("car_class", flat=True))
    taken.update(championship.place_offers.filter(state=State.OPEN).values_list("division", flat=True))
    return {name: max(0, rules.places - taken[name]) for name in championship.divisions}


@transaction.atomic
def offer_now(*, by: User, championship: Championship) -> int:
    """End the offers whose time is over, and offer the free places to the next reserves: nobody is offered a division
    twice, except who has left the list and joined it again. Returns how many are offered. Only organisers.

    Raises: Refused when the season is over, or its divisions have no number of places.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    if is_over(championship):
        raise Refused(_("The season is over: make the next one, and offer places there."))
    if not rules_of(championship).places:
        raise Refused(_("First say how many places a division has."))
    return _offer(championship, clock.now(), by)


@transaction.atomic
def offer_by_clock(championship_id: int, *, now: datetime) -> int:
    """Do the same for the clock, in a season that is not over. Returns how many are offered."""
    championship = (
        Championship.objects.select_for_update(of=("self",)).select_related("club").filter(pk=championship_id).first()
    )
    if championship is None or not championship.divisions or is_over(championship):
        return 0
    return _offer(championship, now, None)


def _offer(championship: Championship, now: datetime, by: User | None) -> int:
    _lapse(championship, now)
    rules = rules_of(championship)
    free = free_places(championship, rules)
    if not any(free.values()):
        return 0
    asked = set(championship.place_offers.filter(state=State.OPEN).values_list("driver_id", flat=True))
    known = {
        (driver, name): at
        for driver, name, at in championship.place_offers.order_by("offered_at").values_list(
            "driver_id", "division", "offered_at"
        )
    }
    reserves = list(championship.reserves.select_related("driver").order_by("position", "pk"))
    made = 0
    for name, count in free.items():
        wanting = [
            each
            for each in reserves
            if each.division in ("", name)
            and each.driver_id not in asked
            and not each.created_at <= known.get((each.driver_id, name), NEVER)
        ]
        for reserve in wanting[:count]:
            _make_offer(championship, rules, reserve, name, now, by)
            asked.add(reserve.driver_id)
            made += 1
    return made


def _make_offer(
    championship: Championship, rules: DivisionRules, reserve: Reserve, division: str, now: datetime, by: User | None
) -> None:
    offer = PlaceOffer.objects.create(
        championship=championship,
        driver=reserve.driver,
        division=division,
        offered_at=now,
        answer_by=now + timedelta(hours=rules.answer_hours),
        by=by,
    )
    _log(by, offer, "place offered")
    _tell(offer, "place offered", reverse("seasons:place_offer", args=[token_for(offer)]))


def _tell(offer: PlaceOffer, kind: str, link: str) -> None:
    championship = offer.championship
    enqueue(
        recipient=offer.driver,
        kind=kind,
        subject_key=f"place offer {offer.pk}",
        context={
            "season": championship.name,
            "division": offer.division,
            "until": offer.answer_by,
            "offer": offer.pk,
        },
        link=link,
        thread=f"championship {championship.key}",
    )


def _lapse(championship: Championship, now: datetime) -> None:
    late = championship.place_offers.filter(state=State.OPEN, answer_by__lte=now).select_related("driver")
    for offer in late:
        offer.championship = championship
        offer.state, offer.answered_at = State.LAPSED, now
        offer.save(update_fields=["state", "answered_at"])
        _log(None, offer, "place offer over")
        _tell(offer, "place gone", reverse("seasons:reserves", args=[championship.key]))


def offers_to_come(championship_id: int) -> list[datetime]:
    """Return when the open offers of a season end. One query."""
    found = PlaceOffer.objects.filter(championship=championship_id, state=State.OPEN)
    return list(found.values_list("answer_by", flat=True))


@transaction.atomic
def answer(*, offer: PlaceOffer, accept: bool, by: User | None = None) -> PlaceOffer:
    """Take the answer to an offer: who accepts is registered in the division, and leaves the list. The place of who
    declines is offered on. The same answer again changes nothing. `by`: an organiser who answers for the driver.

    Raises: Refused when the time is over, or the driver has left the club.
    Raises: Stale when the offer was answered otherwise or taken back.
    """
    championship = locked(offer.championship)
    if by is not None and by.pk != offer.driver_id:
        require_role(by, championship.club, Role.ORGANISER)
    refuse_if_closed(championship.club)
    offer = PlaceOffer.objects.select_related("driver").get(pk=offer.pk)
    offer.championship = championship
    wanted = State.ACCEPTED if accept else State.DECLINED
    if offer.state == wanted:
        return offer
    now = clock.now()
    if offer.state == State.LAPSED or (offer.state == State.OPEN and offer.answer_by <= now):
        raise Refused(_("The time to answer is over; the place goes to the next reserve."))
    if offer.state != State.OPEN:
        raise Stale(_("This offer does not stand any more."))
    if accept:
        _take_place(championship, offer)
    offer.state, offer.answered_at = wanted, now
    offer.save(update_fields=["state", "answered_at"])
    _log(by or offer.driver, offer, "place accepted" if accept else "place declined")
    look_at_places(championship)
    return offer


def _take_place(championship: Championship, offer: PlaceOffer) -> None:
    """Register the driver of an offer in its division."""
    if not championship.club.memberships.filter(user=offer.driver, roles__contains=[Role.DRIVER]).exists():
        raise Refused(_("%(name)s is not a driver of this club.") % {"name": offer.driver})
    reserve = championship.reserves.filter(driver=offer.driver).first()
    member = championship.registrations.filter(driver=offer.driver).first()
    member = member or Registration(championship=championship, driver=offer.driver)
    member.crew = reserve.crew if reserve is not None else member.crew or str(offer.driver)[:80]
    member.car_class, member.left_at = offer.division, None
    member.save()
    move_entries(championship, {offer.driver_id: offer.division})
    championship.reserves.filter(driver=offer.driver).delete()


@transaction.atomic
def take_back(*, by: User, offer: PlaceOffer) -> None:
    """Take an open offer back; the place is free again. Only organisers. Does nothing when it is answered already."""
    require_role(by, offer.championship.club, Role.ORGANISER)
    championship = locked(offer.championship)
    open_now = championship.place_offers.filter(pk=offer.pk, state=State.OPEN)
    if open_now.update(state=State.TAKEN_BACK, answered_at=clock.now()):
        _log(by, offer, "place offer taken back")
        _tell(offer, "place gone", reverse("seasons:reserves", args=[championship.key]))
        look_at_places(championship)


def token_for(offer: PlaceOffer) -> str:
    """Return the signed part of the address at which a reserve answers an offer without signing in."""
    return signing.dumps([offer.pk, offer.driver_id], salt=SALT)


def offer_of(token: str) -> PlaceOffer:
    """Return the offer of a token.

    Raises: Http404 when the signature is not ours, or there is no such offer any more.
    """
    try:
        pk, driver = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise Http404 from None
    found = PlaceOffer.objects.select_related("championship__club", "driver").filter(pk=pk, driver_id=driver).first()
    if found is None:
        raise Http404
    return found


def offer_stands(notice: Notice) -> bool:
    """Whether the offer of a notice still waits for an answer."""
    return PlaceOffer.objects.filter(pk=notice.context["offer"], state=State.OPEN).exists()


def _log(by: User | None, offer: PlaceOffer, action: str) -> None:
    details: Mapping[str, object] = {
        "championship": offer.championship.name,
        "driver": str(offer.driver),
        "division": offer.division,
    }
    audit.record(
        actor=by, action=action, subject=offer.championship, club_id=offer.championship.club_id, details=details
    )
