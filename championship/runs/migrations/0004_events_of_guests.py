"""Events may be deleted where a guest has driven, and nowhere else. The database itself looks who has driven.

Replacing the trigger locks the table for a moment, and no row.
"""

from django.db import migrations

FORWARDS = """
CREATE FUNCTION runs_driven_by_guest(of_run bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM runs_run run
            JOIN rallies_specialstage stage ON stage.id = run.special_stage_id
            JOIN rallies_rally rally ON rally.id = stage.rally_id
            JOIN rallies_entry entry ON entry.rally_id = rally.id
            JOIN accounts_user driver ON driver.id = entry.driver_id
        WHERE run.id = of_run AND rally.practice AND driver.is_guest
    )
$$;
CREATE OR REPLACE TRIGGER runs_event_no_change BEFORE UPDATE ON runs_event
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER runs_event_no_delete BEFORE DELETE ON runs_event
    FOR EACH ROW WHEN (NOT runs_driven_by_guest(OLD.run_id)) EXECUTE FUNCTION refuse_change();
"""
BACKWARDS = """
DROP TRIGGER runs_event_no_delete ON runs_event;
CREATE OR REPLACE TRIGGER runs_event_no_change BEFORE UPDATE OR DELETE ON runs_event
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
DROP FUNCTION runs_driven_by_guest(bigint);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_guests"),
        ("rallies", "0002_check_of_penalties"),
        ("runs", "0003_guests"),
    ]

    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]
