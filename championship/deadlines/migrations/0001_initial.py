from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

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
    ]
