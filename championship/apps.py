"""The project as an app: it owns what belongs to no topic, such as the cache's table."""

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


def create_cache_table(*, using: str, **kwargs: object) -> None:
    """Make the database cache's table after migrating, so that a new installation has no step to forget."""
    from django.core.management import call_command

    call_command("createcachetable", database=using, verbosity=0)


class ChampionshipConfig(AppConfig):
    name = "championship"
    label = "championship"
    verbose_name = "Parc Fermé"

    def ready(self) -> None:
        from championship.database_timeouts import limit_connections
        from championship.logs import keep_secrets
        from championship.tracing import trace_tasks

        keep_secrets()
        limit_connections()
        trace_tasks()
        # Sent for apps with tables only, so not for this one; the lowest of ours stands in.
        post_migrate.connect(create_cache_table, sender=apps.get_app_config("accounts"))
