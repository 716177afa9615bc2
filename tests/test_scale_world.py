"""The names that `make scale` copies rows and watches tables by are those that there are."""

from django.apps import apps

from tests.scale import bulk, costs


def test_what_is_copied_in_bulk_and_watched_is_there():
    models = [apps.get_model(label) for label in (*bulk.OF_A_CLUB, *bulk.OF_A_RALLY)]

    assert len(models) > 10
    assert set(costs.GROWING) <= {model._meta.db_table for model in apps.get_models()}
