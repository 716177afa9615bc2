"""Entries in rounds that have begun get the team that their drivers' registrations have now, so that a later transfer
moves no point of an earlier round. Entries that another release makes meanwhile have none: there the registration
counts, as before.
"""

from django.db import migrations
from django.db.models import OuterRef, Subquery, Value
from django.db.models.functions import Coalesce


def keep_teams(apps, _schema_editor):
    entries = apps.get_model("rallies", "Entry").objects
    registrations = apps.get_model("seasons", "Registration").objects.filter(
        championship__rounds__rally=OuterRef("rally"), driver=OuterRef("driver")
    )
    begun = entries.filter(team=None, rally__status__in=["running", "finished"])
    registered = begun.annotate(registration=Subquery(registrations.values("pk")[:1])).filter(
        registration__isnull=False
    )
    registered.update(team=Coalesce(Subquery(registrations.values("team__name")[:1]), Value("")))


class Migration(migrations.Migration):
    dependencies = [("seasons", "0003_scoring"), ("rallies", "0006_team_of_an_entry")]

    operations = [migrations.RunPython(keep_teams, migrations.RunPython.noop, elidable=True)]
