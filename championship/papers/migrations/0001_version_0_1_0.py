import django.db.models.deletion
from django.db import migrations, models

import championship.platform.clock


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("papers", "0001_initial"),
    ]

    dependencies = [
        ("rallies", "0001_version_0_1_0"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptPaper",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=20)),
                ("stage", models.PositiveSmallIntegerField(default=0)),
                ("language", models.CharField(max_length=8)),
                ("made_of", models.CharField(blank=True, max_length=32)),
                ("content", models.BinaryField(null=True)),
                ("made_at", models.DateTimeField(null=True)),
                ("asked_for", models.CharField(blank=True, max_length=32)),
                ("asked_at", models.DateTimeField(default=championship.platform.clock.now)),
                ("begun_at", models.DateTimeField(null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("failed_at", models.DateTimeField(null=True)),
                (
                    "rally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="papers", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "kept paper",
                "verbose_name_plural": "kept papers",
                "indexes": [
                    models.Index(
                        condition=models.Q(("asked_for", ""), _negated=True),
                        fields=["asked_at"],
                        name="papers_papers_wanted",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rally", "kind", "stage", "language"), name="papers_paper_kept_once"
                    )
                ],
            },
        ),
    ]
