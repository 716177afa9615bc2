"""What a list is for: the rally, the championship or the club to which it is brought, for an organiser."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.clubs.selectors import membership_of
from championship.clubs.services import require_role
from championship.lists.models import ListDraft
from championship.rallies.models import Rally
from championship.rallies.selectors import rally_by_key
from championship.seasons.models import Championship
from championship.seasons.selectors import championship_by_key

Purpose = ListDraft.Purpose


@dataclass(frozen=True, slots=True)
class Target:
    """What a list is for. `about`: the name of the thing. `key`: its key, "" for the club. `back`: the page of it."""

    purpose: str
    club: Club
    about: str
    key: str
    back: str
    back_label: str
    rally: Rally | None = None
    championship: Championship | None = None

    @property
    def title(self) -> str:
        """The title of its pages."""
        return {
            Purpose.ENTRIES: _("Entries from a list"),
            Purpose.REGISTRATIONS: _("Registrations from a list"),
            Purpose.MEMBERS: _("Members from a list"),
            Purpose.RESULTS: _("Past results from a list"),
        }[Purpose(self.purpose)]

    @property
    def upload_url(self) -> str:
        """The page on which such a list is brought."""
        if self.rally is not None:
            return reverse("lists:rally_entries", args=[self.key])
        if self.championship is not None:
            past = self.purpose == Purpose.RESULTS
            return reverse("lists:past" if past else "lists:registrations", args=[self.key])
        return reverse("lists:members", args=[self.club.slug])

    @property
    def crumbs(self) -> list[tuple[str, str | None]]:
        """The way to its pages."""
        club = (self.club.name, reverse("clubs:club", args=[self.club.slug]))
        middle = [] if self.purpose == Purpose.MEMBERS else [(self.back_label, self.back)]
        return [club, *middle, (self.title, None)]


def target_of(user: User, purpose: str, key: str) -> Target:
    """Return what a list is for. `key`: of the rally or the championship, or the slug of the club. Only organisers.

    Raises: Http404 when there is no such thing, or the person may not see it; Forbidden when they do not organise it.
    """
    if purpose == Purpose.ENTRIES:
        rally = rally_by_key(key, user)
        require_role(user, rally.club, Role.ORGANISER)
        desk = reverse("rallies:desk", args=[rally.key])
        return Target(purpose, rally.club, rally.name, rally.key, desk, str(rally.words.desk), rally=rally)
    if purpose == Purpose.MEMBERS:
        club = membership_of(user=user, slug=key).club
        require_role(user, club, Role.ORGANISER)
        return Target(purpose, club, club.name, "", reverse("clubs:members", args=[club.slug]), club.name)
    championship = championship_by_key(key, user)
    require_role(user, championship.club, Role.ORGANISER)
    page = championship.get_absolute_url()
    return Target(
        purpose,
        championship.club,
        championship.name,
        championship.key,
        page,
        championship.name,
        championship=championship,
    )


def draft_by_key(user: User, key: str) -> tuple[ListDraft, Target]:
    """Return the draft of that person, and what it is for.

    Raises: Http404 when it is somebody else's, or what it is for is gone.
    """
    draft = ListDraft.objects.select_related("club").filter(key=key, by=user).first()
    if draft is None:
        raise Http404
    return draft, target_of(user, draft.purpose, draft.target or draft.club.slug)


def open_draft(user: User, target: Target) -> ListDraft | None:
    """Return the list that the person has brought for this and not finished, without its content; None for none."""
    mine = ListDraft.objects.filter(by=user, club=target.club, purpose=target.purpose, target=target.key)
    return mine.defer("content").first()


def steps() -> list[tuple[int, str]]:
    """Return the steps of a list with their numbers."""
    return list(enumerate([_("The list"), _("The columns"), _("Who is who"), _("Look at it"), _("Done")], start=1))
