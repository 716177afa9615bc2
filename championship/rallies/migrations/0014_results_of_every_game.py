"""Remove the column of a single game, and allow a reason of a retirement only for a retired entry."""

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
