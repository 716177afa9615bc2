"""Appeals against points that officials gave or took by hand in a season."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.audit import services as audit
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.locks import locked_rally_in_open_club
from championship.rallies.models import Entry, Rally
from championship.seasons.impartial_points import drivers_of_team
from championship.seasons.models import Adjustment
from championship.seasons.services.adjusting import withdraw_points
from championship.stewards.models import Decision, Protest
from championship.stewards.services import LONGEST_TEXT, decide, notify_of_protest
from championship.stewards.services.terms import terms_of

DRIVEN = (Rally.Status.RUNNING, Rally.Status.FINISHED)


def _concerns(adjustment: Adjustment, person: User) -> bool:
    if adjustment.team is not None:
        return person.pk in drivers_of_team(adjustment.team)
    return adjustment.driver_id == person.pk


def entry_for_appeal(adjustment: Adjustment, person: User) -> Entry | None:
    """Return the entry with which a person appeals: in the round that the points belong to, else in the latest round
    that the person has driven; None where there is none. One query.
    """
    entries = Entry.objects.filter(
        rally__round__championship=adjustment.championship_id,
        rally__status__in=DRIVEN,
        driver=person,
        status=Entry.Status.CONFIRMED,
    ).select_related("rally__round", "driver")
    found = list(entries.order_by("-rally__round__number"))
    return next((each for each in found if each.rally.round.pk == adjustment.round_id), found[0] if found else None)


@transaction.atomic
def appeal_points(*, by: User, adjustment: Adjustment, text: str) -> Protest:
    """File an appeal against points by hand: the driver, or one of the team, does not accept them. Possible once,
    within the hours to appeal of the rally in which it is heard (entry_for_appeal). Stewards other than the author
    judge it, where there are any (`allow_appeal`).

    Raises: Forbidden when the points do not concern the person, or the person is a bot.
    Raises: Stale when there is an appeal already, or the points are withdrawn.
    Raises: Refused after the hours to appeal, and for who has driven in no round.
    """
    entry = entry_for_appeal(adjustment, by)
    if not _concerns(adjustment, by) or by.is_bot:
        raise Forbidden(_("You can appeal only against points that concern you."))
    if entry is None:
        raise Refused(_("You have driven in no round of this season yet. Write to the officials."))
    rally = locked_rally_in_open_club(entry.rally_id)
    adjustment = Adjustment.objects.select_for_update(of=("self",)).get(pk=adjustment.pk)
    if Protest.objects.filter(adjustment=adjustment).exists():
        raise Stale(_("There is an appeal against these points already."))
    if adjustment.lifted_at is not None:
        raise Stale(_("These points are withdrawn already."))
    hours = terms_of(rally).appeal_hours
    if clock.now() > adjustment.at + timedelta(hours=hours):
        message = ngettext(
            "You can appeal for %(hours)d hour; that time is over.",
            "You can appeal for %(hours)d hours; that time is over.",
            hours,
        )
        raise Refused(message % {"hours": hours})
    text = text.replace("\x00", "").strip()
    if not text or len(text) > LONGEST_TEXT:
        raise Refused(_("Say what it is about, in at most %(n)d characters.") % {"n": LONGEST_TEXT}, field="text")
    protest = Protest.objects.create(rally=rally, by=entry, text=text, adjustment=adjustment)
    notify_of_protest(protest)
    audit.record(
        actor=by,
        action="protest filed",
        subject=protest,
        club_id=rally.club_id,
        details={"rally": rally.name, "entry": str(entry), "reason": adjustment.reason},
    )
    return protest


@transaction.atomic
def allow_appeal(*, by: User, protest: Protest, **decision: Any) -> Decision:
    """Allow an appeal against points by hand: the points are withdrawn, and the decision says why. `decision`: what
    `decide` takes. The same again does nothing more.

    Raises: what `withdraw_points` and `decide` raise; then nothing is changed.
    """
    assert protest.adjustment is not None
    withdraw_points(by=by, adjustment=protest.adjustment)  # championships are locked before rallies
    return decide(by=by, protest=protest, **decision)
