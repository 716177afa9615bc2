import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import championship.platform.clock
import championship.platform.keys


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("stages", "0001_initial"),
        ("stages", "0002_rating"),
        ("stages", "0003_stage_drafts"),
        ("stages", "0004_rating_asked_by_the_clock"),
        ("stages", "0005_names_of_things"),
    ]

    dependencies = [
        ("clubs", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StageDesign",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=12, unique=True
                    ),
                ),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("game", models.CharField(max_length=20)),
                ("spec", models.JSONField()),
                ("designer", models.CharField(blank=True, max_length=80, verbose_name="designer")),
                ("source", models.CharField(blank=True, max_length=20)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "club",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stage_designs",
                        to="clubs.club",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "stage design",
                "verbose_name_plural": "stage designs",
                "ordering": ["game", "source", "name", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seed", models.PositiveIntegerField(verbose_name="seed")),
                (
                    "asked_at",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="asked"),
                ),
                ("rated_at", models.DateTimeField(blank=True, null=True, verbose_name="rated")),
                ("result", models.JSONField(blank=True, null=True, verbose_name="result")),
                (
                    "design",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ratings", to="stages.stagedesign"
                    ),
                ),
            ],
            options={
                "verbose_name": "rating",
                "verbose_name_plural": "ratings",
            },
        ),
        migrations.CreateModel(
            name="StageDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("game", models.CharField(max_length=20)),
                ("name", models.CharField(blank=True, max_length=80, verbose_name="name")),
                ("spec", models.JSONField(verbose_name="course")),
                ("history", models.JSONField(default=list, verbose_name="history")),
                ("wishes", models.JSONField(default=dict, verbose_name="wishes")),
                ("version", models.PositiveIntegerField(default=0, verbose_name="version")),
                ("updated_at", models.DateTimeField(auto_now=True, verbose_name="changed")),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="stage_drafts", to="clubs.club"
                    ),
                ),
            ],
            options={
                "verbose_name": "stage draft",
                "verbose_name_plural": "stage drafts",
            },
        ),
        migrations.CreateModel(
            name="Chunk",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first", models.PositiveIntegerField(verbose_name="first run")),
                ("runs", models.PositiveSmallIntegerField(verbose_name="runs")),
                ("driven", models.JSONField(blank=True, null=True, verbose_name="driven")),
                (
                    "rating",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="chunks", to="stages.rating"
                    ),
                ),
            ],
            options={
                "verbose_name": "chunk of a rating",
                "verbose_name_plural": "chunks of a rating",
                "constraints": [models.UniqueConstraint(fields=("rating", "first"), name="stages_chunk_once")],
            },
        ),
        migrations.AddConstraint(
            model_name="stagedesign",
            constraint=models.UniqueConstraint(
                condition=models.Q(("club", None)), fields=("game", "source"), name="stages_ready_made_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="stagedesign",
            constraint=models.UniqueConstraint(fields=("club", "name"), name="stages_name_once_in_a_club"),
        ),
        migrations.AddConstraint(
            model_name="stagedesign",
            constraint=models.CheckConstraint(
                condition=models.Q(("name", ""), _negated=True), name="stages_design_has_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="stagedesign",
            constraint=models.CheckConstraint(
                condition=models.Q(("club__isnull", False), models.Q(("source", ""), _negated=True), _connector="OR"),
                name="stages_ready_made_has_a_source",
            ),
        ),
        migrations.AddConstraint(
            model_name="stagedesign",
            constraint=models.CheckConstraint(
                condition=models.Q(("club__isnull", False), ("created_by", None), _connector="OR"),
                name="stages_ready_made_by_nobody_here",
            ),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.UniqueConstraint(fields=("design", "seed"), name="stages_rating_seed_once"),
        ),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.UniqueConstraint(
                condition=models.Q(("rated_at", None)), fields=("design",), name="stages_one_rating_under_way"
            ),
        ),
        migrations.AddConstraint(
            model_name="stagedraft",
            constraint=models.UniqueConstraint(fields=("club", "author", "game"), name="stages_one_draft_on_the_bench"),
        ),
    ]
