import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.platform.clock
import championship.platform.keys


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("profiles", "0001_initial"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PublicProfile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=12, unique=True
                    ),
                ),
                ("found", models.BooleanField(default=False, verbose_name="search engines may find it")),
                (
                    "since",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="since"),
                ),
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="public_profile",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "public profile",
                "verbose_name_plural": "public profiles",
            },
        ),
    ]
