"""Every write about people: an account made, a profile changed."""

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from championship.accounts import zones
from championship.accounts.models import User
from championship.accounts.signals import zone_changed
from championship.accounts.text import one_line
from championship.refusals import Refused


@transaction.atomic
def create_user(*, email: str, name: str, language: str = "en", time_zone: str = "UTC") -> User:
    """Make an account whose address counts as confirmed; Refused names the field that is wrong.

    People make their own accounts by signing up; this is for the demo, tests and administrators.
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
def update_profile(*, user: User, name: str, language: str, time_zone: str) -> User:
    """Change how a person is called and in which language and zone they read; Refused names the field."""
    locked = User.objects.select_for_update().get(pk=user.pk)
    lived_in = locked.time_zone
    locked.name, locked.language, locked.time_zone = name, language, time_zone
    _check(locked)
    locked.save(update_fields=["name", "language", "time_zone"])
    if locked.time_zone != lived_in:
        zone_changed.send(sender=User, person=locked)
    return locked


def _check(user: User) -> None:
    if user.time_zone not in zones.names():
        raise Refused(_("Choose a time zone from the list."), field="time_zone")
    try:
        user.full_clean(exclude=["password"], validate_unique=False, validate_constraints=False)
        one_line(user.name)
    except ValidationError as error:
        by_field = error.message_dict if hasattr(error, "error_dict") else {"name": error.messages}
        field, messages = next(iter(by_field.items()))
        raise Refused(messages[0], field=None if field == "__all__" else field) from error
