import re

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.moments.models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("moments", "0001_comments"),
    ]

    dependencies = [
        ("clubs", "0001_version_0_1_0"),
        ("rallies", "0001_version_0_1_0"),
        ("seasons", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "moment",
                    models.CharField(
                        max_length=20,
                        validators=[
                            django.core.validators.RegexValidator(
                                re.compile("\\A(started|over|won|([1-9][0-9]{0,4})(-out-([1-9][0-9]{0,2}))?)\\Z")
                            )
                        ],
                        verbose_name="moment",
                    ),
                ),
                (
                    "text",
                    models.CharField(
                        max_length=500, validators=[championship.moments.models.plain_words], verbose_name="comment"
                    ),
                ),
                ("at", models.DateTimeField(verbose_name="written")),
                ("hidden_at", models.DateTimeField(null=True, verbose_name="hidden")),
                ("hidden_reason", models.CharField(blank=True, max_length=500, verbose_name="why it was hidden")),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "championship",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="seasons.championship",
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="clubs.club"
                    ),
                ),
                (
                    "hidden_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rally",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="rallies.rally",
                    ),
                ),
            ],
            options={
                "verbose_name": "comment",
                "verbose_name_plural": "comments",
                "ordering": ["at", "pk"],
                "indexes": [
                    models.Index(fields=["rally", "moment"], name="moments_of_rally"),
                    models.Index(fields=["championship", "moment"], name="moments_of_championship"),
                    models.Index(fields=["author", "at"], name="moments_by_author"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="moments_comment_says_something"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("championship", None), ("rally__isnull", False)),
                            models.Q(("championship__isnull", False), ("rally", None)),
                            _connector="OR",
                        ),
                        name="moments_comment_on_one_thing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("hidden_at", None), ("hidden_reason", "")),
                            models.Q(("hidden_at__isnull", False), models.Q(("hidden_reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="moments_hidden_for_a_reason",
                    ),
                ],
            },
        ),
    ]
