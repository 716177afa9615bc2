"""Writes about people: creates accounts, appoints operators, changes profiles. Checks whether a name looks like the
name of another member of the same club.

Modules beside this one: sign-ins, the letters that sign people in, other names, the end of an account.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from championship.accounts import name_history, zones
from championship.accounts.followers import timing_followers
from championship.accounts.models import FormerName, User
from championship.accounts.name_comparison import stored_form
from championship.accounts.text import looks_like, one_line
from championship.platform import clock
from championship.platform.refusals import Refused

T = TypeVar("T")


@transaction.atomic
def create_user(*, email: str, name: str, language: str = "en", time_zone: str = "UTC") -> User:
    """Create an account whose address counts as confirmed.

    People create their own accounts by signing up. This is for the demo, tests and administrators.

    Raises: Refused when a field is not valid, or the address has an account. The exception names the field.
    """
    user = User(email=email.lower(), name=name, language=language, time_zone=time_zone)
    user.set_unusable_password()
    _check(user)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(_("There is an account with this address already."), field="email") from error
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@transaction.atomic
def make_account(make: Callable[[], T]) -> T:
    """Run `make`, which creates an account with everything that belongs to it, in one transaction. Returns its value.

    Raises: IntegrityError when somebody creates an account for the same address meanwhile.
    """
    return make()


@transaction.atomic
def appoint_operator(*, email: str, name: str = "", language: str = "en") -> bool:
    """Make a person an operator of the service. Returns True when their account was created for it.

    Raises: Refused when a field of a new account is not valid. The exception names the field.
    """
    email = email.strip().lower()
    user = User.objects.select_for_update().filter(email=email).first()
    made = user is None
    if user is None:
        name = name or email.partition("@")[0]
        user = create_user(email=email, name=name, language=language, time_zone=zones.guess(language))
    user.is_active = user.is_staff = user.is_superuser = True
    user.save(update_fields=["is_active", "is_staff", "is_superuser"])
    return made


@transaction.atomic
def dismiss_operator(*, email: str) -> None:
    """Take an operator's rights away.

    Raises: Refused when nobody has this address.
    """
    user = User.objects.select_for_update().filter(email=email.strip().lower()).first()
    if user is None:
        raise Refused(_("Nobody here has this address."), field="email")
    user.is_staff = user.is_superuser = False
    user.save(update_fields=["is_staff", "is_superuser"])


@transaction.atomic
def update_profile(*, user: User, name: str, language: str, time_zone: str) -> User:
    """Change a person's name, language and time zone. Their days are those of the new zone only after a day.

    Raises: Refused when a field is not valid, or the name is taken. The exception names the field.
    """
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    lived_in, before, now = locked.time_zone, locked.name, clock.now()
    days_in = locked.zone_of_days(now)
    locked.name, locked.language, locked.time_zone = name, language, time_zone
    _check(locked)
    name = locked.name
    if name != before:
        lock_clubs(locked)
        if is_taken(name, person=locked):
            says = _(
                "Somebody in your club has this name, or one that looks the same. Add something that sets you apart."
            )
            raise Refused(says, field="name")
        if before:
            _keep_former_name(locked, before)
    if locked.time_zone != lived_in:
        locked.zone_before, locked.zone_since = days_in, now
    locked.save(update_fields=["name", "language", "time_zone", "zone_before", "zone_since"])
    if locked.time_zone != lived_in:
        for follower in timing_followers:
            follower.person_timed(locked)
    return locked


def _keep_former_name(person: User, name: str) -> None:
    """Store the name with its times. A name that the person had before keeps its first `since`."""
    now = clock.now()
    times = {"since": name_history.current_name_since(person), "until": now}
    kept, made = FormerName.objects.get_or_create(person=person, name=name, defaults=times)
    if not made:
        kept.until = now
        kept.save(update_fields=["until"])


def _check(user: User) -> None:
    user.name = stored_form(user.name)
    if user.time_zone not in zones.names():
        raise Refused(_("Choose a time zone from the list."), field="time_zone")
    try:
        user.full_clean(exclude=["password"], validate_unique=False, validate_constraints=False)
        one_line(user.name)
    except ValidationError as error:
        by_field = error.message_dict if hasattr(error, "error_dict") else {"name": error.messages}
        field, messages = next(iter(by_field.items()))
        raise Refused(messages[0], field=None if field == "__all__" else field) from error


def lock_clubs(person: User) -> None:
    """Lock the person's clubs, so that nobody else joins them or is renamed in them until the transaction ends: one
    query.

    Without this lock two people could find the same name free at the same moment. Joining a club locks that club too.
    """
    memberships = person.memberships.select_related("club").order_by("club_id")
    list(memberships.select_for_update(of=("club",), no_key=True))


def is_taken(name: str, *, person: User, club_id: int | None = None) -> bool:
    """Whether another member of the club has a name that looks like this: one query. Without `club_id` it checks all
    clubs of the person. The name that a closed account would get back is taken as well.
    """
    members = User.objects.filter(is_active=True).exclude(pk=person.pk)
    if club_id is None:
        members = members.filter(memberships__club__memberships__user=person)
    else:
        members = members.filter(memberships__club=club_id)
    looks = looks_like(name)
    called = members.values_list("name", "closing__name").distinct()
    return any(looks_like(other) == looks for names in called for other in names if other)
