"""Writes about public profiles, and what their pages read: only results that anybody may find, those of public clubs
and of open stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.profiles.models import PublicProfile
from championship.runs.watch.luck.driver_averages import GameAverages, averages, own_drives
from championship.seasons.records import DriverRecord, Outing, open_stages_of, public_record_of


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """A driver's results in public clubs, and on open stages that are over, latest first; and what the decisions gave
    up there on average, by game.
    """

    profile: PublicProfile
    record: DriverRecord
    open_stages: Sequence[Outing]
    averages: Sequence[GameAverages] = ()


def profile_by_key(key: str) -> PublicProfile:
    """Return the profile of that key, with its person. One query.

    Raises: Http404 when there is none, or the account is closed or blocked.
    """
    shown = PublicProfile.objects.select_related("person").filter(person__is_active=True, person__closed_at=None)
    return get_object_or_404(shown, key=key)


def profile_of(person: User) -> PublicProfile | None:
    """Return the person's profile; None when they have none, or when the account is closed or blocked. One query."""
    return PublicProfile.objects.filter(person=person, person__is_active=True, person__closed_at=None).first()


def profile_page(profile: PublicProfile) -> ProfilePage:
    """Return what the page shows. Nineteen queries at most, for any number of rallies."""
    person = profile.person
    return ProfilePage(profile, public_record_of(person), open_stages_of(person), career_of(person))


def career_of(person: User) -> list[GameAverages]:
    """Return the person's means over all stages that anybody may find. One query."""
    found = Q(seat__special_stage__rally__club__visibility=Club.Visibility.PUBLIC)
    found |= Q(seat__special_stage__rally__for_everybody=True)
    return averages(own_drives().filter(found, seat__entry__driver=person))


@transaction.atomic
def show(*, by: User, found: bool = False) -> PublicProfile:
    """Give the person a public page, or change whether search engines may index it. Doing it twice changes nothing."""
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    return PublicProfile.objects.update_or_create(person=by, defaults={"found": found})[0]


@transaction.atomic
def hide(*, by: User) -> None:
    """Delete the person's public page and its address. A page that is created again later has another address."""
    PublicProfile.objects.filter(person=by).delete()
