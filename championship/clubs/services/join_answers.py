"""Organisers answer requests to join: one by one, or many at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.join_requests import LONGEST_WORDS
from championship.clubs.models import Club, JoinRequest, Membership, Role
from championship.clubs.services.members import CannotJoin, ClubClosed, add_member, require_role
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused

MANAGERS = (Role.OWNER, Role.ORGANISER)


@dataclass(frozen=True, slots=True)
class AcceptedRequests:
    """The result of accepting many requests. `people`: the new members. `refused`: why each other person cannot join,
    by the id of the request, which stays open.
    """

    people: tuple[User, ...]
    refused: Mapping[int, str]


@transaction.atomic
def answer(*, by: User, request: JoinRequest, accept: bool, words: str = "") -> JoinRequest:
    """Accept the person as a driver, or refuse. Owners and organisers may. A second answer changes nothing.

    Raises: Refused when the person cannot join, for example because of their name.
    """
    require_role(by, request.club, *MANAGERS)
    locked = JoinRequest.objects.select_for_update(of=("self",)).select_related("club", "person").get(pk=request.pk)
    if locked.accepted is not None:
        return locked
    says = checked_words(words)
    if accept:
        _accept(by, locked)
        require_role(by, locked.club, *MANAGERS)  # again: the club is locked now, so nobody can lose the role
    enqueue_many([_record_answer(by, locked, accept, says)])
    return locked


@transaction.atomic
def accept_requests(*, by: User, club: Club, chosen: Collection[int]) -> AcceptedRequests:
    """Accept all chosen requests that are open, as drivers. Owners and organisers may.

    A person who cannot join, for example because of their name, does not keep others out. A request is skipped if it
    was answered meanwhile, belongs to another club, or comes from a closed account: repeating the call accepts nobody
    twice.

    Raises: Forbidden when `by` is another member.
    Raises: Http404 when `by` is no member.
    Raises: ClubClosed when the club is closed.
    """
    require_role(by, club, *MANAGERS)
    wait = JoinRequest.objects.filter(club=club, pk__in=chosen, accepted=None, person__closed_at=None)
    waiting = list(wait.select_for_update(of=("self",)).select_related("club", "person").order_by("pk"))
    # Joining locks the person, then the club. So all people are locked before the club.
    people = User.objects.select_for_update(no_key=True).filter(pk__in=[each.person_id for each in waiting])
    here = {person.pk: person for person in people.order_by("pk") if person.closed_at is None}
    letters, entered, refused = [], [], {}
    for each in sorted(waiting, key=lambda each: (each.at, each.pk)):
        if each.person_id not in here:
            continue
        each.person = here[each.person_id]
        try:
            with transaction.atomic():
                _accept(by, each)
        except ClubClosed:
            raise
        except CannotJoin as refusal:
            refused[each.pk] = refusal.organiser_message
        except Refused as refusal:
            refused[each.pk] = str(refusal)
        else:
            letters.append(_record_answer(by, each, True, ""))
            entered.append(each.person)
    require_role(by, club, *MANAGERS)  # again: the club is locked now, so nobody can lose the role
    enqueue_many(letters)
    return AcceptedRequests(tuple(entered), refused)


def checked_words(text: str) -> str:
    """The text without blanks around it: one line of at most LONGEST_WORDS characters.

    Raises: Refused when it is not (field words).
    """
    text = text.strip()
    if len(text) > LONGEST_WORDS:
        raise Refused(_("Write at most %d characters.") % LONGEST_WORDS, field="words")
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field="words") from error
    return text


def _accept(by: User, request: JoinRequest) -> None:
    """Make the requesting person a driver of the club. A person who has become a member meanwhile keeps their roles."""
    if Membership.objects.filter(club=request.club_id, user=request.person_id).exists():
        return
    roles = [Role.DRIVER.value]
    member = add_member(person=request.person, club=request.club, roles=roles)
    record(actor=by, action="let in", subject=member, club_id=request.club_id, details={"roles": roles})


def _record_answer(by: User, request: JoinRequest, accept: bool, words: str) -> Letter:
    """Store the answer. Returns the letter about it."""
    request.accepted, request.answered_at, request.answered_by, request.answer = accept, clock.now(), by, words
    request.save(update_fields=["accepted", "answered_at", "answered_by", "answer"])
    return Letter(
        recipient=request.person,
        kind="request to join answered",
        subject_key=f"join request {request.pk}",
        context={"club": request.club.name, "accepted": accept, "words": words},
        link=request.page or (f"/clubs/{request.club.slug}/" if accept else "/open/"),
    )
