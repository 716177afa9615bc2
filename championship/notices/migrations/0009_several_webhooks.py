"""Allow several webhooks for a person or a club. Existing webhooks keep their kinds of notices."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0003_guests"),
        ("notices", "0008_notice_request_id"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "notice", "answer", models.CharField(blank=True, default="", editable=False, max_length=200)
        ),
        migrations.AddField(
            "notice",
            "webhook",
            models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="posts",
                to="notices.webhook",
            ),
        ),
        migrations.AddField(
            "webhook",
            "kinds",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=60), blank=True, default=list, size=None
            ),
        ),
        migrations.AddField(
            "webhook", "name", models.CharField(blank=True, default="", max_length=60, verbose_name="name")
        ),
        migrations.AddField(
            "webhook", "old_secret", models.CharField(blank=True, default="", editable=False, max_length=80)
        ),
        migrations.AddField("webhook", "old_secret_until", models.DateTimeField(editable=False, null=True)),
        migrations.AlterField(
            "webhook",
            "club",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notices_webhooks",
                to="clubs.club",
            ),
        ),
        migrations.AlterField(
            "webhook",
            "person",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="webhooks",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
