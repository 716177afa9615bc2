"""Rules of evenings, and drivers who join a rally late or have dropped out of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rallies", "0012_newcomers"),
    ]

    operations = [
        migrations.AddField(
            model_name="rally",
            name="evening_rules",
            field=models.JSONField(
                blank=True,
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                verbose_name="rules of an evening",
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="starts_from",
            field=models.PositiveSmallIntegerField(
                db_default=1, default=1, editable=False, null=True, verbose_name="starts from"
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="late_added",
            field=models.PositiveSmallIntegerField(editable=False, null=True, verbose_name="added for being late"),
        ),
    ]
