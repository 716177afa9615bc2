import django.core.serializers.json
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from championship.audit.append_only import CREATE_FUNCTION, append_only


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("audit", "0001_initial"),
        ("audit", "0002_pseudonyms"),
        ("audit", "0003_records_from_archives"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Record",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="when")),
                ("action", models.CharField(max_length=80, verbose_name="act")),
                ("subject_type", models.CharField(max_length=80)),
                ("subject_id", models.CharField(max_length=64)),
                ("subject_label", models.CharField(max_length=200, verbose_name="about")),
                ("club_id", models.BigIntegerField(null=True)),
                (
                    "details",
                    models.JSONField(
                        default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name="details"
                    ),
                ),
                (
                    "from_archive",
                    models.BooleanField(
                        db_default=False, default=False, editable=False, verbose_name="from an archive"
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="who",
                    ),
                ),
            ],
            options={
                "verbose_name": "record",
                "verbose_name_plural": "records",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["club_id", "-id"], name="audit_of_club"),
                    models.Index(fields=["subject_type", "subject_id"], name="audit_of_subject"),
                ],
            },
        ),
        CREATE_FUNCTION,
        append_only("audit_record"),
    ]
