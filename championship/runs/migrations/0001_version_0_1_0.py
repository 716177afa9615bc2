import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.platform.keys
import championship.runs.seal_models
from championship.audit.append_only import append_only

POSTS_IN_THE_MAKING = """
CREATE FUNCTION runs_show_posts_in_the_making() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(
        1919905840, (SELECT ((last_value + is_called::int) % 2147483648)::int FROM runs_post_id_seq));
    RETURN NULL;
END $$;
CREATE TRIGGER runs_posts_in_the_making BEFORE INSERT ON runs_post
    FOR EACH STATEMENT EXECUTE FUNCTION runs_show_posts_in_the_making();
"""
"""A transaction that writes posts shows its first number, so that a reader of all runs knows which numbers are final
(championship/runs/watch/settled.py). A trigger does this, so that no code can forget it.
"""
NO_POSTS_IN_THE_MAKING = """
DROP TRIGGER runs_posts_in_the_making ON runs_post;
DROP FUNCTION runs_show_posts_in_the_making();
"""


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("runs", "0001_initial"),
        ("runs", "0002_chance"),
        ("runs", "0003_drafts"),
        ("runs", "0004_practice"),
        ("runs", "0005_timing"),
        ("runs", "0006_sent_ahead"),
        ("runs", "0007_deadlines_given"),
        ("runs", "0008_replaced_and_called_off"),
        ("runs", "0009_salts_and_seals"),
        ("runs", "0010_due_turns"),
        ("runs", "0010_sweeps_heard"),
        ("runs", "0011_hidden_events"),
        ("runs", "0012_drafts_of_any_game"),
        ("runs", "0013_one_sweep"),
        ("runs", "0014_known_when_the_phase_closes"),
        ("runs", "0015_second_seals"),
        ("runs", "0016_posts_in_the_making"),
        ("runs", "0017_words_of_shared_draws"),
        ("runs", "0018_turn_to_come"),
        ("runs", "0019_longer_words"),
        ("runs", "0020_seats"),
        ("runs", "0021_orders_that_were_not_carried_out"),
        ("runs", "0022_wheel_handed_over"),
        ("runs", "0023_wheel_handed_over_by_organisers"),
    ]

    dependencies = [
        ("audit", "0001_version_0_1_0"),
        ("rallies", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=24, unique=True
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(verbose_name="number")),
                ("game", models.CharField(max_length=20, verbose_name="game")),
                ("ruleset_version", models.CharField(max_length=20, verbose_name="version of the rules")),
                ("stage", models.JSONField(verbose_name="stage")),
                ("entrants", models.JSONField(verbose_name="cars at the start")),
                ("options", models.JSONField(verbose_name="options")),
                ("state", models.JSONField(verbose_name="state")),
                ("version", models.PositiveIntegerField(default=0, verbose_name="version")),
                ("events_told", models.PositiveIntegerField(default=0, verbose_name="events")),
                ("hidden", models.BooleanField(default=False, verbose_name="some events are hidden")),
                ("open_up_to", models.PositiveIntegerField(default=0, verbose_name="phases are closed up to event")),
                ("secret", models.BinaryField(default=championship.runs.seal_models.new_secret, verbose_name="secret")),
                ("commitment", models.CharField(max_length=64, verbose_name="SHA-256 of the secret")),
                ("common", models.BinaryField(blank=True, null=True, verbose_name="secret of shared draws")),
                ("phrases", models.JSONField(default=list, verbose_name="phrases")),
                (
                    "phrases_sha256",
                    models.CharField(
                        blank=True, default="", max_length=64, verbose_name="SHA-256 of the stage's phrases"
                    ),
                ),
                (
                    "second_seal",
                    models.CharField(blank=True, default="", editable=False, max_length=24, verbose_name="second seal"),
                ),
                ("record_format", models.PositiveSmallIntegerField(default=1, verbose_name="format of the record")),
                ("drawn", models.PositiveIntegerField(default=0, verbose_name="draws")),
                (
                    "status",
                    models.CharField(
                        choices=[("running", "On the road"), ("finished", "Finished"), ("cancelled", "Called off")],
                        default="running",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                ("opened_at", models.DateTimeField(verbose_name="opened")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="rallies.specialstage"
                    ),
                ),
            ],
            options={
                "verbose_name": "run",
                "verbose_name_plural": "runs",
                "ordering": ["special_stage", "number"],
            },
        ),
        migrations.CreateModel(
            name="Post",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                ("key", models.CharField(blank=True, max_length=40)),
                ("orders", models.JSONField(verbose_name="orders")),
                ("salt", models.CharField(blank=True, default="", max_length=64, verbose_name="salt")),
                ("draws", models.JSONField(default=list, verbose_name="draws")),
                ("at", models.DateTimeField(verbose_name="received")),
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
                    "run",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="posts", to="runs.run"),
                ),
            ],
            options={
                "verbose_name": "post",
                "verbose_name_plural": "posts",
                "ordering": ["run", "number"],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                ("kind", models.CharField(max_length=60, verbose_name="kind")),
                ("data", models.JSONField(verbose_name="data")),
                (
                    "only",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=8),
                        blank=True,
                        null=True,
                        size=None,
                        verbose_name="readers",
                    ),
                ),
                (
                    "until",
                    models.CharField(
                        blank=True,
                        choices=[("phase", "the phase closes"), ("over", "the run is over")],
                        default="",
                        max_length=5,
                        verbose_name="hidden until",
                    ),
                ),
                (
                    "post",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="events", to="runs.post"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="events", to="runs.run"
                    ),
                ),
            ],
            options={
                "verbose_name": "event",
                "verbose_name_plural": "events",
                "ordering": ["run", "number"],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("laid", models.JSONField(blank=True, default=str, verbose_name="laid")),
                ("orders", models.JSONField(default=dict, verbose_name="standing orders")),
                ("version", models.PositiveIntegerField(verbose_name="version of the run")),
                ("updated_at", models.DateTimeField(verbose_name="changed")),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="runs.run"
                    ),
                ),
            ],
            options={
                "verbose_name": "draft",
                "verbose_name_plural": "drafts",
            },
        ),
        migrations.CreateModel(
            name="Seal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("secret", models.BinaryField(default=championship.runs.seal_models.new_secret, verbose_name="secret")),
                ("commitment", models.CharField(max_length=64, verbose_name="SHA-256 of the secret")),
                ("sealed_at", models.DateTimeField(auto_now_add=True, verbose_name="sealed")),
                (
                    "phrases",
                    models.JSONField(blank=True, null=True, verbose_name="phrases, published when the stage opened"),
                ),
                (
                    "special_stage",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seal", to="rallies.specialstage"
                    ),
                ),
            ],
            options={
                "verbose_name": "seal",
                "verbose_name_plural": "seals",
            },
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("driver", models.CharField(max_length=8, verbose_name="driver")),
                ("position", models.PositiveSmallIntegerField(verbose_name="position")),
                (
                    "codriver_since",
                    models.DateTimeField(blank=True, null=True, verbose_name="codriver at the wheel since"),
                ),
                (
                    "handed_over",
                    models.CharField(
                        blank=True,
                        choices=[("turn", "this turn"), ("stage", "this stage")],
                        db_default="",
                        default="",
                        max_length=5,
                        verbose_name="handed over for",
                    ),
                ),
                (
                    "by_organiser",
                    models.BooleanField(db_default=False, default=False, verbose_name="handed over by an organiser"),
                ),
                (
                    "unlogged",
                    models.JSONField(
                        blank=True, editable=False, null=True, verbose_name="acts of organisers that are not logged yet"
                    ),
                ),
                ("taken_back_at", models.DateTimeField(blank=True, null=True, verbose_name="wheel taken back")),
                (
                    "held",
                    models.JSONField(
                        blank=True, editable=False, null=True, verbose_name="orders that were not carried out"
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seats", to="rallies.entry"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="runs.run"),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="rallies.specialstage"
                    ),
                ),
            ],
            options={
                "verbose_name": "seat",
                "verbose_name_plural": "seats",
                "ordering": ["run", "position"],
            },
        ),
        migrations.CreateModel(
            name="Turn",
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
                ("number", models.PositiveIntegerField(verbose_name="number")),
                ("made_before", models.PositiveIntegerField(verbose_name="turns made before")),
                ("missed", models.BooleanField(default=False, verbose_name="deadline missed")),
                (
                    "done",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("driven", "The codriver drove a careful turn"),
                            ("penalised", "The codriver drove a careful turn, with a penalty"),
                            ("retired", "The car was retired"),
                            ("stood in", "The codriver stood in"),
                            ("handed", "The codriver drove because the driver had handed the car over"),
                            ("given", "The codriver drove because an organiser had handed the car over"),
                        ],
                        max_length=10,
                        verbose_name="done by the clock",
                    ),
                ),
                ("owed", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="penalty to be given")),
                ("nudged_at", models.DateTimeField(blank=True, null=True, verbose_name="reminded by an organiser")),
                (
                    "to_come",
                    models.BooleanField(db_default=False, default=False, verbose_name="cars ahead have yet to drive"),
                ),
                (
                    "sent_in_time",
                    models.BooleanField(db_default=False, default=False, verbose_name="orders were sent in time"),
                ),
                (
                    "run",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="turns", to="runs.run"),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="turns", to="runs.seat"
                    ),
                ),
            ],
            options={
                "verbose_name": "turn",
                "verbose_name_plural": "turns",
                "ordering": ["run", "number"],
            },
        ),
        migrations.CreateModel(
            name="SentAhead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("laid", models.JSONField(verbose_name="laid")),
                ("orders", models.JSONField(verbose_name="standing orders")),
                ("salt", models.CharField(blank=True, default="", max_length=64, verbose_name="salt")),
                ("outlook", models.JSONField(verbose_name="what it meets")),
                ("version", models.PositiveIntegerField(verbose_name="version of the run")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waits for the turn"),
                            ("driven", "driven"),
                            ("not driven", "not driven"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="waiting",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=400, verbose_name="reason")),
                ("values", models.JSONField(default=dict)),
                ("rule", models.CharField(blank=True, max_length=8, verbose_name="rule")),
                ("move", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="move")),
                ("sent_at", models.DateTimeField(verbose_name="sent")),
                ("settled_at", models.DateTimeField(blank=True, null=True, verbose_name="settled")),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sent_ahead", to="runs.seat"
                    ),
                ),
                (
                    "turn",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="sent_ahead",
                        to="runs.turn",
                    ),
                ),
            ],
            options={
                "verbose_name": "plan sent ahead",
                "verbose_name_plural": "plans sent ahead",
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="post",
            name="turn",
            field=models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="posts", to="runs.turn"
            ),
        ),
        migrations.CreateModel(
            name="Phrase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.CharField(max_length=80, verbose_name="phrase")),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="phrases", to="rallies.entry"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="phrases", to="rallies.specialstage"
                    ),
                ),
            ],
            options={
                "verbose_name": "phrase",
                "verbose_name_plural": "phrases",
                "ordering": ["special_stage", "entry"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("special_stage", "entry"), name="runs_one_phrase_per_entry_and_stage"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Practice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("skipped", models.JSONField(default=list, verbose_name="skipped lessons")),
                ("begun_at", models.DateTimeField(verbose_name="begun")),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="practices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rally",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="practised", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "practice",
                "verbose_name_plural": "practices",
                "ordering": ["-begun_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("person",),
                        name="runs_one_practice_at_a_time",
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(fields=("special_stage", "number"), name="runs_number_once_per_stage"),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", True), ("status", "running")),
                    models.Q(("finished_at__isnull", False), ("status__in", ["finished", "cancelled"])),
                    _connector="OR",
                ),
                name="runs_finished_at_a_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.UniqueConstraint(fields=("run", "number"), name="runs_event_number_once_per_run"),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("only__isnull", True), ("until", "")),
                    models.Q(("only__isnull", False), ("until__in", ["phase", "over"])),
                    _connector="OR",
                ),
                name="runs_event_open_or_hidden_until_a_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(fields=("run", "person"), name="runs_one_draft_per_run_and_person"),
        ),
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(fields=("run", "position"), name="runs_one_car_per_position"),
        ),
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(fields=("run", "driver"), name="runs_driver_once_per_run"),
        ),
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(
                fields=("special_stage", "entry"), name="runs_entry_in_one_run_per_stage"
            ),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", True)), fields=["deadline"], name="runs_turns_due"
            ),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", True), ("remind_at__isnull", False)),
                fields=["remind_at"],
                name="runs_turns_to_remind",
            ),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(condition=models.Q(("missed", True)), fields=["seat"], name="runs_turns_missed"),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", True)), fields=["seat"], name="runs_open_turns_by_seat"
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(fields=("run", "number"), name="runs_turn_number_once_per_run"),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)),
                fields=("run", "seat"),
                name="runs_one_open_turn_per_seat",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(("deadline__gte", models.F("since"))), name="runs_deadline_after_its_start"
            ),
        ),
        migrations.AddConstraint(
            model_name="sentahead",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "waiting")), fields=("seat",), name="runs_one_plan_ahead_per_seat"
            ),
        ),
        migrations.AddConstraint(
            model_name="sentahead",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("settled_at__isnull", True), ("state", "waiting")),
                    models.Q(models.Q(("state", "waiting"), _negated=True), ("settled_at__isnull", False)),
                    _connector="OR",
                ),
                name="runs_plan_ahead_settled_at_a_moment",
            ),
        ),
        migrations.AddConstraint(
            model_name="post",
            constraint=models.UniqueConstraint(fields=("run", "number"), name="runs_post_number_once_per_run"),
        ),
        migrations.AddConstraint(
            model_name="post",
            constraint=models.UniqueConstraint(
                condition=models.Q(("key", ""), _negated=True),
                fields=("run", "by", "key"),
                name="runs_same_post_plays_once",
            ),
        ),
        append_only("runs_event"),
        migrations.RunSQL(POSTS_IN_THE_MAKING, NO_POSTS_IN_THE_MAKING),
    ]
