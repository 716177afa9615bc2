from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("deadlines", "0001_initial"),
        ("deadlines", "0002_each_unit_is_excused_alone"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Sweep",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("at", models.DateTimeField(verbose_name="last at")),
                ("heard_at", models.DateTimeField(null=True, verbose_name="last heard at")),
            ],
            options={
                "verbose_name": "sweep",
                "verbose_name_plural": "sweeps",
            },
        ),
        migrations.CreateModel(
            name="UnexcusedOutage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("customer", models.CharField(max_length=40, verbose_name="customer")),
                ("unit", models.BigIntegerField(verbose_name="unit")),
                ("since", models.DateTimeField(verbose_name="since")),
            ],
            options={
                "verbose_name": "outage that is not excused yet",
                "verbose_name_plural": "outages that are not excused yet",
                "constraints": [
                    models.UniqueConstraint(fields=("customer", "unit"), name="deadlines_each_unit_is_excused_once")
                ],
            },
        ),
    ]
