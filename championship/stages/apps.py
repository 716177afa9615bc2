from django.apps import AppConfig
from django.db.models.signals import post_migrate


def put_library_on_the_shelf(*, using: str, plan: object = (), **kwargs: object) -> None:
    """Load the ready-made stages after migrating, so that a new installation has them."""
    from django.db import connections

    from championship.stages.models import StageDesign
    from championship.stages.services import load_library

    if StageDesign._meta.db_table in connections[using].introspection.table_names():
        load_library()


class StagesConfig(AppConfig):
    name = "championship.stages"
    label = "stages"

    def ready(self) -> None:
        post_migrate.connect(put_library_on_the_shelf, sender=self)
