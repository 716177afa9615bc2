from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0011_seat_name"),
    ]

    operations = [
        migrations.AddField(
            model_name="keptledger",
            name="ideal",
            field=models.JSONField(
                db_default=models.Value([], models.JSONField()), default=list, verbose_name="ideal drive"
            ),
        ),
    ]
