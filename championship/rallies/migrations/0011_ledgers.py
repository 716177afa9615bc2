"""A rally may switch its ledgers off."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rallies", "0010_at_the_table"),
    ]

    operations = [
        migrations.AddField(
            model_name="rally",
            name="ledgers",
            field=models.BooleanField(db_default=True, default=True, verbose_name="tell decisions from chance"),
        ),
    ]
