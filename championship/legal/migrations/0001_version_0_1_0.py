import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("legal", "0001_initial"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Text",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "topic",
                    models.CharField(
                        choices=[
                            ("privacy", "Privacy"),
                            ("imprint", "Imprint"),
                            ("terms", "Terms of use"),
                            ("contact", "Contact"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("pl", "Polski"), ("de", "Deutsch")],
                        max_length=8,
                        verbose_name="language",
                    ),
                ),
                ("body", models.TextField(max_length=40000, verbose_name="text")),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "legal text",
                "verbose_name_plural": "legal texts",
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "language"), name="legal_one_text_per_language")
                ],
            },
        ),
    ]
