"""The stored ledgers of runs: what decisions and chance made of the results."""

import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0007_time_of_an_evening"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptLedger",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.CharField(max_length=20, verbose_name="version of the ledger")),
                ("error", models.PositiveIntegerField(default=0, verbose_name="standard error")),
                ("unit", models.CharField(blank=True, default="", max_length=20, verbose_name="unit")),
                ("too_long", models.BooleanField(default=False, verbose_name="the run is too long")),
                ("computed_at", models.DateTimeField(verbose_name="computed")),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ledger", to="runs.run"
                    ),
                ),
            ],
            options={
                "verbose_name": "ledger",
                "verbose_name_plural": "ledgers",
            },
        ),
        migrations.CreateModel(
            name="KeptAccounts",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("start", models.IntegerField(verbose_name="expected at the start")),
                ("driving", models.IntegerField(verbose_name="decisions")),
                ("chance", models.IntegerField(verbose_name="chance")),
                ("traffic", models.IntegerField(verbose_name="all else")),
                ("result", models.IntegerField(verbose_name="result")),
                ("bookings", models.JSONField(verbose_name="bookings")),
                (
                    "seat",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="accounts", to="runs.seat"
                    ),
                ),
                (
                    "ledger",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cars", to="runs.keptledger"
                    ),
                ),
            ],
            options={
                "verbose_name": "accounts of a car",
                "verbose_name_plural": "accounts of cars",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "result",
                                django.db.models.expressions.CombinedExpression(
                                    django.db.models.expressions.CombinedExpression(
                                        django.db.models.expressions.CombinedExpression(
                                            models.F("start"), "+", models.F("driving")
                                        ),
                                        "+",
                                        models.F("chance"),
                                    ),
                                    "+",
                                    models.F("traffic"),
                                ),
                            )
                        ),
                        name="runs_accounts_add_up",
                    )
                ],
            },
        ),
    ]
