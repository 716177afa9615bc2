from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("lineage", "0001_initial"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Lineage",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("identity", models.CharField(max_length=120, verbose_name="identity")),
                ("known_since", models.DateTimeField(verbose_name="known since")),
            ],
            options={
                "verbose_name": "identity of the database",
                "verbose_name_plural": "identities of the database",
            },
        ),
    ]
