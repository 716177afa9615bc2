"""Store the amounts of decisions in the unit of the rally."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("stewards", "0004_who_decided_drove"), ("rallies", "0014_results_of_every_game")]

    operations = [
        migrations.RemoveConstraint(model_name="decision", name="stewards_time_by_hand_is_of_a_stage"),
        migrations.RenameField(model_name="decision", old_name="seconds", new_name="amount"),
        migrations.AlterField(
            model_name="decision",
            name="amount",
            field=models.IntegerField(blank=True, null=True, verbose_name="amount"),
        ),
        migrations.AlterField(
            model_name="decision",
            name="kind",
            field=models.CharField(
                choices=[
                    ("no action", "No further action"),
                    ("penalty", "Penalty or bonus"),
                    ("reprimand", "Reprimand"),
                    ("exclusion", "Exclusion"),
                    ("stage time", "Result of a stage set by hand"),
                    ("reversal", "An earlier decision no longer holds"),
                ],
                max_length=12,
                verbose_name="decision",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=Q(
                    Q(("kind", "stage time"), _negated=True),
                    Q(("amount__isnull", False), ("special_stage__isnull", False)),
                    _connector="OR",
                ),
                name="stewards_time_by_hand_is_of_a_stage",
            ),
        ),
    ]
