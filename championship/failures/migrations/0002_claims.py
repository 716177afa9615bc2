from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("failures", "0001_version_0_1_0"),
    ]

    operations = [
        migrations.CreateModel(
            name="Claim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=80, verbose_name="kind of work")),
                ("unit", models.CharField(max_length=40, verbose_name="key")),
                ("again_at", models.DateTimeField(verbose_name="next try")),
                ("slow", models.PositiveIntegerField(default=0, verbose_name="too slow in a row")),
            ],
            options={
                "verbose_name": "claim",
                "verbose_name_plural": "claims",
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "unit"), name="failures_one_claim_for_each_unit")
                ],
            },
        ),
    ]
