"""Store drafts as JSON of any shape; they were text. Events before the first turn become a post."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def as_json(model: str, **field: Any) -> list[Any]:
    """Turn the texts of plans into JSON strings, in a column whose name fits all games."""
    table = f"runs_{model}"
    return [
        migrations.RenameField(model_name=model, old_name="plan", new_name="laid"),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"ALTER TABLE {table} ALTER COLUMN laid TYPE jsonb USING to_jsonb(laid)",
                    f"ALTER TABLE {table} ALTER COLUMN laid TYPE varchar(600) USING left(laid #>> '{{}}', 600)",
                )
            ],
            state_operations=[
                migrations.AlterField(
                    model_name=model, name="laid", field=models.JSONField(verbose_name="laid", **field)
                )
            ],
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0011_hidden_events"),
    ]

    operations = [
        *as_json("draft", default=str, blank=True),
        *as_json("sentahead"),
        migrations.AlterField(
            model_name="post",
            name="turn",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="posts",
                to="runs.turn",
            ),
        ),
    ]
