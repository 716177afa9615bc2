"""Delete a rally or a championship that was created by mistake and in which nobody has driven.

Results are permanent: a rally that was driven is cancelled, not deleted. The audit log keeps what was deleted, and by
whom.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import ProtectedError
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.platform.refusals import Refused, Stale
from championship.rallies.locks import locked_rally_for_organiser
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run
from championship.seasons.models import Championship, Round
from championship.seasons.services import renumber_rounds


def require_typed(typed: str, name: str) -> None:
    """Check that the text typed to confirm is the name.

    Raises: Refused (field name) when it is not.
    """
    if comparable_name(typed) != comparable_name(name):
        raise Refused(_("Type the name to delete it: %(name)s.") % {"name": name}, field="name")


def why_not(rally: Rally, by: User) -> str:
    """Return why a rally cannot be deleted; empty when it can. Four queries at most."""
    if rally.status in (Rally.Status.RUNNING, Rally.Status.FINISHED):
        return rally.words.fill(_("This [event] was driven or is under way, so its results stay. Cancel it instead."))
    if Run.objects.filter(special_stage__rally=rally).exists():
        return rally.words.fill(_("[Stages] of this [event] were driven, so its results stay."))
    others = rally.entries.filter(status__in=Entry.Status.entered()).exclude(driver=by)
    if rally.status == Rally.Status.ENTRIES and others.exists():
        return _(
            "Somebody has entered. First cancel the rally and give a reason: the entrants are notified. Then delete it."
        )
    if rally.messages.exists():
        return _("The entrants got messages, so the rally stays, as cancelled.")
    return ""


def why_not_season(rallies: Iterable[Rally]) -> str:
    """Return why a championship of these rallies cannot be deleted; empty when it can."""
    driven = next((each for each in rallies if each.status in (Rally.Status.RUNNING, Rally.Status.FINISHED)), None)
    if driven is None:
        return ""
    return _("%(rally)s was driven or is under way, so the championship stays.") % {"rally": driven.name}


@transaction.atomic
def delete_rally(*, by: User, rally: Rally, typed: str) -> None:
    """Delete a rally that nobody has driven, with its entries. If it is a round, the round is deleted too, and the
    rounds behind it move up. Only organisers. `typed`: its name, to confirm.

    Raises: Refused when the name is wrong, or something was driven, or somebody has entered and was not notified.
    Raises: Stale when it became a round, or stopped being one, meanwhile.
    Raises: Http404 when it was deleted already.
    """
    if not Rally.objects.filter(pk=rally.pk).exists():
        raise Http404
    round_of_it = Round.objects.filter(rally=rally.pk).select_related("championship").first()
    if round_of_it is not None:  # championships are locked before rallies
        Championship.objects.select_for_update(of=("self",)).get(pk=round_of_it.championship_id)
    rally = locked_rally_for_organiser(by, rally.pk)
    of_it = Round.objects.filter(rally=rally.pk).values_list("championship", flat=True).first()
    if of_it != (round_of_it and round_of_it.championship_id):
        raise Stale(_("This rally has become a round of another championship. Look at it once more."))
    require_typed(typed, rally.name)
    refused = why_not(rally, by)
    if refused:
        raise Refused(refused)
    _delete(by, rally)


def _delete(by: User, rally: Rally) -> None:
    """Delete a rally. It must be locked, and so must its championship where it has one."""
    for each in Round.objects.filter(rally=rally).select_related("championship"):
        championship = each.championship
        each.delete()
        renumber_rounds(championship)
    details = {"rally": rally.name}
    audit.record(actor=by, action="rally deleted", subject=rally, club_id=rally.club_id, details=details)
    try:
        rally.delete()
    except ProtectedError as error:
        raise Refused(_("Officials have taken decisions in this rally, so it stays.")) from error


@transaction.atomic
def delete_championship(*, by: User, championship: Championship, typed: str, rallies_too: bool) -> None:
    """Delete a championship in which nothing was driven, with its teams and registrations. Its rallies stay rallies of
    the club, or are deleted too. Only organisers. `typed`: its name, to confirm.

    Raises: Refused when the name is wrong, a round was driven, or a rally cannot be deleted; then nothing is deleted.
    Raises: Http404 when it was deleted already.
    """
    held = Championship.objects.select_for_update(of=("self",)).select_related("club")
    found = held.filter(pk=championship.pk).first()
    if found is None:
        raise Http404
    require_role(by, found.club, Role.ORGANISER)
    require_typed(typed, found.name)
    rallies = [
        locked_rally_for_organiser(by, pk) for pk in found.rounds.order_by("rally").values_list("rally", flat=True)
    ]
    refused = why_not_season(rallies)
    if refused:
        raise Refused(refused)
    found.rounds.all().delete()
    for each in rallies if rallies_too else ():
        refused = why_not(each, by)
        if refused:
            raise Refused(f"{each.name}: {refused}", field="rallies_too")
        _delete(by, each)
    details = {"championship": found.name, "rallies": [each.name for each in rallies] if rallies_too else []}
    audit.record(actor=by, action="championship deleted", subject=found, club_id=found.club_id, details=details)
    found.delete()
