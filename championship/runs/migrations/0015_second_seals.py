from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0014_known_when_the_phase_closes"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="second_seal",
            field=models.CharField(blank=True, default="", editable=False, max_length=24, verbose_name="second seal"),
        ),
    ]
