import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.platform.clock
import championship.platform.keys
from championship.audit.append_only import append_only


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("rallies", "0001_initial"),
        ("rallies", "0002_timekeeping"),
        ("rallies", "0003_practice"),
        ("rallies", "0004_rulings"),
        ("rallies", "0005_control_sweeps"),
        ("rallies", "0006_running_a_rally"),
        ("rallies", "0007_running_a_rally_goes_on"),
        ("rallies", "0008_impartial_officials"),
        ("rallies", "0009_who_gave_what_drove"),
        ("rallies", "0010_driven_by_codriver"),
        ("rallies", "0011_kept_papers"),
        ("rallies", "0012_measures"),
        ("rallies", "0013_reasons_and_details"),
        ("rallies", "0014_results_of_every_game"),
        ("rallies", "0015_names_of_things"),
        ("rallies", "0016_ten_colours"),
        ("rallies", "0017_awaited_cards"),
        ("rallies", "0018_manner_of_codrivers"),
        ("rallies", "0019_open_stages"),
        ("rallies", "0020_results_seen_and_who_drove"),
        ("rallies", "0021_rounds_together"),
        ("rallies", "0022_acting_dates"),
        ("rallies", "0023_courses_by_name"),
        ("rallies", "0024_longer_words"),
    ]

    dependencies = [
        ("audit", "0001_version_0_1_0"),
        ("clubs", "0001_version_0_1_0"),
        ("stages", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Rally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("entries_close_at", models.DateTimeField(blank=True, null=True, verbose_name="entries close")),
                (
                    "entries_closed",
                    models.BooleanField(db_default=False, default=False, verbose_name="entries are closed"),
                ),
                ("starts_at", models.DateTimeField(blank=True, null=True, verbose_name="starts at")),
                (
                    "turn_hours",
                    models.PositiveSmallIntegerField(
                        default=24,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(720),
                        ],
                        verbose_name="hours per turn",
                    ),
                ),
                ("reminder_hours", models.PositiveSmallIntegerField(default=4, verbose_name="reminder, hours before")),
                (
                    "pace",
                    models.CharField(
                        choices=[
                            ("turn", "So many hours for every turn"),
                            ("bank", "A bank of hours, and some more with every turn"),
                            ("closing", "Only until the stage closes"),
                        ],
                        default="turn",
                        max_length=8,
                        verbose_name="pace",
                    ),
                ),
                (
                    "bank_hours",
                    models.PositiveSmallIntegerField(
                        default=72,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(2160),
                        ],
                        verbose_name="hours in the bank",
                    ),
                ),
                (
                    "bank_per",
                    models.CharField(
                        choices=[("stage", "for each stage anew"), ("rally", "for the whole rally")],
                        default="stage",
                        max_length=8,
                        verbose_name="the bank is",
                    ),
                ),
                (
                    "increment_hours",
                    models.PositiveSmallIntegerField(
                        default=12,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(720),
                        ],
                        verbose_name="hours that every turn adds",
                    ),
                ),
                (
                    "stage_hours",
                    models.PositiveSmallIntegerField(
                        default=168,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(2160),
                        ],
                        verbose_name="hours that a stage is open",
                    ),
                ),
                (
                    "rounds_together",
                    models.BooleanField(db_default=False, default=False, verbose_name="rounds together"),
                ),
                (
                    "table_size",
                    models.PositiveSmallIntegerField(db_default=0, default=0, verbose_name="cars at a table"),
                ),
                ("quiet_from", models.TimeField(blank=True, null=True, verbose_name="quiet hours from")),
                ("quiet_to", models.TimeField(blank=True, null=True, verbose_name="quiet hours to")),
                ("weekends_count", models.BooleanField(default=True, verbose_name="weekends count")),
                (
                    "holidays",
                    models.CharField(
                        choices=[("wait", "the run waits"), ("codriver", "the codriver drives")],
                        default="wait",
                        max_length=8,
                        verbose_name="during holidays",
                    ),
                ),
                (
                    "miss_penalty",
                    models.PositiveSmallIntegerField(
                        default=0,
                        validators=[django.core.validators.MaxValueValidator(3600)],
                        verbose_name="penalty for a missed deadline",
                    ),
                ),
                (
                    "retire_after",
                    models.PositiveSmallIntegerField(default=0, verbose_name="retirement after missed deadlines"),
                ),
                (
                    "after_miss",
                    models.CharField(
                        choices=[
                            ("turn", "only this turn"),
                            ("stage", "the rest of the stage, until the driver takes it back"),
                        ],
                        default="turn",
                        max_length=8,
                        verbose_name="after a missed deadline the codriver drives",
                    ),
                ),
                (
                    "hand_back_hours",
                    models.PositiveSmallIntegerField(
                        default=12,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(168),
                        ],
                        verbose_name="hours to take the wheel back",
                    ),
                ),
                ("paused_at", models.DateTimeField(blank=True, null=True, verbose_name="paused")),
                ("pause_reason", models.CharField(blank=True, max_length=200, verbose_name="reason of the pause")),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=24, unique=True
                    ),
                ),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("game", models.CharField(max_length=20, verbose_name="game")),
                ("ruleset_version", models.CharField(max_length=20, verbose_name="version of the rules")),
                ("options", models.JSONField(default=dict, verbose_name="options")),
                (
                    "unit",
                    models.CharField(
                        choices=[("seconds", "seconds"), ("points", "points"), ("places", "places")],
                        default="seconds",
                        max_length=8,
                        verbose_name="unit of results",
                    ),
                ),
                (
                    "better",
                    models.CharField(
                        choices=[("fewest", "the fewest win"), ("most", "the most win")],
                        default="fewest",
                        max_length=8,
                        verbose_name="who wins",
                    ),
                ),
                (
                    "mode",
                    models.CharField(
                        choices=[
                            ("convoy", "Convoy: cars on the road together"),
                            ("open road", "Open road: every car alone against the clock"),
                        ],
                        default="convoy",
                        max_length=12,
                        verbose_name="mode",
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("entries", "Entries open"),
                            ("running", "Under way"),
                            ("finished", "Finished"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="entries",
                        max_length=12,
                        verbose_name="status",
                    ),
                ),
                ("auto_start", models.BooleanField(default=True, verbose_name="open the next stage at once")),
                (
                    "entry_limit",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(999),
                        ],
                        verbose_name="most cars",
                    ),
                ),
                ("classes", models.JSONField(blank=True, default=list, verbose_name="car classes")),
                (
                    "seeded_by",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("draw", "drawn by lot"),
                            ("standing", "by the standing in the championship"),
                            ("hand", "written by hand"),
                        ],
                        editable=False,
                        max_length=10,
                        verbose_name="start list",
                    ),
                ),
                ("cancel_reason", models.CharField(blank=True, max_length=200, verbose_name="why it was cancelled")),
                ("practice", models.BooleanField(default=False, editable=False, verbose_name="a practice stage")),
                (
                    "for_everybody",
                    models.BooleanField(db_default=False, default=False, editable=False, verbose_name="an open stage"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rallies", to="clubs.club"
                    ),
                ),
            ],
            options={
                "verbose_name": "rally",
                "verbose_name_plural": "rallies",
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Pause",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("began_at", models.DateTimeField(verbose_name="began")),
                ("ended_at", models.DateTimeField(verbose_name="ended")),
                ("reason", models.CharField(max_length=200, verbose_name="reason")),
                (
                    "rally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pauses", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "pause",
                "verbose_name_plural": "pauses",
                "ordering": ["rally", "began_at"],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.CharField(max_length=2000, verbose_name="message")),
                ("told", models.PositiveSmallIntegerField(verbose_name="people told")),
                ("at", models.DateTimeField(verbose_name="sent")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "rally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="messages", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "message to the entrants",
                "verbose_name_plural": "messages to the entrants",
                "ordering": ["-at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "driven_by",
                    models.CharField(
                        choices=[("person", "Driver"), ("codriver", "Codriver")],
                        default="person",
                        max_length=10,
                        verbose_name="driven by",
                    ),
                ),
                (
                    "manner",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=20, verbose_name="manner of the codriver"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("waiting", "On the waiting list"),
                            ("confirmed", "Confirmed"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="requested",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                ("start_number", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="start number")),
                ("crew", models.CharField(max_length=80, verbose_name="crew")),
                ("car_class", models.CharField(blank=True, max_length=20, verbose_name="car class")),
                ("colour", models.PositiveSmallIntegerField(default=0, verbose_name="colour")),
                ("car", models.JSONField(blank=True, null=True, verbose_name="car")),
                (
                    "bank_seconds",
                    models.PositiveIntegerField(blank=True, null=True, verbose_name="seconds left in the bank"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="entered")),
                ("asked_at", models.DateTimeField(default=championship.platform.clock.now, verbose_name="asked")),
                (
                    "result_seen_at",
                    models.DateTimeField(blank=True, editable=False, null=True, verbose_name="result looked at"),
                ),
                (
                    "driver",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="entries", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "rally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "entry",
                "verbose_name_plural": "entries",
                "ordering": ["rally", models.OrderBy(models.F("start_number"), nulls_last=True), "created_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="SpecialStage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveSmallIntegerField(
                        validators=[django.core.validators.MinValueValidator(1)], verbose_name="number"
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=80, verbose_name="name")),
                ("spec", models.JSONField(verbose_name="course as driven")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("planned", "Planned"),
                            ("running", "On the road"),
                            ("time control", "Time control"),
                            ("done", "Done"),
                            ("cancelled", "Called off"),
                        ],
                        default="planned",
                        max_length=12,
                        verbose_name="status",
                    ),
                ),
                ("opened_at", models.DateTimeField(blank=True, null=True, verbose_name="opened")),
                ("closed_at", models.DateTimeField(blank=True, null=True, verbose_name="closed")),
                ("closes_at", models.DateTimeField(blank=True, null=True, verbose_name="closes")),
                ("control_opened_at", models.DateTimeField(blank=True, null=True, verbose_name="time control opened")),
                (
                    "control_deadline",
                    models.DateTimeField(blank=True, db_index=True, null=True, verbose_name="time control closes"),
                ),
                (
                    "design",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="special_stages",
                        to="stages.stagedesign",
                    ),
                ),
                (
                    "rally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="stages", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "special stage",
                "verbose_name_plural": "special stages",
                "ordering": ["rally", "number"],
            },
        ),
        migrations.CreateModel(
            name="Penalty",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "author_drives",
                    models.BooleanField(default=False, editable=False, verbose_name="its author drives in the rally"),
                ),
                ("amount", models.IntegerField(verbose_name="amount")),
                ("reason", models.CharField(max_length=200, verbose_name="reason")),
                ("missed_turn", models.PositiveIntegerField(blank=True, null=True, verbose_name="missed turn")),
                (
                    "at",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="given"),
                ),
                ("lifted_at", models.DateTimeField(blank=True, null=True, verbose_name="lifted")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="penalties", to="rallies.entry"
                    ),
                ),
                (
                    "given_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="penalties", to="rallies.rally"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="penalties",
                        to="rallies.specialstage",
                    ),
                ),
            ],
            options={
                "verbose_name": "penalty",
                "verbose_name_plural": "penalties",
                "ordering": ["rally", "at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="CrewChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("crew_before", models.CharField(max_length=80, verbose_name="crew before")),
                ("crew", models.CharField(max_length=80, verbose_name="crew")),
                ("reason", models.CharField(blank=True, max_length=200, verbose_name="reason")),
                ("at", models.DateTimeField(verbose_name="when")),
                (
                    "before",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "driver",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="crew_changes", to="rallies.entry"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="rallies.specialstage"
                    ),
                ),
            ],
            options={
                "verbose_name": "change of crew",
                "verbose_name_plural": "changes of crew",
                "ordering": ["at", "pk"],
            },
        ),
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
            },
        ),
        migrations.CreateModel(
            name="StageTime",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("measure", models.IntegerField(blank=True, null=True, verbose_name="result")),
                ("rank", models.JSONField(blank=True, default=list, verbose_name="order among equals")),
                ("retired", models.BooleanField(default=False, verbose_name="retired")),
                ("reason", models.CharField(blank=True, max_length=80, verbose_name="why it retired")),
                (
                    "stood_in",
                    models.BooleanField(db_default=False, default=False, verbose_name="the codriver stood in"),
                ),
                ("detail", models.JSONField(blank=True, default=dict, verbose_name="detail")),
                ("car", models.JSONField(null=True, verbose_name="car at the finish")),
                ("recorded_at", models.DateTimeField(auto_now_add=True, verbose_name="recorded")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="times", to="rallies.entry"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="times", to="rallies.specialstage"
                    ),
                ),
            ],
            options={
                "verbose_name": "stage time",
                "verbose_name_plural": "stage times",
                "ordering": ["special_stage", models.OrderBy(models.F("measure"), nulls_last=True), "pk"],
            },
        ),
        migrations.CreateModel(
            name="StartPlace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField(verbose_name="position")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="start_places", to="rallies.entry"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="start_places",
                        to="rallies.specialstage",
                    ),
                ),
            ],
            options={
                "verbose_name": "start list place",
                "verbose_name_plural": "start list",
                "ordering": ["special_stage", "position"],
            },
        ),
        migrations.CreateModel(
            name="TimeByHand",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "author_drives",
                    models.BooleanField(default=False, editable=False, verbose_name="its author drives in the rally"),
                ),
                ("measure", models.IntegerField(verbose_name="result")),
                ("reason", models.CharField(max_length=200, verbose_name="reason")),
                (
                    "at",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="given"),
                ),
                ("lifted_at", models.DateTimeField(blank=True, null=True, verbose_name="lifted")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="times_by_hand", to="rallies.entry"
                    ),
                ),
                (
                    "given_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="times_by_hand",
                        to="rallies.specialstage",
                    ),
                ),
            ],
            options={
                "verbose_name": "stage time set by hand",
                "verbose_name_plural": "stage times set by hand",
                "ordering": ["at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="TimeControlCard",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("decision", models.JSONField(default=dict, verbose_name="decision")),
                ("amount", models.IntegerField(default=0, verbose_name="what it cost")),
                ("car_after", models.JSONField(null=True, verbose_name="car as it goes into the next stage")),
                ("submitted_at", models.DateTimeField(auto_now_add=True, verbose_name="handed in")),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cards", to="rallies.entry"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cards", to="rallies.specialstage"
                    ),
                ),
            ],
            options={
                "verbose_name": "time-control card",
                "verbose_name_plural": "time-control cards",
            },
        ),
        migrations.CreateModel(
            name="Exclusion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "author_drives",
                    models.BooleanField(default=False, editable=False, verbose_name="its author drives in the rally"),
                ),
                ("reason", models.CharField(max_length=200, verbose_name="reason")),
                (
                    "at",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="given"),
                ),
                ("lifted_at", models.DateTimeField(blank=True, null=True, verbose_name="lifted")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="exclusions", to="rallies.entry"
                    ),
                ),
                (
                    "given_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "exclusion",
                "verbose_name_plural": "exclusions",
                "ordering": ["at", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at__isnull", True)), fields=("entry",), name="rallies_excluded_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="rallies_exclusion_has_a_reason"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PenaltyWithdrawal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "author_drives",
                    models.BooleanField(default=False, editable=False, verbose_name="its author drives in the rally"),
                ),
                ("reason", models.CharField(max_length=200, verbose_name="reason")),
                ("at", models.DateTimeField(verbose_name="withdrawn")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "penalty",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="withdrawal", to="rallies.penalty"
                    ),
                ),
            ],
            options={
                "verbose_name": "withdrawal of a penalty",
                "verbose_name_plural": "withdrawals of penalties",
                "ordering": ["at", "pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="rallies_withdrawal_has_a_reason"
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("quiet_from__isnull", True), ("quiet_to__isnull", True)),
                    models.Q(("quiet_from__isnull", False), ("quiet_to__isnull", False)),
                    _connector="OR",
                ),
                name="rallies_quiet_hours_have_both_ends",
            ),
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(("retire_after", 1), _negated=True), name="rallies_nobody_retires_at_the_first_miss"
            ),
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(("bank_hours__gte", 1), ("increment_hours__gte", 1), ("stage_hours__gte", 1)),
                name="rallies_every_turn_has_an_hour",
            ),
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("paused_at__isnull", True), models.Q(("pause_reason", ""), _negated=True), _connector="OR"
                ),
                name="rallies_paused_for_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(("turn_hours__gte", 1), ("turn_hours__lte", 720)),
                name="rallies_turn_takes_an_hour_to_a_month",
            ),
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(("reminder_hours__lt", models.F("turn_hours"))),
                name="rallies_reminder_within_the_turn",
            ),
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ["running", "finished"]), _negated=True),
                    ("started_at__isnull", False),
                    _connector="OR",
                ),
                name="rallies_under_way_once_started",
            ),
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "finished"), _negated=True), ("finished_at__isnull", False), _connector="OR"
                ),
                name="rallies_finished_at_a_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="rally",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("entry_limit__isnull", True),
                    models.Q(("entry_limit__gte", 1), ("entry_limit__lte", 999)),
                    _connector="OR",
                ),
                name="rallies_room_for_1_to_999_cars",
            ),
        ),
        migrations.AddConstraint(
            model_name="pause",
            constraint=models.CheckConstraint(
                condition=models.Q(("ended_at__gte", models.F("began_at"))), name="rallies_pause_ends_after_its_start"
            ),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.CheckConstraint(
                condition=models.Q(("text", ""), _negated=True), name="rallies_message_says_something"
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("driven_by", "codriver")), fields=["rally"], name="rallies_driven_by_codriver"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["requested", "waiting", "confirmed"])),
                fields=("rally", "driver"),
                name="rallies_driver_once_per_rally",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("start_number__isnull", False)),
                fields=("rally", "start_number"),
                name="rallies_start_number_once_per_rally",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("start_number__isnull", True),
                    models.Q(("start_number__gte", 1), ("start_number__lte", 999)),
                    _connector="OR",
                ),
                name="rallies_start_numbers_1_to_999",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("start_number__isnull", False), ("status", "confirmed")),
                    models.Q(models.Q(("status", "confirmed"), _negated=True), ("start_number__isnull", True)),
                    _connector="OR",
                ),
                name="rallies_start_number_when_confirmed",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("colour__lt", 10)), name="rallies_colour_of_the_palette"
            ),
        ),
        migrations.AddConstraint(
            model_name="specialstage",
            constraint=models.UniqueConstraint(fields=("rally", "number"), name="rallies_stage_number_once_per_rally"),
        ),
        migrations.AddConstraint(
            model_name="specialstage",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1)), name="rallies_stage_numbers_from_one"
            ),
        ),
        migrations.AddConstraint(
            model_name="specialstage",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["running", "time control"])),
                fields=("rally",),
                name="rallies_one_stage_open_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="specialstage",
            constraint=models.CheckConstraint(
                condition=models.Q(("status", "planned"), ("opened_at__isnull", False), _connector="OR"),
                name="rallies_driven_once_opened",
            ),
        ),
        migrations.AddConstraint(
            model_name="specialstage",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "time control"), _negated=True),
                    ("control_deadline__isnull", False),
                    _connector="OR",
                ),
                name="rallies_time_control_has_a_deadline",
            ),
        ),
        migrations.AddConstraint(
            model_name="specialstage",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "done"), _negated=True), ("closed_at__isnull", False), _connector="OR"
                ),
                name="rallies_done_at_a_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="penalty",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount", 0), _negated=True), name="rallies_penalty_is_not_nothing"
            ),
        ),
        migrations.AddConstraint(
            model_name="penalty",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="rallies_penalty_has_a_reason"
            ),
        ),
        migrations.AddConstraint(
            model_name="penalty",
            constraint=models.CheckConstraint(
                condition=models.Q(("given_by__isnull", False), ("missed_turn__isnull", False), _connector="OR"),
                name="rallies_penalty_by_somebody_or_the_clock",
            ),
        ),
        migrations.AddConstraint(
            model_name="penalty",
            constraint=models.UniqueConstraint(
                condition=models.Q(("missed_turn__isnull", False)),
                fields=("special_stage", "entry", "missed_turn"),
                name="rallies_one_penalty_per_missed_turn",
            ),
        ),
        migrations.AddConstraint(
            model_name="crewchange",
            constraint=models.CheckConstraint(
                condition=models.Q(("before__isnull", False), ("driver__isnull", False), _connector="OR"),
                name="rallies_somebody_else_drives",
            ),
        ),
        migrations.AddIndex(
            model_name="awaitedcard",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", True)), fields=["deadline"], name="rallies_cards_due"
            ),
        ),
        migrations.AddIndex(
            model_name="awaitedcard",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", True), ("remind_at__isnull", False)),
                fields=["remind_at"],
                name="rallies_cards_to_remind",
            ),
        ),
        migrations.AddConstraint(
            model_name="awaitedcard",
            constraint=models.UniqueConstraint(fields=("special_stage", "entry"), name="rallies_card_awaited_once"),
        ),
        migrations.AddConstraint(
            model_name="awaitedcard",
            constraint=models.CheckConstraint(
                condition=models.Q(("deadline__gte", models.F("since"))), name="rallies_card_due_after_its_start"
            ),
        ),
        migrations.AddConstraint(
            model_name="stagetime",
            constraint=models.UniqueConstraint(fields=("special_stage", "entry"), name="rallies_one_time_per_stage"),
        ),
        migrations.AddConstraint(
            model_name="stagetime",
            constraint=models.CheckConstraint(
                condition=models.Q(("retired", True), ("reason", ""), _connector="OR"),
                name="rallies_a_finisher_did_not_retire",
            ),
        ),
        migrations.AddConstraint(
            model_name="startplace",
            constraint=models.UniqueConstraint(fields=("special_stage", "entry"), name="rallies_entry_starts_once"),
        ),
        migrations.AddConstraint(
            model_name="startplace",
            constraint=models.UniqueConstraint(fields=("special_stage", "position"), name="rallies_one_car_per_start"),
        ),
        migrations.AddConstraint(
            model_name="startplace",
            constraint=models.CheckConstraint(
                condition=models.Q(("position__gte", 1)), name="rallies_start_list_from_one"
            ),
        ),
        migrations.AddConstraint(
            model_name="timebyhand",
            constraint=models.UniqueConstraint(
                condition=models.Q(("lifted_at__isnull", True)),
                fields=("special_stage", "entry"),
                name="rallies_one_time_by_hand_per_stage",
            ),
        ),
        migrations.AddConstraint(
            model_name="timebyhand",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="rallies_time_by_hand_has_a_reason"
            ),
        ),
        migrations.AddConstraint(
            model_name="timecontrolcard",
            constraint=models.UniqueConstraint(fields=("special_stage", "entry"), name="rallies_one_card_per_stage"),
        ),
        append_only("rallies_crewchange"),
        append_only("rallies_message"),
        append_only("rallies_penaltywithdrawal"),
    ]
