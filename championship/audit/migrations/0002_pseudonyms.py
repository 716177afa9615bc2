"""Allow the update of one column of append-only rows, so that a pseudonym can replace a name.

The transaction names the column in `championship.renamed`; every other column must stay as it is.
"""

from django.db import migrations

RAISE = """
            RAISE EXCEPTION 'rows of % are only ever added: % refused', TG_TABLE_NAME, TG_OP
                USING ERRCODE = 'integrity_constraint_violation';
"""
UNLESS_RENAMED = """
            IF TG_OP = 'UPDATE' AND coalesce(current_setting('championship.renamed', true), '') <> '' THEN
                IF to_jsonb(OLD) - current_setting('championship.renamed')
                    = to_jsonb(NEW) - current_setting('championship.renamed') THEN
                    RETURN NEW;
                END IF;
            END IF;
"""


def function(body: str) -> str:
    return f"CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [migrations.RunSQL(sql=function(UNLESS_RENAMED + RAISE), reverse_sql=function(RAISE))]
