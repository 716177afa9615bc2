"""A notice is posted to a webhook only once. The index is built concurrently."""

from django.db import migrations, models
from django.db.models import Q

MADE = """
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS notices_posted_once ON notices_notice (webhook_id, kind, subject_key) WHERE webhook_id IS NOT NULL
"""


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("notices", "0010_posts_of_webhooks")]

    operations = [
        migrations.RunSQL(
            MADE,
            "DROP INDEX CONCURRENTLY IF EXISTS notices_posted_once",
            state_operations=[
                migrations.AddConstraint(
                    "notice",
                    models.UniqueConstraint(
                        condition=Q(webhook__isnull=False),
                        fields=("webhook", "kind", "subject_key"),
                        name="notices_posted_once",
                    ),
                )
            ],
        )
    ]
