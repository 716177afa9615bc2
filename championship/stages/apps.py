from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


def load_ready_made_stages(*, using: str, plan: object = (), **kwargs: object) -> None:
    """Load the ready-made stages after migrating, so that a new installation has them."""
    from django.db import connections

    from championship.stages.models import StageDesign
    from championship.stages.services import load_library

    if StageDesign._meta.db_table in connections[using].introspection.table_names():
        load_library()


class StagesConfig(AppConfig):
    name = "championship.stages"
    label = "stages"
    verbose_name = _("stages")

    def ready(self) -> None:
        from championship.audit import actions
        from championship.stages import stage_pages
        from championship.stages.stage_pages import PlainMaps

        stage_pages.register_plain(PlainMaps)
        actions.register("stage designed", _("designed a stage"))
        actions.register("stage renamed", _("renamed a stage"))
        actions.register("stage removed", _("removed a stage"))
        actions.register_detail("game", _("game"))
        post_migrate.connect(load_ready_made_stages, sender=self)
