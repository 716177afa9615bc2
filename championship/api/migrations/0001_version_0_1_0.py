import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.platform.clock


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("api", "0001_initial"),
    ]

    dependencies = [
        ("clubs", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, verbose_name="name")),
                ("prefix", models.CharField(editable=False, max_length=8, verbose_name="begins with")),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                (
                    "scopes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("read", "read what you may see"),
                                ("play", "drive: enter rallies, make turns, hand in cards"),
                                ("organise", "run rallies of your clubs"),
                                ("steward", "give penalties"),
                                ("bot", "make turns, and nothing else"),
                            ],
                            max_length=10,
                        ),
                        size=None,
                        verbose_name="scopes",
                    ),
                ),
                (
                    "made_at",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="made"),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True, verbose_name="expires")),
                ("revoked_at", models.DateTimeField(blank=True, null=True, verbose_name="revoked")),
                ("last_used_at", models.DateTimeField(blank=True, null=True, verbose_name="last used")),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="clubs.club",
                        verbose_name="club",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "token",
                "verbose_name_plural": "tokens",
                "ordering": ["-made_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=100)),
                ("digest", models.CharField(max_length=64)),
                ("asked_at", models.DateTimeField(default=championship.platform.clock.now, editable=False)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("body", models.JSONField(null=True)),
                (
                    "token",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="api.token"
                    ),
                ),
            ],
            options={
                "verbose_name": "kept answer",
                "verbose_name_plural": "kept answers",
            },
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(("name", ""), _negated=True), name="api_token_has_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(condition=models.Q(("scopes__len__gt", 0)), name="api_token_some_scope"),
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(("scopes__contained_by", ["read", "play", "organise", "steward", "bot"])),
                name="api_token_known_scopes",
            ),
        ),
        migrations.AddIndex(
            model_name="keptanswer",
            index=models.Index(fields=["asked_at"], name="api_answers_by_age"),
        ),
        migrations.AddConstraint(
            model_name="keptanswer",
            constraint=models.UniqueConstraint(fields=("token", "key"), name="api_one_answer_per_key"),
        ),
    ]
