"""The project as an app: it owns everything that belongs to no topic app, such as the cache table."""

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


def create_cache_table(*, using: str, **kwargs: object) -> None:
    """Create the table of the database cache after migrations, so that a new installation needs no extra step."""
    from django.core.management import call_command

    call_command("createcachetable", database=using, verbosity=0)


class ChampionshipConfig(AppConfig):
    name = "championship"
    label = "championship"
    verbose_name = "Parc Fermé"

    def ready(self) -> None:
        from championship.platform.database_timeouts import limit_connections
        from championship.platform.logs import log_unavailable_as_warning, redact_secrets
        from championship.platform.tracing import trace_tasks

        redact_secrets()
        log_unavailable_as_warning()
        limit_connections()
        trace_tasks()
        # Django sends post_migrate only for apps with models. This app has none, so our lowest app is the sender.
        post_migrate.connect(create_cache_table, sender=apps.get_app_config("accounts"))
