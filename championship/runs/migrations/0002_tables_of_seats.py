"""Give the table and the columns of seats their names in a database that was made before version 0.1.0.

There the table was `runs_place`, and the column that points to it `place_id`. Only names change, so no row is read or
written, however many there are. A new database has the names of today already, and nothing happens.

The release before 0.1.0 still runs while the tables are changed, and runs again after `deploy/upgrade.sh --back`. It
finds its names in views, in a schema named like the role of the database: PostgreSQL looks there first unless a session
asks for another order. Sessions of this release look into `public` first (championship/platform/postgresql). The views
can be read and written. The next release drops that schema.
"""

from django.db import migrations

TURNS = ("runs_turn", "runs_sentahead")
CONSTRAINTS = (
    ("runs_seat", "runs_place_pkey", "runs_seat_pkey"),
    ("runs_seat", "runs_place_position_check", "runs_seat_position_check"),
    (
        "runs_seat",
        "runs_place_entry_id_157a1bbd_fk_rallies_entry_id",
        "runs_seat_entry_id_a613cd73_fk_rallies_entry_id",
    ),
    ("runs_seat", "runs_place_run_id_0e44e1da_fk_runs_run_id", "runs_seat_run_id_3c4f076a_fk_runs_run_id"),
    (
        "runs_seat",
        "runs_place_special_stage_id_d0fbfd32_fk_rallies_specialstage_id",
        "runs_seat_special_stage_id_6e6bc132_fk_rallies_specialstage_id",
    ),
    ("runs_turn", "runs_turn_place_id_e4522b33_fk_runs_place_id", "runs_turn_seat_id_9610a03d_fk_runs_seat_id"),
    (
        "runs_sentahead",
        "runs_sentahead_place_id_05b395ff_fk_runs_place_id",
        "runs_sentahead_seat_id_210c2468_fk_runs_seat_id",
    ),
)
"""Table, old name and new name. PostgreSQL renames the index of a constraint with it."""
INDEXES = (
    ("runs_place_entry_id_157a1bbd", "runs_seat_entry_id_a613cd73"),
    ("runs_place_run_id_0e44e1da", "runs_seat_run_id_3c4f076a"),
    ("runs_place_special_stage_id_d0fbfd32", "runs_seat_special_stage_id_6e6bc132"),
    ("runs_turn_place_id_e4522b33", "runs_turn_seat_id_9610a03d"),
    ("runs_sentahead_place_id_05b395ff", "runs_sentahead_seat_id_210c2468"),
    ("runs_open_turns_by_place", "runs_open_turns_by_seat"),
    ("runs_one_open_turn_per_place", "runs_one_open_turn_per_seat"),
    ("runs_one_plan_ahead_per_place", "runs_one_plan_ahead_per_seat"),
)
RENAMES = "\n".join(
    (
        "ALTER TABLE runs_place RENAME TO runs_seat;",
        "ALTER SEQUENCE runs_place_id_seq RENAME TO runs_seat_id_seq;",
        *(f"ALTER TABLE {table} RENAME place_id TO seat_id;" for table in TURNS),
        *(f"ALTER TABLE {table} RENAME CONSTRAINT {old} TO {new};" for table, old, new in CONSTRAINTS),
        *(f"ALTER INDEX {old} RENAME TO {new};" for old, new in INDEXES),
    )
)
# Requests lock these tables in any order. The migration takes all locks at once or none: if it waited for one while it
# holds another, it could end in a deadlock with a request.
NAMES_OF_TODAY = f"""
DO $$
DECLARE
    tries integer := 0;
    here text := (SELECT relnamespace::regnamespace::text FROM pg_class
                  WHERE oid = to_regclass('runs_place') AND relkind = 'r');
BEGIN
    IF here IS NULL THEN
        RETURN;
    END IF;
    LOOP
        BEGIN
            LOCK TABLE runs_place, runs_turn, runs_sentahead IN ACCESS EXCLUSIVE MODE NOWAIT;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            tries := tries + 1;
            IF tries = 500 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.01);
        END;
    END LOOP;
{RENAMES}
    IF here <> quote_ident(current_user) THEN
        EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', current_user);
        EXECUTE format('CREATE VIEW %I.runs_place AS SELECT * FROM runs_seat', current_user);
        EXECUTE format('CREATE VIEW %I.runs_turn AS SELECT *, seat_id AS place_id FROM runs_turn', current_user);
        EXECUTE format('CREATE VIEW %I.runs_sentahead AS SELECT *, seat_id AS place_id FROM runs_sentahead', current_user);
        PERFORM set_config('search_path', here || ', ' || current_setting('search_path'), false);
    END IF;
END $$
"""  # noqa: S608  # its parts are the constants above


class Migration(migrations.Migration):
    dependencies = [("runs", "0001_version_0_1_0")]

    operations = [migrations.RunSQL(NAMES_OF_TODAY, migrations.RunSQL.noop)]
