import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import championship.platform.clock
import championship.platform.keys


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("dust", "0001_card_sets"),
    ]

    dependencies = [
        ("clubs", "0001_version_0_1_0"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CardSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        default=championship.platform.keys.new_key, editable=False, max_length=12, unique=True
                    ),
                ),
                ("name", models.CharField(max_length=40, verbose_name="name")),
                (
                    "created_at",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="made"),
                ),
                (
                    "club",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="card_sets", to="clubs.club"
                    ),
                ),
            ],
            options={
                "verbose_name": "card set",
                "verbose_name_plural": "card sets",
                "ordering": ["name", "pk"],
            },
        ),
        migrations.CreateModel(
            name="SetVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField(verbose_name="version")),
                ("text", models.TextField(max_length=100000, verbose_name="text")),
                ("digest", models.CharField(max_length=64)),
                (
                    "created_at",
                    models.DateTimeField(default=championship.platform.clock.now, editable=False, verbose_name="saved"),
                ),
                (
                    "card_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="dust.cardset"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "version of a card set",
                "verbose_name_plural": "versions of a card set",
                "ordering": ["-number"],
            },
        ),
        migrations.AddConstraint(
            model_name="cardset",
            constraint=models.UniqueConstraint(fields=("club", "name"), name="dust_card_set_name_once_in_a_club"),
        ),
        migrations.AddConstraint(
            model_name="cardset",
            constraint=models.CheckConstraint(
                condition=models.Q(("name", ""), _negated=True), name="dust_card_set_has_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="setversion",
            constraint=models.UniqueConstraint(fields=("card_set", "number"), name="dust_set_version_once"),
        ),
        migrations.AddConstraint(
            model_name="setversion",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1)), name="dust_set_versions_count_from_one"
            ),
        ),
    ]
