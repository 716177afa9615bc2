"""Move the reason of a retirement out of the car, and the game's data for the end of a stage into its own column."""

from django.db import migrations

THERE = """
UPDATE rallies_stagetime SET
    detail = jsonb_build_object('cards_seconds', cards_seconds),
    reason = CASE WHEN retired AND jsonb_typeof(car -> 'retired') = 'string' THEN left(car ->> 'retired', 40) ELSE '' END,
    car = CASE WHEN jsonb_typeof(car) = 'object' THEN car - 'retired' ELSE car END
"""
BACK = """
UPDATE rallies_stagetime SET
    cards_seconds = coalesce((detail ->> 'cards_seconds')::integer, 0),
    car = CASE WHEN reason = '' THEN car ELSE car || jsonb_build_object('retired', reason) END
"""


class Migration(migrations.Migration):
    dependencies = [("rallies", "0012_measures")]

    operations = [migrations.RunSQL(THERE, BACK)]
