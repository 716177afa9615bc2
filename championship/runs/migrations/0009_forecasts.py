"""Who was likely to win, at moments of a stage."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rallies", "0011_ledgers"),
        ("runs", "0008_ledgers"),
    ]

    operations = [
        migrations.CreateModel(
            name="Forecast",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("posts", models.PositiveIntegerField(verbose_name="posts")),
                ("at", models.DateTimeField(verbose_name="computed")),
                ("simulations", models.PositiveSmallIntegerField(verbose_name="simulations")),
                ("stage", models.JSONField(verbose_name="chances to win the stage")),
                ("rally", models.JSONField(verbose_name="chances to win the rally")),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="forecasts", to="rallies.specialstage"
                    ),
                ),
            ],
            options={
                "verbose_name": "forecast",
                "verbose_name_plural": "forecasts",
                "ordering": ["special_stage", "posts"],
                "constraints": [
                    models.UniqueConstraint(fields=("special_stage", "posts"), name="runs_one_forecast_for_each_post")
                ],
            },
        ),
    ]
