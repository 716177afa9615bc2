"""People: one account per e-mail address, with the language and the time zone in which they read pages."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from championship.accounts import devices
from championship.accounts.closed_accounts import Closing as Closing
from championship.accounts.closed_accounts import FormerName as FormerName
from championship.platform import clock

if TYPE_CHECKING:
    _Address = models.EmailField[str, str]
else:
    _Address = models.EmailField


class AddressField(_Address):
    """An e-mail address, stored and looked up in lower case."""

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return prepared.lower() if isinstance(prepared, str) else prepared

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        address = (getattr(model_instance, self.attname) or "").lower()
        setattr(model_instance, self.attname, address)
        return address


class UserManager(BaseUserManager["User"]):
    """Creates accounts. An account without a password can be used only by e-mail code or passkey."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True, **fields})


ZONE_SETTLES = timedelta(days=1)
"""How long the days of a person are still those of their earlier time zone after they have chosen another."""


class User(AbstractBaseUser, PermissionsMixin):
    """A person. All times are stored in UTC and shown to them in `time_zone`.

    `is_guest`: a stranger who drives without an account (guests.py). Nobody can sign in as a guest.

    `zone_since`: when they chose another time zone last. `zone_before`: the zone of their days until ZONE_SETTLES after
    that.
    """

    class Language(models.TextChoices):
        ENGLISH = "en", "English"
        POLISH = "pl", "Polski"
        GERMAN = "de", "Deutsch"

    email = AddressField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=60, help_text=_("How other drivers see you."))
    language = models.CharField(_("language"), max_length=8, choices=Language.choices, default=Language.ENGLISH)
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    zone_before = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    zone_since = models.DateTimeField(null=True, blank=True, editable=False)
    is_staff = models.BooleanField(_("may use the administration pages"), default=False)
    is_active = models.BooleanField(_("may sign in"), default=True)
    is_bot = models.BooleanField(
        _("is a bot"), default=False, help_text=_("A program drives, and decides nothing but turns.")
    )
    is_guest = models.BooleanField(_("is a guest"), default=False, db_default=False, editable=False)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True, editable=False)
    refused_address = AddressField(_("address that takes no mail"), blank=True, editable=False)
    refused_because = models.CharField(max_length=300, blank=True, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = ["name"]

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")
        constraints = [
            models.UniqueConstraint(Lower("email"), name="accounts_one_account_per_address"),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def takes_no_mail(self) -> bool:
        """Whether mail to the current address has bounced permanently, or the account is closed. A new address ends a
        bounce.
        """
        return self.closed_at is not None or (bool(self.refused_address) and self.refused_address == self.email)

    def zone_of_days(self, now: datetime) -> str:
        """The name of the zone in which the person's days begin and end. A new zone applies only after ZONE_SETTLES, so
        that nobody chooses by it when today ends.
        """
        changing = self.zone_since is not None and now < self.zone_since + ZONE_SETTLES
        return self.zone_before if changing else self.time_zone

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name


class SignIn(models.Model):
    """A session in which a person is signed in, so that they can see and end it. It is deleted with the session."""

    session = models.OneToOneField("sessions.Session", on_delete=models.CASCADE, related_name="sign_in")
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_ins")
    address = models.GenericIPAddressField(_("address"))
    device = models.CharField(_("device"), max_length=300, blank=True, help_text=_("What the browser calls itself."))
    since = models.DateTimeField(_("since"))
    last_seen = models.DateTimeField(_("last seen"))

    class Meta:
        verbose_name = _("sign-in")
        verbose_name_plural = _("sign-ins")

    def __str__(self) -> str:
        return f"{self.person}, {self.address}"

    @property
    def device_in_words(self) -> str:
        return devices.in_words(self.device)


class EntranceLetter(models.Model):
    """A letter about signing in that a worker sends (sign_in_mail.py). Its text is stored only until it is sent or is
    too late, because it may contain a code.
    """

    class Outcome(models.TextChoices):
        WAITS = "", _("waits")
        SENT = "sent", _("sent")
        EXPIRED = "expired", _("too late")
        REFUSED = "refused", _("refused")

    message_id = models.CharField(max_length=120, unique=True)
    to = models.CharField(max_length=254)
    subject = models.TextField(blank=True)
    body = models.TextField(blank=True)
    asked_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField()
    next_try_at = models.DateTimeField(default=clock.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True, default=Outcome.WAITS)
    settled_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name = _("letter about signing in")
        verbose_name_plural = _("letters about signing in")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(outcome="", settled_at__isnull=True)
                | (~models.Q(outcome="") & models.Q(settled_at__isnull=False, subject="", body="", to="")),
                name="accounts_settled_letter_is_empty",
            ),
        ]
        indexes = [
            models.Index(fields=["next_try_at"], condition=models.Q(outcome=""), name="accounts_letters_due"),
        ]

    def __str__(self) -> str:
        return self.message_id


class MailServer(models.Model):
    """One row: what the last tries say about the mail server (mail_server.py), and counters since the installation.

    failing_since: since when it takes no letter at all; empty while it works. expired: letters about signing in that
    were too late.
    """

    name = models.CharField(max_length=20, primary_key=True)
    sent = models.PositiveBigIntegerField(default=0)
    failures = models.PositiveBigIntegerField(default=0)
    expired = models.PositiveBigIntegerField(default=0)
    last_sent_at = models.DateTimeField(null=True)
    last_failed_at = models.DateTimeField(null=True)
    failing_since = models.DateTimeField(null=True)
    last_answer = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = _("state of the mail server")
        verbose_name_plural = _("states of the mail server")

    def __str__(self) -> str:
        return self.name
