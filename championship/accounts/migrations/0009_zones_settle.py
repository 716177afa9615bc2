from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_state_of_the_mail_server"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="zone_before",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="user",
            name="zone_since",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
    ]
