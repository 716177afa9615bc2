"""A person gets a notice only once over one channel. The index is built concurrently."""

from django.db import migrations, models
from django.db.models import Q

MADE = """
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS notices_told_once ON notices_notice (recipient_id, channel, kind, subject_key) WHERE NOT (channel = 'webhook' AND channel IS NOT NULL)
"""


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("notices", "0011_posted_once")]

    operations = [
        migrations.RunSQL(
            MADE,
            "DROP INDEX CONCURRENTLY IF EXISTS notices_told_once",
            state_operations=[
                migrations.AddConstraint(
                    "notice",
                    models.UniqueConstraint(
                        condition=~Q(channel="webhook"),
                        fields=("recipient", "channel", "kind", "subject_key"),
                        name="notices_told_once",
                    ),
                )
            ],
        )
    ]
