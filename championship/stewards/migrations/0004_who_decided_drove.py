"""Set `author_drives` of existing decisions. The trigger that makes them append-only is disabled for this statement."""

from django.db import migrations

DROVE = """
    ALTER TABLE stewards_decision DISABLE TRIGGER stewards_decision_no_change;
    UPDATE stewards_decision act SET author_drives = TRUE WHERE EXISTS (
        SELECT FROM rallies_entry mine
        WHERE mine.rally_id = act.rally_id AND mine.status = 'confirmed' AND mine.driver_id = act.by_id
    ) OR EXISTS (
        SELECT FROM rallies_crewchange change JOIN rallies_entry car ON car.id = change.entry_id
        WHERE car.rally_id = act.rally_id AND act.by_id IN (change.before_id, change.driver_id)
    );
    ALTER TABLE stewards_decision ENABLE TRIGGER stewards_decision_no_change;
"""


class Migration(migrations.Migration):
    dependencies = [("rallies", "0009_who_gave_what_drove"), ("stewards", "0003_impartial_stewards")]

    operations = [migrations.RunSQL(DROVE, migrations.RunSQL.noop)]
