"""A rally stores its measure, and its tables hold results in that unit. Existing results are seconds."""

import django.core.validators
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("rallies", "0011_kept_papers")]

    operations = [
        migrations.AddField(
            model_name="rally",
            name="unit",
            field=models.CharField(
                choices=[("seconds", "seconds"), ("points", "points"), ("places", "places")],
                default="seconds",
                max_length=8,
                verbose_name="unit of results",
            ),
        ),
        migrations.AddField(
            model_name="rally",
            name="better",
            field=models.CharField(
                choices=[("fewest", "the fewest win"), ("most", "the most win")],
                default="fewest",
                max_length=8,
                verbose_name="who wins",
            ),
        ),
        migrations.RenameField(model_name="rally", old_name="miss_seconds", new_name="miss_penalty"),
        migrations.AlterField(
            model_name="rally",
            name="miss_penalty",
            field=models.PositiveSmallIntegerField(
                default=0,
                validators=[django.core.validators.MaxValueValidator(3600)],
                verbose_name="penalty for a missed deadline",
            ),
        ),
        migrations.RemoveConstraint(model_name="stagetime", name="rallies_a_finisher_has_a_time"),
        migrations.RenameField(model_name="stagetime", old_name="seconds", new_name="measure"),
        migrations.AlterModelOptions(
            name="stagetime",
            options={
                "ordering": ["special_stage", F("measure").asc(nulls_last=True), "pk"],
                "verbose_name": "stage time",
                "verbose_name_plural": "stage times",
            },
        ),
        migrations.AlterField(
            model_name="stagetime",
            name="measure",
            field=models.IntegerField(blank=True, null=True, verbose_name="result"),
        ),
        migrations.AddField(
            model_name="stagetime",
            name="rank",
            field=models.JSONField(blank=True, default=list, verbose_name="order among equals"),
        ),
        migrations.AddField(
            model_name="stagetime",
            name="reason",
            field=models.CharField(blank=True, default="", max_length=40, verbose_name="why it retired"),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="stagetime",
            name="detail",
            field=models.JSONField(blank=True, default=dict, verbose_name="detail"),
        ),
        migrations.AlterField(
            model_name="stagetime",
            name="car",
            field=models.JSONField(null=True, verbose_name="car at the finish"),
        ),
        migrations.AlterField(
            model_name="stagetime",
            name="cards_seconds",
            field=models.PositiveIntegerField(default=0, verbose_name="seconds of the time cards"),
        ),
        migrations.RenameField(model_name="timecontrolcard", old_name="seconds", new_name="amount"),
        migrations.AlterField(
            model_name="timecontrolcard",
            name="amount",
            field=models.IntegerField(default=0, verbose_name="what it cost"),
        ),
        migrations.AlterField(
            model_name="timecontrolcard",
            name="car_after",
            field=models.JSONField(null=True, verbose_name="car as it goes into the next stage"),
        ),
        migrations.RemoveConstraint(model_name="penalty", name="rallies_penalty_is_not_nothing"),
        migrations.RenameField(model_name="penalty", old_name="seconds", new_name="amount"),
        migrations.AlterField(model_name="penalty", name="amount", field=models.IntegerField(verbose_name="amount")),
        migrations.AddConstraint(
            model_name="penalty",
            constraint=models.CheckConstraint(
                condition=Q(("amount", 0), _negated=True), name="rallies_penalty_is_not_nothing"
            ),
        ),
        migrations.RenameField(model_name="timebyhand", old_name="seconds", new_name="measure"),
        migrations.AlterField(
            model_name="timebyhand", name="measure", field=models.IntegerField(verbose_name="result")
        ),
    ]
