import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("openstage", "0001_initial"),
    ]

    dependencies = [
        ("rallies", "0001_version_0_1_0"),
    ]

    operations = [
        migrations.CreateModel(
            name="Week",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("monday", models.DateField(unique=True, verbose_name="Monday")),
                ("opened_at", models.DateTimeField(verbose_name="opened")),
                (
                    "rally",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="open_week", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "open stage",
                "verbose_name_plural": "open stages",
                "ordering": ["-monday"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("monday__iso_week_day", 1)), name="openstage_weeks_begin_on_mondays"
                    )
                ],
            },
        ),
    ]
