"""A notice may be posted to each webhook of its reader. Drop the constraints that allow one post for each owner."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("notices", "0012_told_once")]

    operations = [
        migrations.RemoveConstraint("notice", "notices_said_once"),
        migrations.RemoveConstraint("notice", "notices_said_once_to_a_club"),
    ]
