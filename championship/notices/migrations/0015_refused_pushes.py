"""How often in a row a push service has refused pushes for a browser. Zero for all browsers until now."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notices", "0014_first_try_of_notices")]

    operations = [
        migrations.AddField(
            "pushsubscription",
            "refusals",
            models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
        ),
    ]
