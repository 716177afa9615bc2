"""The drivers that an open time control waits for."""

from __future__ import annotations

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.notices.models import Notice
from championship.rallies.control.control_cards import AwaitedCard
from championship.rallies.models import Entry, SpecialStage


def missing_cards(stage: SpecialStage) -> QuerySet[Entry]:
    """Entries on the stage's start list whose time-control card is not in."""
    return Entry.objects.filter(start_places__special_stage=stage).exclude(cards__special_stage=stage)


def may_hand_in(entry: Entry) -> bool:
    """Whether time control waits for the entry's card. Not for bots, which decide only turns. A car that the codriver
    drives has a driver who may hand in its card only if that driver handed it over, and during the rally: otherwise
    nobody may be there to do it.
    """
    driver = entry.driver
    if driver.is_bot or entry.driven_by == Entry.DrivenBy.PERSON:
        return not driver.is_bot
    if not driver.is_active:
        return False
    given = entry.crew_changes.filter(driver=None).select_related("special_stage__rally").order_by("at", "pk").last()
    return given is not None and given.by_id == driver.pk and not given.from_the_start


def still_waits(notice: Notice) -> bool:
    """Whether time control still waits for the card that this notice is about."""
    stage = SpecialStage.objects.filter(pk=notice.context["stage_id"], status=SpecialStage.Status.TIME_CONTROL).first()
    return stage is not None and missing_cards(stage).filter(driver=notice.recipient_id).exists()


def cards_waiting_for(driver: User) -> QuerySet[AwaitedCard]:
    """The cards that an open time control waits for and that this driver hands in, earliest deadline first. One query,
    with stage, rally and club.
    """
    return (
        AwaitedCard.objects.filter(
            ended_at=None,
            special_stage__status=SpecialStage.Status.TIME_CONTROL,
            entry__driver=driver,
        )
        .select_related("special_stage__rally__club")
        .order_by("deadline", "pk")
    )
