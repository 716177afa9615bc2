from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0013_one_sweep"),
    ]

    operations = [
        migrations.AddField(
            model_name="place",
            name="taken_back_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="wheel taken back"),
        ),
        migrations.AddField(
            model_name="turn",
            name="owed",
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="penalty to be given"),
        ),
    ]
