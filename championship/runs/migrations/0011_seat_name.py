"""A seat has a name, which was called its driver. The column keeps its name: nothing changes in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0010_measure_of_ledgers")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint("seat", "runs_driver_once_per_run"),
                migrations.RenameField("seat", "driver", "name"),
                migrations.AlterField(
                    "seat", "name", models.CharField(db_column="driver", max_length=8, verbose_name="name")
                ),
                migrations.AddConstraint(
                    "seat", models.UniqueConstraint(fields=("run", "name"), name="runs_driver_once_per_run")
                ),
            ]
        )
    ]
