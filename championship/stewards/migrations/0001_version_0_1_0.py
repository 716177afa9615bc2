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
        ("stewards", "0001_initial"),
        ("stewards", "0002_decisions_stay"),
        ("stewards", "0003_impartial_stewards"),
        ("stewards", "0004_who_decided_drove"),
        ("stewards", "0005_amounts"),
    ]

    dependencies = [
        ("audit", "0001_version_0_1_0"),
        ("rallies", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "author_drives",
                    models.BooleanField(default=False, editable=False, verbose_name="its author drives in the rally"),
                ),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=24, unique=True
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(verbose_name="number")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("no action", "No further action"),
                            ("penalty", "Penalty or bonus"),
                            ("reprimand", "Reprimand"),
                            ("exclusion", "Exclusion"),
                            ("stage time", "Result of a stage set by hand"),
                            ("reversal", "An earlier decision no longer holds"),
                        ],
                        max_length=12,
                        verbose_name="decision",
                    ),
                ),
                ("amount", models.IntegerField(blank=True, null=True, verbose_name="amount")),
                ("text", models.TextField(max_length=4000, verbose_name="reasons")),
                (
                    "at",
                    models.DateTimeField(
                        default=championship.platform.clock.now, editable=False, verbose_name="decided"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="rallies.entry",
                    ),
                ),
                (
                    "exclusion",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decision",
                        to="rallies.exclusion",
                    ),
                ),
                (
                    "penalty",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decision",
                        to="rallies.penalty",
                    ),
                ),
                (
                    "rally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="decisions", to="rallies.rally"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="rallies.specialstage",
                    ),
                ),
                (
                    "time_by_hand",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decision",
                        to="rallies.timebyhand",
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="undone_by",
                        to="stewards.decision",
                    ),
                ),
            ],
            options={
                "verbose_name": "decision",
                "verbose_name_plural": "decisions",
                "ordering": ["-at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Protest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=24, unique=True
                    ),
                ),
                ("text", models.TextField(max_length=4000, verbose_name="what happened")),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "Open"), ("decided", "Decided"), ("withdrawn", "Withdrawn")],
                        default="open",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                (
                    "filed_at",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="filed"),
                ),
                (
                    "against",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="protests_against",
                        to="rallies.entry",
                    ),
                ),
                (
                    "appealed",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="appeal",
                        to="stewards.decision",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="protests", to="rallies.entry"
                    ),
                ),
                (
                    "rally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="protests", to="rallies.rally"
                    ),
                ),
                (
                    "special_stage",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="protests",
                        to="rallies.specialstage",
                    ),
                ),
            ],
            options={
                "verbose_name": "protest",
                "verbose_name_plural": "protests",
                "ordering": ["-filed_at", "-pk"],
            },
        ),
        migrations.AddField(
            model_name="decision",
            name="protest",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="decision",
                to="stewards.protest",
            ),
        ),
        migrations.CreateModel(
            name="Terms",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "protest_hours",
                    models.PositiveSmallIntegerField(
                        default=48,
                        validators=[django.core.validators.MaxValueValidator(720)],
                        verbose_name="hours to protest",
                    ),
                ),
                (
                    "appeal_hours",
                    models.PositiveSmallIntegerField(
                        default=48,
                        validators=[django.core.validators.MaxValueValidator(720)],
                        verbose_name="hours to appeal",
                    ),
                ),
                (
                    "rally",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="terms", to="rallies.rally"
                    ),
                ),
            ],
            options={
                "verbose_name": "stewards' terms",
                "verbose_name_plural": "stewards' terms",
            },
        ),
        migrations.AddConstraint(
            model_name="protest",
            constraint=models.CheckConstraint(
                condition=models.Q(("text", ""), _negated=True), name="stewards_protest_says_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="protest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("against__isnull", True), models.Q(("against", models.F("by")), _negated=True), _connector="OR"
                ),
                name="stewards_protest_against_another",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(fields=("rally", "number"), name="stewards_decision_number_once"),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(("text", ""), _negated=True), name="stewards_decision_has_reasons"
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "reversal"), ("undoes__isnull", False)),
                    models.Q(models.Q(("kind", "reversal"), _negated=True), ("undoes__isnull", True)),
                    _connector="OR",
                ),
                name="stewards_reversal_names_a_decision",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["no action", "reversal"]), ("entry__isnull", False), _connector="OR"),
                name="stewards_decision_concerns_an_entry",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "stage time"), _negated=True),
                    models.Q(("amount__isnull", False), ("special_stage__isnull", False)),
                    _connector="OR",
                ),
                name="stewards_time_by_hand_is_of_a_stage",
            ),
        ),
        append_only("stewards_decision"),
    ]
