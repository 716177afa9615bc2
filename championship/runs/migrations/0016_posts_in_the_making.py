"""A transaction that writes posts shows its first number, so that a reader of all runs knows which numbers are final.

A trigger does this, so that no code can forget it. Creating it locks the table for a moment, and no row.
"""

from django.db import migrations

SHOWS = """
CREATE FUNCTION runs_show_posts_in_the_making() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(
        1919905840, (SELECT ((last_value + is_called::int) % 2147483648)::int FROM runs_post_id_seq));
    RETURN NULL;
END $$;
CREATE TRIGGER runs_posts_in_the_making BEFORE INSERT ON runs_post
    FOR EACH STATEMENT EXECUTE FUNCTION runs_show_posts_in_the_making();
"""
SHOWS_NOT = """
DROP TRIGGER runs_posts_in_the_making ON runs_post;
DROP FUNCTION runs_show_posts_in_the_making();
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0015_second_seals")]

    operations = [migrations.RunSQL(SHOWS, SHOWS_NOT)]
