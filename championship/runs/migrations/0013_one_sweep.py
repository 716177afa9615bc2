"""Move the time of the last sweep to the app deadlines."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def hand_over(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Copy the time of the last sweep, so that the upgrade does not count as an outage."""
    _copy(apps, "runs", "deadlines")


def hand_back(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Copy the time back."""
    _copy(apps, "deadlines", "runs")


def _copy(apps: Apps, source: str, target: str) -> None:
    sweeps = apps.get_model(target, "Sweep").objects
    for row in apps.get_model(source, "Sweep").objects.values():
        sweeps.update_or_create(name=row.pop("name"), defaults=row)


class Migration(migrations.Migration):
    dependencies = [
        ("deadlines", "0001_initial"),
        ("runs", "0012_drafts_of_any_game"),
    ]

    operations = [
        migrations.RunPython(hand_over, hand_back),
        migrations.DeleteModel(name="Sweep"),
    ]
