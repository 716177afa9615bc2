"""Set the webhook of unsent and failed posts. Until now each owner had only one."""

from django.db import migrations

SAY_WHERE = """
UPDATE notices_notice SET webhook_id = notices_webhook.id FROM notices_webhook
WHERE notices_notice.channel = 'webhook' AND notices_notice.webhook_id IS NULL
  AND notices_notice.status IN ('queued', 'sending', 'unsure', 'dead')
  AND (notices_webhook.club_id = notices_notice.club_id OR notices_webhook.person_id = notices_notice.recipient_id)
"""


class Migration(migrations.Migration):
    dependencies = [("notices", "0009_several_webhooks")]

    operations = [migrations.RunSQL(SAY_WHERE, migrations.RunSQL.noop)]
