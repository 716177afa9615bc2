"""The tables and columns that `make scale` names exist."""

from django.apps import apps

from tests.scale import bulk, costs


def test_the_tables_that_are_copied_in_bulk_and_watched_exist():
    models = [apps.get_model(label) for label in (*bulk.OF_A_CLUB, *bulk.OF_A_RALLY)]

    assert len(models) > 10
    assert set(costs.GROWING) <= {model._meta.db_table for model in apps.get_models()}
