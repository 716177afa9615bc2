import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.platform.keys


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("seasons", "0001_initial"),
        ("seasons", "0002_schemes_classes_and_teams"),
        ("seasons", "0003_drafts_and_versions"),
        ("seasons", "0004_penalties_in_any_unit"),
        ("seasons", "0005_who_scores"),
        ("seasons", "0006_names_in_one_form"),
    ]

    dependencies = [
        ("clubs", "0001_version_0_1_0"),
        ("rallies", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Championship",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=24, unique=True
                    ),
                ),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("points", models.JSONField(verbose_name="points")),
                ("power", models.JSONField(default=list, verbose_name="points of the power stage")),
                ("class_points", models.JSONField(default=list, verbose_name="points in a class")),
                (
                    "team_counts",
                    models.PositiveSmallIntegerField(default=2, verbose_name="drivers who score for a team"),
                ),
                ("drop", models.PositiveSmallIntegerField(default=0, verbose_name="rounds dropped")),
                ("tie_breaks", models.JSONField(default=list, verbose_name="tie-breaks")),
                (
                    "without_codrivers",
                    models.BooleanField(
                        db_default=False, default=False, verbose_name="cars of the codriver do not score"
                    ),
                ),
                (
                    "registered_only",
                    models.BooleanField(db_default=False, default=False, verbose_name="only registered drivers score"),
                ),
                ("classes", models.JSONField(default=list, verbose_name="car classes")),
                ("rally_settings", models.JSONField(default=dict, verbose_name="settings of its rallies")),
                ("version", models.PositiveIntegerField(default=0, editable=False, verbose_name="version")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="championships", to="clubs.club"
                    ),
                ),
            ],
            options={
                "verbose_name": "championship",
                "verbose_name_plural": "championships",
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveSmallIntegerField(
                        validators=[django.core.validators.MinValueValidator(1)], verbose_name="number"
                    ),
                ),
                ("power_stage", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="power stage")),
                ("planned_for", models.DateField(blank=True, null=True, verbose_name="day")),
                (
                    "championship",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rounds", to="seasons.championship"
                    ),
                ),
                (
                    "rally",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="round", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "round",
                "verbose_name_plural": "rounds",
                "ordering": ["championship", "number"],
            },
        ),
        migrations.CreateModel(
            name="SeasonDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=24, unique=True
                    ),
                ),
                ("said", models.JSONField(default=dict, verbose_name="plan")),
                ("version", models.PositiveIntegerField(default=0, verbose_name="version")),
                ("updated_at", models.DateTimeField(auto_now=True, verbose_name="changed")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="season_drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="season_drafts", to="clubs.club"
                    ),
                ),
                (
                    "made",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafted",
                        to="seasons.championship",
                        verbose_name="made",
                    ),
                ),
            ],
            options={
                "verbose_name": "draft of a season",
                "verbose_name_plural": "drafts of seasons",
            },
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, verbose_name="name")),
                (
                    "championship",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="teams", to="seasons.championship"
                    ),
                ),
            ],
            options={
                "verbose_name": "team",
                "verbose_name_plural": "teams",
                "ordering": ["championship", "name"],
            },
        ),
        migrations.CreateModel(
            name="Registration",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("crew", models.CharField(max_length=80, verbose_name="crew")),
                ("car_class", models.CharField(blank=True, max_length=20, verbose_name="car class")),
                ("start_number", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="start number")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="registered")),
                (
                    "championship",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="registrations",
                        to="seasons.championship",
                    ),
                ),
                (
                    "driver",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="registrations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="registrations",
                        to="seasons.team",
                    ),
                ),
            ],
            options={
                "verbose_name": "registration",
                "verbose_name_plural": "registrations",
                "ordering": [
                    "championship",
                    models.OrderBy(models.F("start_number"), nulls_last=True),
                    "created_at",
                    "pk",
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="championship",
            constraint=models.CheckConstraint(
                condition=models.Q(("points", []), _negated=True), name="seasons_points_for_some_place"
            ),
        ),
        migrations.AddConstraint(
            model_name="championship",
            constraint=models.CheckConstraint(
                condition=models.Q(("team_counts__gte", 1)), name="seasons_somebody_scores_for_a_team"
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.UniqueConstraint(fields=("championship", "number"), name="seasons_round_number_once"),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="seasons_rounds_from_one"),
        ),
        migrations.AddConstraint(
            model_name="seasondraft",
            constraint=models.UniqueConstraint(
                condition=models.Q(("made__isnull", True)), fields=("club", "by"), name="seasons_one_draft_at_a_time"
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(fields=("championship", "name"), name="seasons_team_name_once"),
        ),
        migrations.AddConstraint(
            model_name="registration",
            constraint=models.UniqueConstraint(fields=("championship", "driver"), name="seasons_driver_once"),
        ),
        migrations.AddConstraint(
            model_name="registration",
            constraint=models.UniqueConstraint(
                condition=models.Q(("start_number__isnull", False)),
                fields=("championship", "start_number"),
                name="seasons_start_number_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="registration",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("start_number__isnull", True),
                    models.Q(("start_number__gte", 1), ("start_number__lte", 999)),
                    _connector="OR",
                ),
                name="seasons_start_numbers_1_to_999",
            ),
        ),
    ]
