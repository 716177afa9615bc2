from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("health", "0001_initial"),
        ("health", "0002_finished_backups_and_acknowledged_jumps"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="FinishedBackup",
            fields=[
                ("what", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("finished_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "finished backup",
                "verbose_name_plural": "finished backups",
            },
        ),
        migrations.CreateModel(
            name="MachineClock",
            fields=[
                (
                    "boot",
                    models.CharField(
                        max_length=64, primary_key=True, serialize=False, verbose_name="start of the machine"
                    ),
                ),
                ("wall", models.DateTimeField(verbose_name="time of day")),
                ("counter", models.FloatField(verbose_name="seconds since the start")),
            ],
            options={
                "verbose_name": "clock of a machine",
                "verbose_name_plural": "clocks of machines",
            },
        ),
        migrations.CreateModel(
            name="ClockJump",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("boot", models.CharField(max_length=64, verbose_name="start of the machine")),
                ("noticed_at", models.DateTimeField(verbose_name="noticed")),
                ("seconds", models.FloatField(verbose_name="seconds")),
                ("acknowledged_at", models.DateTimeField(editable=False, null=True, verbose_name="acknowledged")),
            ],
            options={
                "verbose_name": "jump of a clock",
                "verbose_name_plural": "jumps of clocks",
                "indexes": [models.Index(fields=["noticed_at"], name="health_jumps_by_time")],
            },
        ),
    ]
