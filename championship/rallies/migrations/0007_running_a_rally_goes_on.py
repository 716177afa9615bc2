"""Make changes of crew and messages append-only, and fill the new columns of existing entries and start lists."""

from django.db import migrations

from championship.audit.append_only import append_only

ASKED = "UPDATE rallies_entry SET asked_at = created_at"
DRAWN = """
    UPDATE rallies_rally SET seeded_by = 'draw' WHERE NOT practice AND EXISTS (
        SELECT FROM rallies_startplace place JOIN rallies_specialstage stage ON stage.id = place.special_stage_id
        WHERE stage.rally_id = rallies_rally.id AND stage.number = 1
    )
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("rallies", "0006_running_a_rally")]

    operations = [
        append_only("rallies_crewchange"),
        append_only("rallies_message"),
        migrations.RunSQL(ASKED, migrations.RunSQL.noop),
        migrations.RunSQL(DRAWN, migrations.RunSQL.noop),
    ]
