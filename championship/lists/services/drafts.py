"""A list that was read becomes a draft of an import. It stays until it is imported, thrown away, or a month old."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.failures.batches import by_batches
from championship.lists.found import FoundEntries, FoundSeason
from championship.lists.found_json import as_json
from championship.lists.models import ListDraft, ListImport
from championship.platform import clock
from championship.rallies.models import Rally
from championship.seasons.models import Championship

KEPT = timedelta(days=30)
"""How long a draft waits for its organiser."""
MOST_DRAFTS = 50
"""Drafts of a person in a club. The oldest ones go."""


@transaction.atomic
def begin(
    *,
    by: User,
    club: Club,
    kind: str,
    found: FoundEntries | FoundSeason,
    championship: Championship | None = None,
    rally: Rally | None = None,
    source: str = "",
) -> ListImport:
    """Keep what a list says as a draft, in place of an earlier draft of the same person for the same thing. Only
    organisers. `kind`: entries (of the rally), registrations or results (of the championship), members. `source`: the
    name of the file.
    """
    require_role(by, club, Role.ORGANISER)
    refuse_if_closed(club)
    about = championship or rally
    target = about.key if about is not None else ""
    drafts = ListImport.objects.filter(state=ListImport.State.DRAFT)
    drafts.filter(club=club, by=by, purpose=kind, target=target).delete()
    drafts.filter(club=club, at__lt=clock.now() - KEPT).delete()
    mine = drafts.filter(club=club, by=by).order_by("-at", "-pk").values_list("pk", flat=True)
    drafts.filter(pk__in=list(mine[MOST_DRAFTS - 1 :])).delete()
    return ListImport.objects.create(
        club=club,
        by=by,
        purpose=kind,
        target=target,
        about=about.name if about is not None else club.name,
        file_name=source[:120],
        found=as_json(found),
    )


@transaction.atomic
def throw_away(*, by: User, draft: ListImport) -> None:
    """Delete a draft. Nothing of it was imported."""
    require_role(by, draft.club, Role.ORGANISER)
    ListImport.objects.filter(pk=draft.pk, state=ListImport.State.DRAFT).delete()


def delete_old_drafts(before: object) -> int:
    """Delete the drafts of lists that nobody has changed since that moment. Returns their number."""
    return by_batches(ListDraft.objects.filter(updated_at__lt=before))
