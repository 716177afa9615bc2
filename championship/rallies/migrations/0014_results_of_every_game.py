"""What only one game had is the game's own; only who retired has a reason to have retired."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("rallies", "0013_reasons_and_details")]

    operations = [
        migrations.RemoveField(model_name="stagetime", name="cards_seconds"),
        migrations.AddConstraint(
            model_name="stagetime",
            constraint=models.CheckConstraint(
                condition=Q(("retired", True), ("reason", ""), _connector="OR"),
                name="rallies_a_finisher_did_not_retire",
            ),
        ),
    ]
