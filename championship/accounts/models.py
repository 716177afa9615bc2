"""People: one account per e-mail address, with the language and the time zone they read pages in."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class AddressField(models.EmailField):
    """An e-mail address, kept and looked up in lower case."""

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return prepared.lower() if isinstance(prepared, str) else prepared

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        address = (getattr(model_instance, self.attname) or "").lower()
        setattr(model_instance, self.attname, address)
        return address


class UserManager(BaseUserManager["User"]):
    """Makes accounts; without a password nobody can sign in by password, only by e-mail code or passkey."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True, **fields})


class User(AbstractBaseUser, PermissionsMixin):
    """A person. All times are stored in UTC and shown to them in `time_zone`."""

    class Language(models.TextChoices):
        ENGLISH = "en", "English"
        POLISH = "pl", "Polski"
        GERMAN = "de", "Deutsch"

    email = AddressField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=60, help_text=_("How other drivers see you."))
    language = models.CharField(_("language"), max_length=8, choices=Language.choices, default=Language.ENGLISH)
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    is_staff = models.BooleanField(_("may use the administration pages"), default=False)
    is_active = models.BooleanField(_("may sign in"), default=True)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now)
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
        """Whether mail to the present address has come back for good; another address ends that."""
        return bool(self.refused_address) and self.refused_address == self.email

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name
