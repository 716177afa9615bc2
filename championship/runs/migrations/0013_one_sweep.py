"""When the clock last went over turns is kept by the app of deadlines."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def hand_over(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The sweep goes on where it was, so that no outage is made of the upgrade, and none is forgotten."""
    _copy(apps, "runs", "deadlines")


def hand_back(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The same the other way round."""
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
