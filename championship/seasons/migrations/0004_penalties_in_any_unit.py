"""Rename the penalty for a missed deadline in the defaults of a season's rallies: its unit may differ from seconds."""

from django.db import migrations

RENAME = """
UPDATE {table} SET {column} = jsonb_set(
    {column} #- '{{{path}timekeeping,{before}}}',
    '{{{path}timekeeping,{after}}}',
    {column} #> '{{{path}timekeeping,{before}}}'
) WHERE {column} #> '{{{path}timekeeping,{before}}}' IS NOT NULL;
"""
HELD = (("seasons_championship", "rally_settings", ""), ("seasons_seasondraft", "said", "rally_settings,"))


def renaming(before: str, after: str) -> str:
    return "".join(
        RENAME.format(table=table, column=column, path=path, before=before, after=after) for table, column, path in HELD
    )


class Migration(migrations.Migration):
    dependencies = [("seasons", "0003_drafts_and_versions")]

    operations = [migrations.RunSQL(renaming("miss_seconds", "miss_penalty"), renaming("miss_penalty", "miss_seconds"))]
