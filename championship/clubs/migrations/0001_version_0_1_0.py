import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import championship.clubs.models
import championship.platform.clock
import championship.platform.keys


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("clubs", "0001_initial"),
        ("clubs", "0002_holidays"),
        ("clubs", "0003_guests"),
        ("clubs", "0004_conduct"),
        ("clubs", "0005_visibility"),
        ("clubs", "0006_closing"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Club",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("slug", models.SlugField(max_length=60, unique=True)),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=12, unique=True
                    ),
                ),
                (
                    "holiday_days",
                    models.PositiveSmallIntegerField(
                        default=28,
                        validators=[django.core.validators.MaxValueValidator(120)],
                        verbose_name="days of holiday a year",
                    ),
                ),
                (
                    "visibility",
                    models.CharField(
                        choices=[
                            ("public", "Everybody: the club has a public page, and search engines may find it"),
                            ("link", "Everybody who has a link to a rally or a championship"),
                            ("members", "Members only"),
                        ],
                        db_default="link",
                        default="link",
                        max_length=8,
                        verbose_name="who may see it",
                    ),
                ),
                (
                    "about",
                    models.TextField(
                        blank=True, db_default="", default="", max_length=8000, verbose_name="about the club"
                    ),
                ),
                (
                    "house_rules",
                    models.TextField(
                        blank=True, db_default="", default="", max_length=8000, verbose_name="house rules"
                    ),
                ),
                (
                    "takes_requests",
                    models.BooleanField(db_default=True, default=True, verbose_name="people may ask to join"),
                ),
                ("closed_at", models.DateTimeField(blank=True, editable=False, null=True, verbose_name="closed")),
                (
                    "close_reason",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        max_length=160,
                        verbose_name="why it is closed",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                "verbose_name": "club",
                "verbose_name_plural": "clubs",
                "ordering": ["name"],
                "indexes": [
                    models.Index(condition=models.Q(("visibility", "public")), fields=["name"], name="clubs_public")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("visibility__in", ["public", "link", "members"])),
                        name="clubs_known_visibility",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Ban",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=500, verbose_name="reason")),
                ("at", models.DateTimeField(default=championship.platform.clock.now, verbose_name="banned")),
                ("lifted_at", models.DateTimeField(null=True, verbose_name="lifted")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "lifted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="bans", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="bans", to="clubs.club"
                    ),
                ),
            ],
            options={
                "verbose_name": "ban",
                "verbose_name_plural": "bans",
                "ordering": ["-at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at", None)),
                        fields=("club", "person"),
                        name="clubs_one_ban_in_force",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="clubs_ban_has_a_reason"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Holiday",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first_day", models.DateField(verbose_name="first day")),
                ("last_day", models.DateField(verbose_name="last day")),
                ("starts_at", models.DateTimeField(verbose_name="starts")),
                ("ends_at", models.DateTimeField(verbose_name="ends")),
                ("taken_at", models.DateTimeField(verbose_name="taken")),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="holidays", to="clubs.club"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="holidays",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "holiday",
                "verbose_name_plural": "holidays",
                "ordering": ["first_day", "pk"],
                "indexes": [models.Index(fields=["club", "person", "ends_at"], name="clubs_holidays_of")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("last_day__gte", models.F("first_day"))),
                        name="clubs_holiday_ends_after_its_start",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ends_at__gte", models.F("starts_at"))), name="clubs_holiday_lasts_a_while"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token_hash", models.CharField(editable=False, max_length=64, unique=True)),
                (
                    "roles",
                    championship.clubs.models.RolesField(
                        base_field=models.CharField(
                            choices=[
                                ("owner", "owner"),
                                ("organiser", "organiser"),
                                ("steward", "steward"),
                                ("driver", "driver"),
                                ("guest", "guest"),
                            ],
                            max_length=12,
                        ),
                        size=None,
                        verbose_name="roles",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(null=True)),
                ("uses", models.PositiveIntegerField(default=0)),
                ("max_uses", models.PositiveIntegerField(default=1)),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="clubs.club"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "invitation",
                "verbose_name_plural": "invitations",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("uses__lte", models.F("max_uses"))), name="clubs_invitation_not_overused"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("roles__len__gt", 0)), name="clubs_invitation_some_role"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("roles__contained_by", ["owner", "organiser", "steward", "driver", "guest"])
                        ),
                        name="clubs_invitation_known_roles",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JoinRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("words", models.CharField(blank=True, max_length=500, verbose_name="a few words about you")),
                ("page", models.CharField(blank=True, max_length=300)),
                ("at", models.DateTimeField(default=championship.platform.clock.now, verbose_name="asked")),
                ("accepted", models.BooleanField(null=True)),
                ("answered_at", models.DateTimeField(null=True, verbose_name="answered")),
                ("answer", models.CharField(blank=True, max_length=500, verbose_name="answer")),
                (
                    "answered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="join_requests", to="clubs.club"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="join_requests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "request to join",
                "verbose_name_plural": "requests to join",
                "ordering": ["at", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("accepted", None)), fields=("club", "person"), name="clubs_one_open_request"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("accepted", None), ("answered_at", None)),
                            models.Q(("accepted__isnull", False), ("answered_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="clubs_answered_at_a_moment",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "roles",
                    championship.clubs.models.RolesField(
                        base_field=models.CharField(
                            choices=[
                                ("owner", "owner"),
                                ("organiser", "organiser"),
                                ("steward", "steward"),
                                ("driver", "driver"),
                                ("guest", "guest"),
                            ],
                            max_length=12,
                        ),
                        size=None,
                        verbose_name="roles",
                    ),
                ),
                ("joined_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="clubs.club"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "member",
                "verbose_name_plural": "members",
                "constraints": [
                    models.UniqueConstraint(fields=("club", "user"), name="clubs_member_once"),
                    models.CheckConstraint(condition=models.Q(("roles__len__gt", 0)), name="clubs_member_some_role"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("roles__contained_by", ["owner", "organiser", "steward", "driver", "guest"])
                        ),
                        name="clubs_member_known_roles",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("page", models.CharField(blank=True, max_length=300, verbose_name="page")),
                ("text", models.TextField(max_length=2000, verbose_name="the text")),
                ("reason", models.CharField(max_length=500, verbose_name="what is wrong with it")),
                ("at", models.DateTimeField(default=championship.platform.clock.now, verbose_name="reported")),
                ("settled_at", models.DateTimeField(null=True, verbose_name="settled")),
                ("answer", models.CharField(blank=True, max_length=500, verbose_name="answer")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="clubs.club"
                    ),
                ),
                (
                    "settled_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "report",
                "verbose_name_plural": "reports",
                "ordering": ["-at", "-pk"],
                "indexes": [
                    models.Index(condition=models.Q(("settled_at", None)), fields=["club"], name="clubs_reports_open")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("answer", ""), ("settled_at", None)),
                            models.Q(("settled_at__isnull", False), models.Q(("answer", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="clubs_settled_report_has_an_answer",
                    )
                ],
            },
        ),
    ]
