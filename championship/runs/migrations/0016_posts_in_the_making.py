"""Who writes posts shows from which number on, so that a reader of all runs knows up to where nothing can come any more.

A trigger does it, so that no way of writing a post can forget it. It takes a moment's lock on the table, and no row.
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
