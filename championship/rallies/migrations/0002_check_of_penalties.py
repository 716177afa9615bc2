"""Change what a database made before version 0.1.0 still has from then.

A check has the name of its column of then, `miss_seconds`. The table of kept papers may be there as `rallies_keptpaper`:
papers are an app of their own now, with a table of its own, and what is kept can be made again. The earlier release may
still run, so the table stays; without its foreign key it keeps nobody from deleting a rally. The next release drops it.
"""

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
FREE_OF_RALLIES = """
DO $$
DECLARE
    key name;
BEGIN
    FOR key IN SELECT conname FROM pg_constraint
               WHERE conrelid = to_regclass('rallies_keptpaper') AND contype = 'f' LOOP
        EXECUTE format('ALTER TABLE rallies_keptpaper DROP CONSTRAINT %I', key);
    END LOOP;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("rallies", "0001_version_0_1_0")]

    operations = [
        migrations.RunSQL(NAME_OF_TODAY, migrations.RunSQL.noop),
        migrations.RunSQL(FREE_OF_RALLIES, migrations.RunSQL.noop),
    ]
