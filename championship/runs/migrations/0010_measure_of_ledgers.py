"""Stored ledgers know whether fewest or most is better in what they count."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0009_forecasts"),
    ]

    operations = [
        migrations.AddField(
            model_name="keptledger",
            name="better",
            field=models.CharField(blank=True, db_default="", default="", max_length=6, verbose_name="what is better"),
        ),
    ]
