"""Write the secrets of webhooks in the format of Standard Webhooks. The signing keys stay the same."""

import base64

from django.db import migrations, models

import championship.notices.models

PREFIX = "whsec_"


def to_standard(apps, schema_editor):
    webhooks = apps.get_model("notices", "Webhook").objects.exclude(secret__startswith=PREFIX)
    for pk, secret in webhooks.values_list("pk", "secret"):
        webhooks.filter(pk=pk).update(secret=PREFIX + base64.b64encode(secret.encode()).decode())


def to_plain(apps, schema_editor):
    """Reverse the migration. A newer secret is no text, so its base 64 becomes the secret."""
    webhooks = apps.get_model("notices", "Webhook").objects
    for pk, secret in webhooks.filter(secret__startswith=PREFIX).values_list("pk", "secret"):
        key = base64.b64decode(secret.removeprefix(PREFIX))
        try:
            plain = key.decode("ascii")
        except UnicodeDecodeError:
            plain = secret.removeprefix(PREFIX)
        webhooks.filter(pk=pk).update(secret=plain)


class Migration(migrations.Migration):
    dependencies = [("notices", "0005_failing_webhooks")]

    operations = [
        migrations.AlterField(
            model_name="webhook",
            name="secret",
            field=models.CharField(
                default=championship.notices.models.new_signing_secret, editable=False, max_length=80
            ),
        ),
        migrations.RunPython(to_standard, to_plain),
    ]
