"""Append-only tables: the triggers that make PostgreSQL refuse UPDATE, DELETE and TRUNCATE."""

from django.db import migrations

CREATE_FUNCTION = migrations.RunSQL(
    sql="""
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'UPDATE' AND coalesce(current_setting('championship.renamed', true), '') <> '' THEN
                IF to_jsonb(OLD) - current_setting('championship.renamed')
                    = to_jsonb(NEW) - current_setting('championship.renamed') THEN
                    RETURN NEW;
                END IF;
            END IF;
            RAISE EXCEPTION 'rows of % are only ever added: % refused', TG_TABLE_NAME, TG_OP
                USING ERRCODE = 'integrity_constraint_violation';
        END $$
    """,
    reverse_sql="DROP FUNCTION refuse_change()",
)
"""Refuses every change but one: a pseudonym may replace a name. The transaction names the column that it updates in
`championship.renamed`; every other column must stay as it is.
"""


def append_only(table: str) -> migrations.RunSQL:
    """A migration operation that lets rows of `table` be added and nothing else.

    The migration that uses it must depend on ("audit", "0001_version_0_1_0"), which creates the function. The triggers
    are named `<table>_no_change` and `<table>_no_truncate`.
    """
    return migrations.RunSQL(
        sql=f"""
            CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}
                FOR EACH ROW EXECUTE FUNCTION refuse_change();
            CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
        """,
        reverse_sql=f"""
            DROP TRIGGER {table}_no_change ON {table};
            DROP TRIGGER {table}_no_truncate ON {table};
        """,
    )
