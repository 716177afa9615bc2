from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("failures", "0001_units_that_keep_failing"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Failure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=80, verbose_name="kind of work")),
                ("unit", models.CharField(blank=True, max_length=40, verbose_name="key")),
                ("since", models.DateTimeField(verbose_name="fails since")),
                ("last_at", models.DateTimeField(verbose_name="failed last")),
                ("times", models.PositiveIntegerField(default=1, verbose_name="times")),
                ("again_at", models.DateTimeField(verbose_name="next try")),
                ("error", models.CharField(max_length=300, verbose_name="error")),
            ],
            options={
                "verbose_name": "failure",
                "verbose_name_plural": "failures",
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "unit"), name="failures_one_row_for_each_unit")
                ],
            },
        ),
    ]
