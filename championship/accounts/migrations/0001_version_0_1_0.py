import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import championship.accounts.models
import championship.platform.clock


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_refused_address"),
        ("accounts", "0003_sign_ins"),
        ("accounts", "0004_entrance_letters"),
        ("accounts", "0005_user_is_bot"),
        ("accounts", "0006_people_who_leave"),
        ("accounts", "0007_times_of_former_names"),
        ("accounts", "0008_state_of_the_mail_server"),
        ("accounts", "0009_zones_settle"),
    ]

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("sessions", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="MailServer",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("sent", models.PositiveBigIntegerField(default=0)),
                ("failures", models.PositiveBigIntegerField(default=0)),
                ("expired", models.PositiveBigIntegerField(default=0)),
                ("last_sent_at", models.DateTimeField(null=True)),
                ("last_failed_at", models.DateTimeField(null=True)),
                ("failing_since", models.DateTimeField(null=True)),
                ("last_answer", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "verbose_name": "state of the mail server",
                "verbose_name_plural": "states of the mail server",
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "email",
                    championship.accounts.models.AddressField(
                        max_length=254, unique=True, verbose_name="e-mail address"
                    ),
                ),
                ("name", models.CharField(help_text="How other drivers see you.", max_length=60, verbose_name="name")),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("pl", "Polski"), ("de", "Deutsch")],
                        default="en",
                        max_length=8,
                        verbose_name="language",
                    ),
                ),
                ("time_zone", models.CharField(default="UTC", max_length=64, verbose_name="time zone")),
                ("zone_before", models.CharField(blank=True, db_default="", default="", editable=False, max_length=64)),
                ("zone_since", models.DateTimeField(blank=True, editable=False, null=True)),
                ("is_staff", models.BooleanField(default=False, verbose_name="may use the administration pages")),
                ("is_active", models.BooleanField(default=True, verbose_name="may sign in")),
                (
                    "is_bot",
                    models.BooleanField(
                        default=False,
                        help_text="A program drives, and decides nothing but turns.",
                        verbose_name="is a bot",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="joined")),
                ("closed_at", models.DateTimeField(blank=True, editable=False, null=True, verbose_name="closed")),
                (
                    "refused_address",
                    championship.accounts.models.AddressField(
                        blank=True, editable=False, max_length=254, verbose_name="address that takes no mail"
                    ),
                ),
                ("refused_because", models.CharField(blank=True, editable=False, max_length=300)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "person",
                "verbose_name_plural": "people",
            },
        ),
        migrations.CreateModel(
            name="Closing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("asked_at", models.DateTimeField(default=championship.platform.clock.now, verbose_name="closed")),
                ("finished_at", models.DateTimeField(null=True, verbose_name="final")),
                ("name", models.CharField(blank=True, max_length=60)),
                ("replaced", models.JSONField(default=list)),
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="closing", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "closed account",
                "verbose_name_plural": "closed accounts",
            },
        ),
        migrations.CreateModel(
            name="EntranceLetter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("message_id", models.CharField(max_length=120, unique=True)),
                ("to", models.CharField(max_length=254)),
                ("subject", models.TextField(blank=True)),
                ("body", models.TextField(blank=True)),
                ("asked_at", models.DateTimeField(default=championship.platform.clock.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("next_try_at", models.DateTimeField(default=championship.platform.clock.now)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[("", "waits"), ("sent", "sent"), ("expired", "too late"), ("refused", "refused")],
                        default="",
                        max_length=8,
                    ),
                ),
                ("settled_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "verbose_name": "letter about signing in",
                "verbose_name_plural": "letters about signing in",
                "indexes": [
                    models.Index(
                        condition=models.Q(("outcome", "")), fields=["next_try_at"], name="accounts_letters_due"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("outcome", ""), ("settled_at__isnull", True)),
                            models.Q(
                                models.Q(("outcome", ""), _negated=True),
                                ("body", ""),
                                ("settled_at__isnull", False),
                                ("subject", ""),
                                ("to", ""),
                            ),
                            _connector="OR",
                        ),
                        name="accounts_settled_letter_is_empty",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FormerName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, verbose_name="name")),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField(null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_names",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "former name",
                "verbose_name_plural": "former names",
            },
        ),
        migrations.CreateModel(
            name="SignIn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.GenericIPAddressField(verbose_name="address")),
                (
                    "device",
                    models.CharField(
                        blank=True, help_text="What the browser calls itself.", max_length=300, verbose_name="device"
                    ),
                ),
                ("since", models.DateTimeField(verbose_name="since")),
                ("last_seen", models.DateTimeField(verbose_name="last seen")),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_ins",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "session",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sign_in", to="sessions.session"
                    ),
                ),
            ],
            options={
                "verbose_name": "sign-in",
                "verbose_name_plural": "sign-ins",
            },
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("email"), name="accounts_one_account_per_address"
            ),
        ),
        migrations.AddIndex(
            model_name="closing",
            index=models.Index(
                condition=models.Q(("finished_at", None)), fields=["asked_at"], name="accounts_closings_open"
            ),
        ),
        migrations.AddConstraint(
            model_name="closing",
            constraint=models.CheckConstraint(
                condition=models.Q(("finished_at", None), models.Q(("name", ""), ("replaced", [])), _connector="OR"),
                name="accounts_final_closing_knows_no_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="formername",
            constraint=models.UniqueConstraint(fields=("person", "name"), name="accounts_former_name_once"),
        ),
    ]
