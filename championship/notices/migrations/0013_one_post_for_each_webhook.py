"""What is told may now be posted to each webhook of its reader: the constraints of one post an owner go."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("notices", "0012_told_once")]

    operations = [
        migrations.RemoveConstraint("notice", "notices_said_once"),
        migrations.RemoveConstraint("notice", "notices_said_once_to_a_club"),
    ]
