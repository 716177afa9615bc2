"""Organisers answer who asks to join: one by one, or many at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.join_requests import LONGEST_WORDS
from championship.clubs.models import Club, JoinRequest, Membership, Role
from championship.clubs.services import CannotJoin, ClubClosed, let_in, require_role
from championship.notices.services import Letter, enqueue_many
from championship.refusals import Refused

MANAGERS = (Role.OWNER, Role.ORGANISER)


@dataclass(frozen=True, slots=True)
class LetIn:
    """What came of letting many in. `people`: who is in the club now. `refused`: why each of the others is not, by
    request, which waits as before.
    """

    people: tuple[User, ...]
    refused: Mapping[int, str]


@transaction.atomic
def answer(*, by: User, request: JoinRequest, accept: bool, words: str = "") -> JoinRequest:
    """Let the person in as a driver, or not. Owners and organisers do. An answer given twice changes nothing.

    Raises: Refused where the person cannot join, such as for their name.
    """
    require_role(by, request.club, *MANAGERS)
    locked = JoinRequest.objects.select_for_update(of=("self",)).select_related("club", "person").get(pk=request.pk)
    if locked.accepted is not None:
        return locked
    says = checked_words(words)
    if accept:
        _let_in(by, locked)
        require_role(by, locked.club, *MANAGERS)  # now that the club is locked, nobody loses the role meanwhile
    enqueue_many([_answered(by, locked, accept, says)])
    return locked


@transaction.atomic
def let_in_many(*, by: User, club: Club, chosen: Collection[int]) -> LetIn:
    """Let in as drivers all whose requests are chosen and wait; owners and organisers do.

    A person who cannot join, such as for their name, keeps no other out. A request that has been answered meanwhile,
    that is of another club, or of somebody whose account is closed is passed over: pressing twice lets nobody in twice.

    Raises: Forbidden and Http404 for others, ClubClosed.
    """
    require_role(by, club, *MANAGERS)
    wait = JoinRequest.objects.filter(club=club, pk__in=chosen, accepted=None, person__closed_at=None)
    waiting = list(wait.select_for_update(of=("self",)).select_related("club", "person").order_by("pk"))
    # Joining locks the person, then the club: so all people are locked before the club is.
    people = User.objects.select_for_update(no_key=True).filter(pk__in=[each.person_id for each in waiting])
    here = {person.pk: person for person in people.order_by("pk") if person.closed_at is None}
    letters, entered, refused = [], [], {}
    for each in sorted(waiting, key=lambda each: (each.at, each.pk)):
        if each.person_id not in here:
            continue
        each.person = here[each.person_id]
        try:
            with transaction.atomic():
                _let_in(by, each)
        except ClubClosed:
            raise
        except CannotJoin as refusal:
            refused[each.pk] = refusal.says
        except Refused as refusal:
            refused[each.pk] = str(refusal)
        else:
            letters.append(_answered(by, each, True, ""))
            entered.append(each.person)
    require_role(by, club, *MANAGERS)  # now that the club is locked, nobody loses the role meanwhile
    enqueue_many(letters)
    return LetIn(tuple(entered), refused)


def checked_words(text: str) -> str:
    """A few words of one line.

    Raises: Refused (field words).
    """
    text = text.strip()
    if len(text) > LONGEST_WORDS:
        raise Refused(_("Write at most %d characters.") % LONGEST_WORDS, field="words")
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field="words") from error
    return text


def _let_in(by: User, request: JoinRequest) -> None:
    """Make the person who asks a driver of the club. A person who is a member by now keeps the roles they have."""
    if Membership.objects.filter(club=request.club_id, user=request.person_id).exists():
        return
    roles = [Role.DRIVER.value]
    member = let_in(person=request.person, club=request.club, roles=roles)
    record(actor=by, action="let in", subject=member, club_id=request.club_id, details={"roles": roles})


def _answered(by: User, request: JoinRequest, accept: bool, says: str) -> Letter:
    """The letter of an answer, which is written down."""
    request.accepted, request.answered_at, request.answered_by, request.answer = accept, clock.now(), by, says
    request.save(update_fields=["accepted", "answered_at", "answered_by", "answer"])
    return Letter(
        recipient=request.person,
        kind="request to join answered",
        subject_key=f"join request {request.pk}",
        context={"club": request.club.name, "accepted": accept, "words": says},
        link=request.page or (f"/clubs/{request.club.slug}/" if accept else "/open/"),
    )
