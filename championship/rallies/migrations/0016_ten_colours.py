"""Ten cars at a table have ten colours."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rallies", "0015_names_of_things")]

    operations = [
        migrations.RemoveConstraint(model_name="entry", name="rallies_colour_of_the_palette"),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("colour__lt", 10)), name="rallies_colour_of_the_palette"
            ),
        ),
    ]
