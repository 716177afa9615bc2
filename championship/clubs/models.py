"""Clubs, their members with their roles, holidays, and the links that invite new members."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from championship.clubs.join_requests import JoinRequest as JoinRequest
from championship.clubs.logos import TAG_LENGTH, is_tag
from championship.clubs.logos import Logo as Logo
from championship.clubs.moderation_tables import Ban as Ban
from championship.clubs.moderation_tables import Report as Report
from championship.platform.keys import KEY_LENGTH, new_key

MOST_HOLIDAY_DAYS = 120
"""The most days of holiday that a club may allow a member in a year."""
LONGEST_ABOUT = 8000
"""Characters of a club's description, and of its house rules."""
LONGEST_LINKS = 1000
"""Characters of a club's links."""
COLOURS = 10
"""The colours that a club may choose from: those of the cars."""
LONGEST_CLOSE_REASON = 160
"""Characters of the reason why a club is closed."""


class Role(models.TextChoices):
    """The roles of members. Owners appoint owners, organisers run rallies, stewards judge, drivers drive.

    Guests only see what members see. A guest with further roles may also do what those allow.
    """

    OWNER = "owner", _("owner")
    ORGANISER = "organiser", _("organiser")
    STEWARD = "steward", _("steward")
    DRIVER = "driver", _("driver")
    GUEST = "guest", _("guest")


def _roles(*, name: str) -> list[models.CheckConstraint]:
    """Constraints: at least one role, and only known ones."""
    return [
        models.CheckConstraint(condition=models.Q(roles__len__gt=0), name=f"{name}_some_role"),
        models.CheckConstraint(
            condition=models.Q(roles__contained_by=["owner", "organiser", "steward", "driver", "guest"]),
            name=f"{name}_known_roles",
        ),
    ]


if TYPE_CHECKING:
    _Roles = ArrayField[Sequence[str], list[str]]
else:
    _Roles = ArrayField


class RolesField(_Roles):
    """A list of roles."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["base_field"] = models.CharField(max_length=12, choices=Role.choices)
        super().__init__(**kwargs)


class Club(models.Model):
    """A club, which runs championships. `slug` is for its own pages, `key` for addresses that must not be guessable.

    `holiday_days`: how many days of a calendar year each member may be on holiday. `visibility`: who may see its
    content (visibility.py). `links`: addresses, one a line. `colour`: one of the palette of cars. `logo_tag`: that of
    its logo (logos.py), "" without one. `takes_requests`: whether people may ask to join. `closed_at`: since when
    nothing in it can be changed (closing.py).
    """

    class Visibility(models.TextChoices):
        PUBLIC = "public", _("Everybody: the club has a public page, and search engines may find it")
        LINK = "link", _("Everybody who has a link to a rally or a championship")
        MEMBERS = "members", _("Members only")

    name = models.CharField(_("name"), max_length=80)
    slug = models.SlugField(max_length=60, unique=True)
    key = models.CharField(max_length=KEY_LENGTH, unique=True, default=new_key, editable=False)
    holiday_days = models.PositiveSmallIntegerField(
        _("days of holiday a year"), default=28, validators=[MaxValueValidator(MOST_HOLIDAY_DAYS)]
    )
    visibility = models.CharField(
        _("who may see it"), max_length=8, choices=Visibility.choices, default=Visibility.LINK, db_default="link"
    )
    about = models.TextField(_("about the club"), max_length=LONGEST_ABOUT, blank=True, default="", db_default="")
    house_rules = models.TextField(_("house rules"), max_length=LONGEST_ABOUT, blank=True, default="", db_default="")
    links = models.TextField(_("links"), max_length=LONGEST_LINKS, blank=True, default="", db_default="")
    colour = models.PositiveSmallIntegerField(
        _("colour"), null=True, blank=True, validators=[MaxValueValidator(COLOURS - 1)]
    )
    logo_tag = models.CharField(
        max_length=TAG_LENGTH, validators=[is_tag], blank=True, default="", db_default="", editable=False
    )
    takes_requests = models.BooleanField(_("people may ask to join"), default=True, db_default=True)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True, editable=False)
    close_reason = models.CharField(
        _("why it is closed"), max_length=LONGEST_CLOSE_REASON, blank=True, default="", db_default="", editable=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("club")
        verbose_name_plural = _("clubs")
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(visibility__in=["public", "link", "members"]), name="clubs_known_visibility"
            ),
        ]
        indexes = [
            models.Index(fields=["name"], condition=models.Q(visibility="public"), name="clubs_public"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("clubs:club", args=[self.slug])


class Membership(models.Model):
    """A person in a club, once, with one role or several."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    roles = RolesField(verbose_name=_("roles"))
    joined_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        constraints = [
            models.UniqueConstraint(fields=["club", "user"], name="clubs_member_once"),
            *_roles(name="clubs_member"),
        ]

    def __str__(self) -> str:
        return str(self.user)

    def role_names(self) -> list[str]:
        """The roles in words, in the active language."""
        return [str(Role(role).label) for role in self.roles]


class Invitation(models.Model):
    """A link by which people join a club. Only a hash of its token is stored."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    roles = RolesField(verbose_name=_("roles"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    uses = models.PositiveIntegerField(default=0)
    max_uses = models.PositiveIntegerField(default=1)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(uses__lte=models.F("max_uses")), name="clubs_invitation_not_overused"
            ),
            *_roles(name="clubs_invitation"),
        ]

    def __str__(self) -> str:
        return str(self.club)

    def role_names(self) -> list[str]:
        """The roles in words, in the active language."""
        return [str(Role(role).label) for role in self.roles]


class Holiday(models.Model):
    """Days on which a member of a club does not drive, first and last included, in the zone they had when they took it.

    `starts_at` and `ends_at` are the same as moments. `starts_at` is the first midnight, or when the holiday was taken
    if that was later. `ends_at` is the last midnight, or when the holiday was ended if that was earlier. Each day
    counts in its calendar year.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="holidays")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="holidays")
    first_day = models.DateField(_("first day"))
    last_day = models.DateField(_("last day"))
    starts_at = models.DateTimeField(_("starts"))
    ends_at = models.DateTimeField(_("ends"))
    taken_at = models.DateTimeField(_("taken"))

    class Meta:
        verbose_name = _("holiday")
        verbose_name_plural = _("holidays")
        ordering = ["first_day", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(last_day__gte=models.F("first_day")), name="clubs_holiday_ends_after_its_start"
            ),
            models.CheckConstraint(
                condition=models.Q(ends_at__gte=models.F("starts_at")), name="clubs_holiday_lasts_a_while"
            ),
        ]
        indexes = [models.Index(fields=["club", "person", "ends_at"], name="clubs_holidays_of")]

    def __str__(self) -> str:
        return f"{self.first_day} – {self.last_day}"

    def dates(self) -> list[date]:
        """Its days, in order."""
        return [self.first_day + timedelta(days=day) for day in range((self.last_day - self.first_day).days + 1)]
