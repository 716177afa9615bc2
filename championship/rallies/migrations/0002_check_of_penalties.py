"""Rename a check in a database that was made before version 0.1.0: its column was called `miss_seconds` then."""

from django.db import migrations

NAME_OF_TODAY = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_constraint
               WHERE conrelid = 'rallies_rally'::regclass AND conname = 'rallies_rally_miss_seconds_check') THEN
        ALTER TABLE rallies_rally RENAME CONSTRAINT rallies_rally_miss_seconds_check TO rallies_rally_miss_penalty_check;
    END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("rallies", "0001_version_0_1_0")]

    operations = [migrations.RunSQL(NAME_OF_TODAY, migrations.RunSQL.noop)]
