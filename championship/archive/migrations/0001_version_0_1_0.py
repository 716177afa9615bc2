import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.clubs.models
import championship.platform.clock


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("archive", "0001_initial"),
        ("archive", "0002_restoring_in_a_worker"),
    ]

    dependencies = [
        ("clubs", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Archive",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "asked_at",
                    models.DateTimeField(
                        default=championship.platform.clock.now, editable=False, verbose_name="asked for"
                    ),
                ),
                ("begun_at", models.DateTimeField(editable=False, null=True, verbose_name="begun")),
                ("tries", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("steps", models.PositiveIntegerField(default=0, editable=False)),
                ("done", models.PositiveIntegerField(default=0, editable=False)),
                ("ready_at", models.DateTimeField(editable=False, null=True, verbose_name="ready")),
                ("failed_at", models.DateTimeField(editable=False, null=True, verbose_name="failed")),
                ("size", models.PositiveBigIntegerField(default=0, editable=False, verbose_name="bytes")),
                ("sha256", models.CharField(blank=True, editable=False, max_length=64)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="archives", to="clubs.club"
                    ),
                ),
            ],
            options={
                "verbose_name": "archive",
                "verbose_name_plural": "archives",
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="ArchivedMember",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(max_length=64)),
                (
                    "roles",
                    championship.clubs.models.RolesField(
                        base_field=models.CharField(
                            choices=[
                                ("owner", "owner"),
                                ("organiser", "organiser"),
                                ("steward", "steward"),
                                ("driver", "driver"),
                                ("guest", "guest"),
                            ],
                            max_length=12,
                        ),
                        size=None,
                        verbose_name="roles",
                    ),
                ),
                ("at", models.DateTimeField(default=championship.platform.clock.now, editable=False)),
                (
                    "club",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="clubs.club"),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "member in an archive",
                "verbose_name_plural": "members in archives",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Part",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "archive",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="archive.archive"
                    ),
                ),
            ],
            options={
                "verbose_name": "part of an archive",
                "verbose_name_plural": "parts of archives",
                "ordering": ["archive", "number"],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "sent_at",
                    models.DateTimeField(
                        default=championship.platform.clock.now, editable=False, verbose_name="uploaded"
                    ),
                ),
                ("size", models.PositiveBigIntegerField(default=0, editable=False, verbose_name="bytes")),
                ("begun_at", models.DateTimeField(editable=False, null=True, verbose_name="begun")),
                ("tries", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("done_at", models.DateTimeField(editable=False, null=True, verbose_name="restored")),
                ("failed_at", models.DateTimeField(editable=False, null=True, verbose_name="failed")),
                ("refusal", models.TextField(blank=True, editable=False, verbose_name="why it was refused")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "club",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="clubs.club",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "uploaded archive",
                "verbose_name_plural": "uploaded archives",
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="UploadPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="archive.upload"
                    ),
                ),
            ],
            options={
                "verbose_name": "part of an uploaded archive",
                "verbose_name_plural": "parts of uploaded archives",
                "ordering": ["upload", "number"],
            },
        ),
        migrations.AddConstraint(
            model_name="archive",
            constraint=models.UniqueConstraint(
                condition=models.Q(("failed_at", None), ("ready_at", None)),
                fields=("club",),
                name="archive_one_in_the_making",
            ),
        ),
        migrations.AddConstraint(
            model_name="archivedmember",
            constraint=models.UniqueConstraint(fields=("club", "digest"), name="archive_member_once"),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.UniqueConstraint(fields=("archive", "number"), name="archive_part_once"),
        ),
        migrations.AddConstraint(
            model_name="upload",
            constraint=models.UniqueConstraint(
                models.Value(1),
                condition=models.Q(("done_at", None), ("failed_at", None)),
                name="archive_one_being_restored",
            ),
        ),
        migrations.AddConstraint(
            model_name="uploadpart",
            constraint=models.UniqueConstraint(fields=("upload", "number"), name="archive_upload_part_once"),
        ),
    ]
