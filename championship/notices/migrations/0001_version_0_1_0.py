import datetime
import uuid

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.notices.models
import championship.platform.clock
import championship.platform.tracing


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("notices", "0001_initial"),
        ("notices", "0002_moments"),
        ("notices", "0003_channels"),
        ("notices", "0004_short_words"),
        ("notices", "0005_failing_webhooks"),
        ("notices", "0006_signing_secrets"),
        ("notices", "0007_tests_of_webhooks"),
        ("notices", "0008_notice_request_id"),
        ("notices", "0009_several_webhooks"),
        ("notices", "0010_posts_of_webhooks"),
        ("notices", "0011_posted_once"),
        ("notices", "0012_told_once"),
        ("notices", "0013_one_post_for_each_webhook"),
        ("notices", "0014_first_try_of_notices"),
        ("notices", "0015_refused_pushes"),
    ]

    dependencies = [
        ("accounts", "0001_version_0_1_0"),
        ("clubs", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Keypair",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("private_pem", models.TextField()),
                ("made_at", models.DateTimeField(default=championship.platform.clock.now, editable=False)),
            ],
            options={
                "verbose_name": "key pair",
                "verbose_name_plural": "key pairs",
            },
        ),
        migrations.CreateModel(
            name="SentMail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("message_id", models.CharField(max_length=255, unique=True)),
                ("to", models.TextField()),
                ("subject", models.TextField()),
                ("body", models.TextField()),
                ("html", models.TextField(blank=True)),
                ("headers", models.JSONField(default=dict)),
                ("at", models.DateTimeField(default=championship.platform.clock.now, editable=False)),
            ],
            options={
                "verbose_name": "sent mail",
                "verbose_name_plural": "sent mails",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Preferences",
            fields=[
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="notice_preferences",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rhythm",
                    models.CharField(
                        choices=[
                            ("at once", "At once"),
                            ("hourly", "Once an hour, together"),
                            ("daily", "Once a day, together"),
                        ],
                        default="at once",
                        max_length=8,
                    ),
                ),
                ("daily_at", models.TimeField(default=datetime.time(18, 0))),
                (
                    "reminder_hours",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(72),
                        ],
                    ),
                ),
                (
                    "calendar_key",
                    models.CharField(
                        default=championship.notices.models.new_secret, editable=False, max_length=64, unique=True
                    ),
                ),
            ],
            options={
                "verbose_name": "choices about notices",
                "verbose_name_plural": "choices about notices",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reminder_hours__isnull", True),
                            models.Q(("reminder_hours__gte", 1), ("reminder_hours__lte", 72)),
                            _connector="OR",
                        ),
                        name="notices_lead_of_1_to_72_hours",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PushSubscription",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("endpoint", models.CharField(max_length=1000, unique=True)),
                ("p256dh", models.CharField(max_length=120)),
                ("auth", models.CharField(max_length=40)),
                ("browser", models.CharField(blank=True, max_length=80)),
                ("refusals", models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
                ("created_at", models.DateTimeField(default=championship.platform.clock.now, editable=False)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="push_subscriptions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "browser that shows notices",
                "verbose_name_plural": "browsers that show notices",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(blank=True, default="", max_length=60, verbose_name="name")),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=60), blank=True, default=list, size=None
                    ),
                ),
                ("url", models.CharField(max_length=500, verbose_name="address")),
                (
                    "shape",
                    models.CharField(
                        choices=[
                            ("json", "Plain JSON, signed"),
                            ("discord", "Discord"),
                            ("slack", "Slack, Mattermost"),
                        ],
                        default="json",
                        max_length=8,
                        verbose_name="shape",
                    ),
                ),
                (
                    "secret",
                    models.CharField(
                        default=championship.notices.models.new_signing_secret, editable=False, max_length=80
                    ),
                ),
                ("old_secret", models.CharField(blank=True, default="", editable=False, max_length=80)),
                ("old_secret_until", models.DateTimeField(editable=False, null=True)),
                ("language", models.CharField(default="en", max_length=8)),
                ("time_zone", models.CharField(default="UTC", max_length=64)),
                ("failures", models.PositiveIntegerField(default=0, editable=False)),
                ("failing_since", models.DateTimeField(editable=False, null=True)),
                ("off_because", models.CharField(blank=True, max_length=200)),
                ("last_at", models.DateTimeField(editable=False, null=True)),
                ("last_answer", models.CharField(blank=True, editable=False, max_length=200)),
                ("test_asked_at", models.DateTimeField(editable=False, null=True)),
                ("test_begun_at", models.DateTimeField(editable=False, null=True)),
                ("test_well", models.BooleanField(editable=False, null=True)),
                ("test_answer", models.CharField(blank=True, editable=False, max_length=300)),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices_webhooks",
                        to="clubs.club",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "set_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "webhook",
                "verbose_name_plural": "webhooks",
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "channel",
                    models.CharField(
                        choices=[("mail", "Mail"), ("push", "Browser"), ("webhook", "Webhook")],
                        default="mail",
                        max_length=16,
                    ),
                ),
                ("kind", models.CharField(max_length=60)),
                ("subject_key", models.CharField(max_length=200)),
                ("thread", models.CharField(blank=True, max_length=200)),
                (
                    "context",
                    models.JSONField(
                        decoder=championship.notices.models.ContextDecoder,
                        default=dict,
                        encoder=championship.notices.models.ContextEncoder,
                    ),
                ),
                ("link", models.CharField(blank=True, max_length=500)),
                ("created_at", models.DateTimeField(default=championship.platform.clock.now, editable=False)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("sending", "being sent"),
                            ("sent", "sent"),
                            ("dropped", "dropped"),
                            ("unsure", "held"),
                            ("dead", "dead"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_try_at", models.DateTimeField(default=championship.platform.clock.now)),
                ("first_tried_at", models.DateTimeField(editable=False, null=True)),
                ("claimed_at", models.DateTimeField(editable=False, null=True)),
                ("handed_over_at", models.DateTimeField(editable=False, null=True)),
                ("reached", models.JSONField(default=list, editable=False)),
                ("sent_at", models.DateTimeField(null=True)),
                ("error", models.TextField(blank=True)),
                ("answer", models.CharField(blank=True, default="", editable=False, max_length=200)),
                (
                    "request_id",
                    models.CharField(
                        blank=True, default=championship.platform.tracing.current, editable=False, max_length=64
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="clubs.club",
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="posts",
                        to="notices.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name": "notice",
                "verbose_name_plural": "notices",
            },
        ),
        migrations.CreateModel(
            name="Switch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "channel",
                    models.CharField(
                        choices=[("mail", "Mail"), ("push", "Browser"), ("webhook", "Webhook")],
                        default="mail",
                        max_length=16,
                    ),
                ),
                ("kind", models.CharField(max_length=60)),
                ("on", models.BooleanField()),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="switches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "switch of a kind of notice",
                "verbose_name_plural": "switches of kinds of notice",
                "constraints": [
                    models.UniqueConstraint(fields=("person", "channel", "kind"), name="notices_switched_once")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(
                condition=models.Q(("test_asked_at__isnull", False), ("test_well__isnull", True)),
                fields=["test_asked_at"],
                name="notices_tests_asked_for",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("club__isnull", True), ("person__isnull", False)),
                    models.Q(("club__isnull", False), ("person__isnull", True)),
                    _connector="OR",
                ),
                name="notices_webhook_of_a_person_or_a_club",
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("status", "queued")), fields=["next_try_at", "created_at"], name="notices_due"
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("status", "queued")), fields=["kind", "subject_key"], name="notices_droppable"
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("status", "queued")), fields=["recipient", "channel"], name="notices_of_one_lane"
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("status", "sent")), fields=["recipient", "sent_at"], name="notices_lately"
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("status__in", ["sending", "unsure", "dead"])), fields=["status"], name="notices_odd"
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(
                condition=models.Q(("channel", "webhook"), _negated=True),
                fields=("recipient", "channel", "kind", "subject_key"),
                name="notices_told_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(
                condition=models.Q(("webhook__isnull", False)),
                fields=("webhook", "kind", "subject_key"),
                name="notices_posted_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("club__isnull", True), ("recipient__isnull", False)),
                    models.Q(("channel", "webhook"), ("club__isnull", False), ("recipient__isnull", True)),
                    _connector="OR",
                ),
                name="notices_to_a_person_or_a_club",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sent_at__isnull", False), ("status", "sent")),
                    models.Q(models.Q(("status", "sent"), _negated=True), ("sent_at__isnull", True)),
                    _connector="OR",
                ),
                name="notices_sent_has_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "sending"), _negated=True), ("claimed_at__isnull", False), _connector="OR"
                ),
                name="notices_sending_since",
            ),
        ),
    ]
