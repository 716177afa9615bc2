"""Make decisions append-only."""

from django.db import migrations

from championship.audit.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("stewards", "0001_initial")]

    operations = [append_only("stewards_decision")]
