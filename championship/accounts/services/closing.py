"""Closes accounts: a pseudonym replaces the person's names at once, everywhere, and their results stay.

For `days()` days signing in undoes this. Then a nightly task makes it final: it deletes the address, the old name and
everything that only the person had a use for. Other apps `register` where they store names.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from championship.accounts import name_history
from championship.accounts.closed_accounts import Closing
from championship.accounts.followers import closed_followers, closing_followers, end_followers
from championship.accounts.models import EntranceLetter, User
from championship.accounts.name_history import UsedName
from championship.accounts.services import renaming
from championship.accounts.services.renaming import Change
from championship.failures.services import Attempts
from championship.platform import clock
from championship.platform.refusals import Refused

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
GONE = "closed.invalid"
"""The domain of the addresses that final accounts get. No mail is ever sent there."""

Forgets = Callable[[User, list[UsedName], str], Iterable[Change]]
"""Replaces the names of a person with the pseudonym in the rows of an app. Returns what it changed."""
Names = Callable[[User], Iterable[UsedName]]
"""Returns the other names of a person in the rows of an app."""
_forgetting: list[Forgets] = []
_names: list[Names] = []


def register(forgets: Forgets, names: Names | None = None) -> None:
    """Register how an app replaces names of people, and which other names they have in its rows."""
    if forgets not in _forgetting:
        _forgetting.append(forgets)
    if names is not None and names not in _names:
        _names.append(names)


def days() -> int:
    """The number of days for which a closed account can be opened again."""
    return round(settings.RETENTION_DAYS["closed accounts"])


@transaction.atomic
def close(*, person: User) -> Closing:
    """Close the person's own account and end every sign-in.

    Raises: Refused when something must be settled first, such as a club that would be left without an owner.
    """
    person = User.objects.select_for_update(no_key=True).get(pk=person.pk)
    if person.closed_at is not None:
        raise Refused(_("This account is closed."))
    if person.is_staff:
        raise Refused(_("You operate this service. Hand your rights to another operator first."))
    for follower in closing_followers:
        follower.account_closing(person)
    pseudonym, called = _new_pseudonym(person), names_of(person)
    replaced = [change for forgets in _forgetting for change in forgets(person, called, pseudonym)]
    closing = Closing.objects.create(person=person, asked_at=clock.now(), name=person.name, replaced=replaced)
    person.name, person.closed_at = pseudonym, closing.asked_at
    person.set_unusable_password()
    person.save(update_fields=["name", "closed_at", "password"])
    Session.objects.filter(sign_in__person=person).delete()
    for each in closed_followers:
        each.account_closed(person)
    return closing


@transaction.atomic
def open_again(*, person: User) -> bool:
    """Undo the closing of an account, as long as it is not final. Returns False where there is none to undo."""
    locked = User.objects.select_for_update(no_key=True).get(pk=person.pk)
    closing = Closing.objects.select_for_update().filter(person=locked, finished_at=None).first()
    if closing is None:
        return False
    renaming.undo(closing.replaced)
    locked.name, locked.closed_at = closing.name, None
    locked.save(update_fields=["name", "closed_at"])
    person.name, person.closed_at = locked.name, None
    closing.delete()
    return True


def finish_due(*, before: datetime, at_once: int = 50) -> int:
    """Make accounts final that were closed before that moment. Returns how many. Each has its own transaction."""
    tries, done = Attempts("closed account", now=clock.now()), 0
    due = Closing.objects.filter(finished_at=None, asked_at__lt=before).exclude(pk__in=tries.put_off())
    for pk in list(due.order_by("asked_at").values_list("pk", flat=True)[:at_once]):
        done += tries.attempt(pk, partial(_finish, pk)) or 0
    return done


@transaction.atomic
def _finish(pk: int) -> bool:
    """Delete what belongs only to the person. Returns False where the account was opened again meanwhile.

    It locks the person before the closing, in the same order as `open_again`, so that one waits for the other.
    """
    person = User.objects.select_for_update(no_key=True, of=("self",)).filter(closing=pk).first()
    closing = Closing.objects.select_for_update().filter(pk=pk, finished_at=None).first()
    if person is None or closing is None:
        return False
    for follower in end_followers:
        follower.account_ended(person)
    _delete_entrance_letters(person)
    _delete_own_rows(person)
    person.email = person.refused_address = f"{secrets.token_hex(12)}@{GONE}"
    person.language, person.time_zone, person.refused_because = "en", "UTC", ""
    person.zone_before, person.zone_since = "", None
    person.is_active, person.last_login = False, None
    person.set_unusable_password()
    person.save()
    closing.name, closing.replaced, closing.finished_at = "", [], clock.now()
    closing.save(update_fields=["name", "replaced", "finished_at"])
    return True


def _delete_entrance_letters(person: User) -> None:
    """Delete letters about signing in to exactly one of the person's addresses: an address may be part of another."""
    addresses = {person.email, *EmailAddress.objects.filter(user=person).values_list("email", flat=True)}
    for address in addresses:
        EntranceLetter.objects.filter(to__iexact=address).delete()


def _delete_own_rows(person: User) -> None:
    """Delete the rows that belong only to the person. Those are the rows that point to them with CASCADE."""
    Session.objects.filter(sign_in__person=person).delete()
    EmailAddress.objects.filter(user=person).delete()
    for relation in User._meta.related_objects:
        if relation.on_delete is models.CASCADE:
            relation.related_model._base_manager.filter(**{relation.field.name: person}).delete()


def names_of(person: User) -> list[UsedName]:
    """All current and former names of the person, and their addresses."""
    addresses = {person.email, *EmailAddress.objects.filter(user=person).values_list("email", flat=True)}
    called = {*name_history.names_of(person), *(name for each in _names for name in each(person))}
    called |= {UsedName(address) for address in addresses}
    return sorted((each for each in called if len(each.name.strip()) > 1), key=lambda each: each.name)


def _new_pseudonym(person: User) -> str:
    """A name that nobody else has, in the person's language."""
    with override(person.language):
        while True:
            code = "".join(secrets.choice(LETTERS) for _letter in range(5))
            name = _("Driver %s") % code
            if not User.objects.filter(name=name).exists():
                return name
