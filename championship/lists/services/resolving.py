"""Whom the names of a draft mean: what is sure, what somebody must say, and what was said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.names_only import is_name_only, new_name, usable
from championship.clubs.models import Club, Membership, Role
from championship.clubs.services import require_role
from championship.lists.found import FoundEntries, FoundPerson, FoundSeason
from championship.lists.found_json import of_json
from championship.lists.models import Alias, ListImport
from championship.lists.services.people import names_of
from championship.lists.who import NOBODY, SAID, Known, Match, People, key_of
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Entry

NAME, INVITE, OUT = "name", "invite", "out"
"""Answers: keep as a name without an account; invite by mail; leave out. Any other answer is the id of a person."""
RESULTS, MEMBERS = "results", "members"


@dataclass(frozen=True, slots=True)
class Question:
    """A name of the list with the answers that are possible: value and label. `answer`: the given one, else the one
    that is offered, "" where somebody must choose. `open`: nobody has answered yet.
    """

    match: Match
    choices: Sequence[tuple[str, str]]
    answer: str
    open: bool

    @property
    def key(self) -> str:
        """The key of the name, fit for a form."""
        return self.match.key


@dataclass(frozen=True)
class Resolved:
    """The people of a draft. `people` are the accounts and names of the club by id."""

    draft: ListImport
    found: FoundEntries | FoundSeason
    matches: Sequence[Match]
    people: Mapping[int, User]
    known: Mapping[int, Known]
    answers: Mapping[str, str]

    @cached_property
    def new_names(self) -> dict[str, User]:
        """The names that become people without an account, by key; not saved yet. Equal names are one person."""
        by_name: dict[str, User] = {}
        found = {}
        for match in self.matches:
            name = usable(match.name)
            if name and self.meant(match) in (NAME, INVITE) and self.draft.purpose == RESULTS:
                found[match.key] = by_name.setdefault(name.casefold(), new_name(name))
        return found

    def meant(self, match: Match) -> str:
        """Return the answer for a name: the given one, else the sure one; "" while it is open."""
        given = self.answers.get(match.key, "")
        if given in (NAME, INVITE, OUT) or (given.isdecimal() and int(given) in self.people):
            return given
        return str(match.sure) if match.sure is not None else ""

    @cached_property
    def by_key(self) -> dict[str, User | None]:
        """The person whom each name means, by key; None for a name that is left out."""
        found: dict[str, User | None] = dict(self.new_names)
        for match in self.matches:
            said = self.meant(match)
            if match.key not in found:
                found[match.key] = self.people[int(said)] if said.isdecimal() else None
        return found

    def person(self, found: FoundPerson) -> User | None:
        """Return the person of a line; None when the line is left out."""
        return self.by_key.get(key_of(found))

    @cached_property
    def questions(self) -> list[Question]:
        """All names of the list: those that nobody has answered first."""
        asked = [self._question(match) for match in self.matches]
        return sorted(asked, key=lambda each: (not each.open, each.match.sure is not None))

    @property
    def unanswered(self) -> list[Question]:
        """The names that somebody must still say something about."""
        return [each for each in self.questions if each.open]

    def _question(self, match: Match) -> Question:
        said = self.meant(match)
        near = dict.fromkeys(([match.sure] if match.sure is not None else []) + list(match.near))
        choices = [(str(pk), _label(self.people[pk], self.known[pk])) for pk in near]
        rest = self._rest(match)
        if said.isdecimal() and int(said) not in near:
            choices.append((said, _label(self.people[int(said)], self.known[int(said)])))
        offered = str(match.likely) if match.likely is not None else ""
        if not offered and match.why == NOBODY:
            offered = rest[0][0]
        return Question(match, [*choices, *rest], said or offered, not said)

    def _rest(self, match: Match) -> list[tuple[str, str]]:
        invite = [(INVITE, _("Invite %(mail)s") % {"mail": match.mail})] if match.mail else []
        if self.draft.purpose == RESULTS:
            invite = [(INVITE, _("Keep as a name, and invite %(mail)s") % {"mail": match.mail})] if match.mail else []
            keep = [(NAME, _("Somebody else: keep as a name")), *invite] if usable(match.name) else []
            return [*keep, (OUT, _("Leave out"))]
        return [*invite, (OUT, _("Leave out"))]

    @property
    def others(self) -> list[tuple[str, str]]:
        """All people of the club who may be meant, for a name that is near none of them: id and label."""
        return [(str(pk), _label(person, self.known[pk])) for pk, person in self.people.items()]


def _label(person: User, known: Known) -> str:
    if known.member:
        return person.name
    return _("%(name)s (not a member)") % {"name": person.name}


def persons_of(found: FoundEntries | FoundSeason) -> Iterable[FoundPerson]:
    """Return the people of a list, line by line."""
    if isinstance(found, FoundEntries):
        yield from found.persons
        return
    for each in found.rounds:
        yield from (result.person for result in each.results)
    yield from (total.person for total in found.totals)


def known_people(club: Club) -> tuple[dict[int, User], list[Known]]:
    """Return the people of a club by id, members first, and what is known of their names. Four queries."""
    said: dict[int, list[str]] = defaultdict(list)
    for person_id, form in Alias.objects.filter(club=club).values_list("person_id", "form"):
        said[person_id].append(form)
    roles = {
        membership.user_id: membership for membership in Membership.objects.filter(club=club).select_related("user")
    }
    people = {pk: membership.user for pk, membership in roles.items()}
    people |= {person.pk: person for person in names_of(club)}
    earlier = User.objects.filter(pk__in=Entry.objects.filter(rally__club=club).values("driver"), is_active=True)
    people |= {person.pk: person for person in earlier.exclude(pk__in=people)}
    known = [
        Known(
            pk=pk,
            name=person.name,
            mail="" if is_name_only(person) or pk not in roles else person.email,
            member=pk in roles,
            driver=pk in roles and Role.DRIVER in roles[pk].roles,
            said=tuple(said.get(pk, ())),
        )
        for pk, person in people.items()
    ]
    return people, known


def resolved(draft: ListImport) -> Resolved:
    """Return the people of a draft with what was said about them. Four queries."""
    found = of_json(draft.found)
    people, known = known_people(draft.club)
    matches = People(known).matches(persons_of(found))
    return Resolved(draft, found, matches, people, {each.pk: each for each in known}, draft.answers.get("people", {}))


@transaction.atomic
def say_who(*, by: User, draft: ListImport, version: int, said: Mapping[str, str]) -> ListImport:
    """Keep what somebody says about the names of a draft: answers by key. Names without an answer keep theirs.

    Raises: Stale when the draft has changed since, or is imported already.
    Raises: Refused when an answer is none of the possible ones.
    """
    draft = locked_draft(by, draft, version)
    now = resolved(draft)
    possible = {each.key: {value for value, _label in each.choices} for each in now.questions}
    for key, answer in said.items():
        if answer not in possible.get(key, ()) and whole_number(answer) not in now.people:
            raise Refused(_("Choose one of the answers."), field=f"who-{key}")
    draft.answers = {**draft.answers, "people": {**draft.answers.get("people", {}), **said}}
    draft.version += 1
    draft.save(update_fields=["answers", "version"])
    return draft


def locked_draft(by: User, draft: ListImport, version: int) -> ListImport:
    """Lock a draft and return it. Only organisers.

    Raises: Stale when it is imported already, or has another version.
    """
    require_role(by, draft.club, Role.ORGANISER)
    found = ListImport.objects.select_for_update(of=("self",)).select_related("club").filter(pk=draft.pk).first()
    if found is None or found.state != ListImport.State.DRAFT:
        raise Stale(_("This list is imported already, or was thrown away."))
    if found.version != version:
        raise Stale(_("Somebody has answered about this list in the meantime: look at it again."))
    return found


def to_remember(now: Resolved) -> tuple[dict[str, int], dict[str, str]]:
    """Return whom the club means by names that it was asked about, and the addresses of people who are invited, by
    name. People who are not saved are left out.
    """
    meant, mails = {}, {}
    for match in now.matches:
        person = now.by_key[match.key]
        if person is None or person.pk is None or not match.name:
            continue
        asked = match.key in now.answers or match.why == SAID
        if asked and (match.name != person.name or match.key in now.new_names):
            meant[match.name] = person.pk
        if now.meant(match) == INVITE and match.key in now.new_names:
            mails[match.name] = match.mail
    return meant, mails
