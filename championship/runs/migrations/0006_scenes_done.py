"""The scenes of the schools that people have done."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0005_seats_seen_open"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SceneDone",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("game", models.CharField(max_length=20, verbose_name="game")),
                ("scene", models.CharField(max_length=40, verbose_name="scene")),
                ("done_at", models.DateTimeField(verbose_name="done")),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scenes_done",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "scene done",
                "verbose_name_plural": "scenes done",
                "ordering": ["person", "done_at"],
                "constraints": [
                    models.UniqueConstraint(fields=("person", "game", "scene"), name="runs_scene_done_once")
                ],
            },
        ),
    ]
