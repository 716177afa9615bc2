"""Add a row for each card that time control waits for, with the columns that turns have. One sweep handles both."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Q

CONTROLS = "time controls"


def await_cards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the rows for open time controls. They have no terms yet: the next sweep sets the terms, and plans the
    reminders of rows with `remind_at`.
    """
    places = apps.get_model("rallies", "StartPlace").objects.filter(special_stage__status="time control")
    missing = places.exclude(entry__cards__special_stage=F("special_stage")).select_related("special_stage", "entry")
    rows = []
    for place in missing:
        stage = place.special_stage
        since = min(stage.control_opened_at or stage.opened_at, stage.control_deadline)
        rows.append(
            apps.get_model("rallies", "AwaitedCard")(
                special_stage_id=stage.pk,
                entry_id=place.entry_id,
                since=since,
                counted_from=since,
                deadline=stage.control_deadline,
                remind_at=since if place.entry.driven_by == "person" else None,
                reminded_of=place.reminded_of,
            )
        )
    apps.get_model("rallies", "AwaitedCard").objects.bulk_create(rows)


def tell_start_lists(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write back the deadlines of which drivers were reminded, so that they get no second reminder, and the time of the
    last sweep.
    """
    places = apps.get_model("rallies", "StartPlace").objects
    for row in apps.get_model("rallies", "AwaitedCard").objects.exclude(reminded_of=None):
        places.filter(special_stage_id=row.special_stage_id, entry_id=row.entry_id).update(reminded_of=row.reminded_of)
    for swept in apps.get_model("deadlines", "Sweep").objects.all():
        apps.get_model("rallies", "ControlSweep").objects.create(name=CONTROLS, at=swept.at)


class Migration(migrations.Migration):
    dependencies = [
        ("deadlines", "0001_initial"),
        ("rallies", "0016_ten_colours"),
    ]

    operations = [
        migrations.CreateModel(
            name="AwaitedCard",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("since", models.DateTimeField(verbose_name="waiting since")),
                ("deadline", models.DateTimeField(verbose_name="deadline")),
                ("remind_at", models.DateTimeField(blank=True, null=True, verbose_name="reminder")),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                ("counted_from", models.DateTimeField(blank=True, null=True, verbose_name="counted from")),
                ("left_seconds", models.PositiveIntegerField(blank=True, null=True, verbose_name="seconds left then")),
                ("terms", models.JSONField(default=dict, verbose_name="how time is counted")),
                ("reasons", models.JSONField(default=list, verbose_name="not counted")),
                ("stands_in", models.BooleanField(default=False, verbose_name="the codriver stands in")),
                ("claimed_at", models.DateTimeField(blank=True, null=True, verbose_name="given to a worker")),
                ("reminded_of", models.DateTimeField(blank=True, null=True, verbose_name="reminded of the deadline")),
                ("given", models.PositiveIntegerField(default=1, verbose_name="deadlines given")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="awaited_cards", to="rallies.entry"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="awaited_cards",
                        to="rallies.specialstage",
                    ),
                ),
            ],
            options={
                "verbose_name": "card that is waited for",
                "verbose_name_plural": "cards that are waited for",
                "ordering": ["special_stage", "pk"],
                "indexes": [
                    models.Index(condition=Q(ended_at__isnull=True), fields=["deadline"], name="rallies_cards_due"),
                    models.Index(
                        condition=Q(ended_at__isnull=True, remind_at__isnull=False),
                        fields=["remind_at"],
                        name="rallies_cards_to_remind",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("special_stage", "entry"), name="rallies_card_awaited_once"),
                    models.CheckConstraint(
                        condition=Q(deadline__gte=F("since")), name="rallies_card_due_after_its_start"
                    ),
                ],
            },
        ),
        migrations.RunPython(await_cards, tell_start_lists),
        migrations.RemoveField(model_name="startplace", name="reminded_of"),
        migrations.DeleteModel(name="ControlSweep"),
    ]
