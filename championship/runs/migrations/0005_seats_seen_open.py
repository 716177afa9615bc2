"""The moment at which a driver last had the page of a run open."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0004_events_of_guests"),
    ]

    operations = [
        migrations.AddField(
            model_name="seat",
            name="seen_open_at",
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name="page last open"),
        ),
    ]
