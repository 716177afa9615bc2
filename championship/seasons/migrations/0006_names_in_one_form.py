"""Stores names in Unicode's form NFC. Some were stored with letters and their accents apart, as a list had them."""

from django.db import migrations

COLUMNS = (
    ("accounts_user", "name"),
    ("rallies_entry", "crew"),
    ("rallies_entry", "car_class"),
    ("seasons_registration", "crew"),
    ("seasons_registration", "car_class"),
)
LISTS = (("rallies_rally", "classes"), ("seasons_championship", "classes"))
"""Columns of JSON with the names of classes. They have to stay equal to the classes of entries."""


def _column(table: str, column: str) -> str:
    renamed = f'UPDATE {table} SET "{column}" = normalize("{column}", NFC)'  # noqa: S608 - fixed names
    return f'{renamed} WHERE "{column}" IS NOT NFC NORMALIZED'


def _list(table: str, column: str) -> str:
    renamed = f'UPDATE {table} SET "{column}" = normalize("{column}"::text, NFC)::jsonb'  # noqa: S608 - fixed names
    return f'{renamed} WHERE "{column}"::text IS NOT NFC NORMALIZED'


STATEMENTS = [
    *(_column(*each) for each in COLUMNS),
    *(_list(*each) for each in LISTS),
    # Two teams of one season whose names become equal keep their names: they are two teams.
    "UPDATE seasons_team SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED AND NOT EXISTS ("
    "SELECT 1 FROM seasons_team other WHERE other.championship_id = seasons_team.championship_id "
    "AND other.id <> seasons_team.id AND normalize(other.name, NFC) = normalize(seasons_team.name, NFC))",
]


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_times_of_former_names"),
        ("rallies", "0024_longer_words"),
        ("seasons", "0005_who_scores"),
    ]

    operations = [migrations.RunSQL(statement, migrations.RunSQL.noop) for statement in STATEMENTS]
