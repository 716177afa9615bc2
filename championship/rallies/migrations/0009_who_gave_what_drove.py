"""Set `author_drives` of existing acts of officials, and make withdrawals append-only."""

from django.db import migrations
from django.db.models import Exists, OuterRef, Q

from championship.audit.append_only import append_only

RALLY_OF = {"Penalty": "rally", "Exclusion": "entry__rally", "TimeByHand": "entry__rally"}


def say_who_drove(apps, schema_editor):
    entries, changes = apps.get_model("rallies", "Entry").objects, apps.get_model("rallies", "CrewChange").objects
    author = OuterRef("given_by")
    for name, path in RALLY_OF.items():
        drives = entries.filter(rally=OuterRef(path), status="confirmed", driver=author)
        drove = changes.filter(Q(before=author) | Q(driver=author), entry__rally=OuterRef(path))
        acts = apps.get_model("rallies", name).objects.filter(given_by__isnull=False)
        acts.filter(Exists(drives) | Exists(drove)).update(author_drives=True)


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("rallies", "0008_impartial_officials")]

    operations = [
        append_only("rallies_penaltywithdrawal"),
        migrations.RunPython(say_who_drove, migrations.RunPython.noop),
    ]
