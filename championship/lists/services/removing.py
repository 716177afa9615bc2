"""Removes one imported round. A whole import is undone (`undoing.py`)."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.platform.refusals import Stale
from championship.rallies.services import remove_imported_rally
from championship.seasons.models import Championship, Round
from championship.seasons.services import renumber_rounds


@transaction.atomic
def delete_imported_round(*, by: User, round: Round) -> None:
    """Delete an imported round with its rally; later rounds move up. Only organisers.

    Raises: Refused when the round was driven here, or when officials have dealt with it.
    Raises: Stale when the round was deleted already.
    """
    championship = Championship.objects.select_for_update(of=("self",)).get(pk=round.championship_id)
    require_role(by, championship.club, Role.ORGANISER)
    found = championship.rounds.select_related("rally").filter(pk=round.pk).first()
    if found is None:
        raise Stale(_("This round is removed already."))
    found.delete()
    remove_imported_rally(by=by, rally=found.rally)
    renumber_rounds(championship)
