"""Store the sender of a plan and the reminders by organisers, and let runs be cancelled with their rally."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SENT_BY = """
    UPDATE runs_sentahead SET person_id = entry.driver_id
    FROM runs_place place JOIN rallies_entry entry ON entry.id = place.entry_id
    WHERE place.id = runs_sentahead.place_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0007_deadlines_given"),
        ("rallies", "0006_running_a_rally"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="sentahead",
            name="person",
            field=models.ForeignKey(
                null=True,
                db_constraint=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunSQL(SENT_BY, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="sentahead",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="nudged_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="reminded by an organiser"),
        ),
        migrations.RemoveConstraint(model_name="run", name="runs_finished_at_a_moment"),
        migrations.AlterField(
            model_name="run",
            name="status",
            field=models.CharField(
                choices=[("running", "On the road"), ("finished", "Finished"), ("cancelled", "Called off")],
                default="running",
                max_length=10,
                verbose_name="status",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("finished_at__isnull", True), ("status", "running"))
                | models.Q(("finished_at__isnull", False), ("status__in", ["finished", "cancelled"])),
                name="runs_finished_at_a_moment",
            ),
        ),
    ]
