"""Rename the model Place to Seat. Tables and columns keep their names for one release, because the previous release
uses them during an upgrade and after a downgrade. No statement changes the database here.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

OPEN = Q(ended_at__isnull=True)


class Migration(migrations.Migration):
    dependencies = [("runs", "0019_longer_words")]

    operations = [
        migrations.AlterModelTable(name="place", table="runs_place"),
        migrations.RenameModel(old_name="Place", new_name="Seat"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelOptions(
                    name="seat",
                    options={"ordering": ["run", "position"], "verbose_name": "seat", "verbose_name_plural": "seats"},
                ),
                migrations.AlterField(
                    model_name="seat",
                    name="run",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="runs.run"
                    ),
                ),
                migrations.AlterField(
                    model_name="seat",
                    name="entry",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seats", to="rallies.entry"
                    ),
                ),
                migrations.RemoveConstraint(model_name="turn", name="runs_one_open_turn_per_place"),
                migrations.RemoveIndex(model_name="turn", name="runs_turns_missed"),
                migrations.RemoveIndex(model_name="turn", name="runs_open_turns_by_place"),
                migrations.RemoveConstraint(model_name="sentahead", name="runs_one_plan_ahead_per_place"),
                migrations.RenameField(model_name="turn", old_name="place", new_name="seat"),
                migrations.RenameField(model_name="sentahead", old_name="place", new_name="seat"),
                migrations.AlterField(
                    model_name="turn",
                    name="seat",
                    field=models.ForeignKey(
                        db_column="place_id",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to="runs.seat",
                    ),
                ),
                migrations.AlterField(
                    model_name="sentahead",
                    name="seat",
                    field=models.ForeignKey(
                        db_column="place_id",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sent_ahead",
                        to="runs.seat",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="turn",
                    constraint=models.UniqueConstraint(
                        condition=OPEN, fields=("run", "seat"), name="runs_one_open_turn_per_place"
                    ),
                ),
                migrations.AddIndex(
                    model_name="turn",
                    index=models.Index(condition=Q(missed=True), fields=["seat"], name="runs_turns_missed"),
                ),
                migrations.AddIndex(
                    model_name="turn",
                    index=models.Index(condition=OPEN, fields=["seat"], name="runs_open_turns_by_place"),
                ),
                migrations.AddConstraint(
                    model_name="sentahead",
                    constraint=models.UniqueConstraint(
                        condition=Q(state="waiting"), fields=("seat",), name="runs_one_plan_ahead_per_place"
                    ),
                ),
            ]
        ),
    ]
