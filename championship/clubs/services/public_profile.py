"""Writes and reads about a club's public side: its visibility, its description, and requests to join, which organisers
answer one by one, or many at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.utils.html import format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.join_requests import LONGEST_WORDS
from championship.clubs.models import LONGEST_ABOUT, Ban, Club, JoinRequest, Membership, Role
from championship.clubs.services import CannotJoin, ClubClosed, add_member, checked_name, refuse_if_closed, require_role
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused

MANAGERS = (Role.OWNER, Role.ORGANISER)
MOST_LINKS = 4
"""The most links that a club shows."""
WEB = re.compile(r"https?://", re.IGNORECASE)
_ADDRESS = URLValidator(schemes=["http", "https"])
AGAIN_AFTER_DAYS = 7
"""After this many days, a person who was refused may ask again."""


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


@transaction.atomic
def change_profile(
    *,
    by: User,
    club: Club,
    name: str,
    visibility: str,
    about: str = "",
    house_rules: str = "",
    takes_requests: bool,
    links: str = "",
    colour: int | None = None,
) -> Club:
    """Change a club's name, visibility, description, house rules, and whether it takes requests. Owners and organisers
    may.

    Raises: Refused when a field is not valid. The exception names the field.
    Raises: Forbidden when `by` is another member.
    Raises: Http404 when `by` is no member.
    """
    locked = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    require_role(by, locked, Role.OWNER, Role.ORGANISER)
    before = {"name": locked.name, "visibility": locked.visibility}
    if visibility not in Club.Visibility.values:
        raise Refused(_("Choose who may see the club."), field="visibility")
    for field, text in (("about", about), ("house_rules", house_rules)):
        if len(text) > LONGEST_ABOUT or "\x00" in text:
            raise Refused(_("Write at most %d characters.") % LONGEST_ABOUT, field=field)
    locked.name, locked.visibility = checked_name(name), visibility
    locked.about, locked.house_rules, locked.takes_requests = about.strip(), house_rules.strip(), takes_requests
    locked.links, locked.colour = "\n".join(checked_links(links)), colour
    changed = ("name", "visibility", "about", "house_rules", "takes_requests", "links", "colour")
    locked.save(update_fields=changed)
    after = {"name": locked.name, "visibility": locked.visibility}
    record(
        actor=by, action="club changed", subject=locked, club_id=locked.pk, details={"before": before, "after": after}
    )
    return locked


def may_request_to_join(person: User, club: Club) -> bool:
    """Whether the person may ask to join: at most two queries."""
    if not club.takes_requests or club.closed_at is not None or person.is_bot:
        return False
    if Membership.objects.filter(club=club, user=person).exists():
        return False
    return not Ban.objects.filter(club=club, person=person, lifted_at=None).exists()


def open_request(person: User, club: Club) -> JoinRequest | None:
    """The person's open request to join the club, if any: one query."""
    return JoinRequest.objects.filter(club=club, person=person, accepted=None).first()


@transaction.atomic
def request_to_join(*, by: User, club: Club, words: str = "", page: str = "") -> JoinRequest:
    """Ask to join. Asking again while a request is open changes nothing. `page` is the page to return to afterwards.

    Raises: Refused when the words are not valid (field words), the club takes no requests from this person, or the last
    refusal was less than AGAIN_AFTER_DAYS ago.
    """
    if not may_request_to_join(by, club):
        raise Refused(_("%s does not accept requests from you. Ask an organiser for an invitation.") % club)
    refuse_if_closed(Club.objects.select_for_update(no_key=True).get(pk=club.pk))
    waiting = open_request(by, club)
    if waiting is not None:
        return waiting
    last = JoinRequest.objects.filter(club=club, person=by, accepted=False).order_by("-answered_at").first()
    if last is not None and last.answered_at and (clock.now() - last.answered_at).days < AGAIN_AFTER_DAYS:
        raise Refused(_("The club refused you a short while ago: %s") % (last.answer or "–"))
    safe = url_has_allowed_host_and_scheme(page, allowed_hosts=None)
    made = JoinRequest.objects.create(
        club=club, person=by, words=checked_words(words), page=page[:300] if safe else "", at=clock.now()
    )
    told = {"club": club.name, "name": by.name, "words": made.words}
    link = f"/clubs/{club.slug}/requests/"
    enqueue_many(
        [Letter(each, "somebody asks to join", f"join request {made.pk}", told, link) for each in _organisers(club)]
    )
    return made


def requests_of(club: Club) -> QuerySet[JoinRequest]:
    """Open requests to join, oldest first: one query."""
    return JoinRequest.objects.filter(club=club, accepted=None, person__closed_at=None).select_related("person")


def checked_links(text: str) -> list[str]:
    """Return the addresses in a text, one a line.

    Raises: Refused with the field `links` for more than MOST_LINKS, and for one that is no address of the web.
    """
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if len(found) > MOST_LINKS:
        raise Refused(_("At most %(n)d links.") % {"n": MOST_LINKS}, field="links")
    for link in found:
        try:
            _ADDRESS(link)
        except ValidationError:
            said = _("“%(link)s” is no address of the web. Write it as in https://example.org.")
            raise Refused(said % {"link": link[:60]}, field="links") from None
    return found


def shown_links(club: Club) -> SafeString:
    """Return the club's links as items of a list. An address that is none of the web, as an archive may bring, is left
    out. Search engines do not follow them.
    """
    lines = [line for line in club.links.splitlines() if WEB.match(line)][:MOST_LINKS]
    item = '<li><a href="{}" rel="nofollow noopener">{}</a></li>'
    return format_html_join("", item, ((line, WEB.sub("", line).rstrip("/")) for line in lines))


def public_clubs() -> QuerySet[Club]:
    """Clubs that are public and not closed, by name, with `member_count`: one query."""
    shown = Club.objects.filter(visibility=Club.Visibility.PUBLIC, closed_at=None)
    return shown.annotate(member_count=Count("memberships", filter=Q(memberships__user__closed_at=None)))


def public_club(slug: str) -> Club:
    """The public club with that slug: one query.

    Raises: Http404 when there is none.
    """
    club = Club.objects.filter(slug=slug, visibility=Club.Visibility.PUBLIC).first()
    if club is None:
        raise Http404
    return club


def _organisers(club: Club) -> QuerySet[User]:
    ids = Membership.objects.filter(club=club, roles__contains=[Role.ORGANISER]).values("user")
    return User.objects.filter(pk__in=ids, is_active=True, closed_at=None)
