"""Organisers may say of an entry whether its driver is a newcomer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rallies", "0011_ledgers"),
    ]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="newcomer",
            field=models.CharField(
                blank=True,
                choices=[("", "by what they have driven"), ("yes", "a newcomer"), ("no", "no newcomer")],
                db_default="",
                default="",
                max_length=3,
                verbose_name="newcomer",
            ),
        ),
    ]
