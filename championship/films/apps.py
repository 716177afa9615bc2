"""The app of films: a stage as a silent film for chats and phones."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FilmsConfig(AppConfig):
    name = "championship.films"
    label = "films"
    verbose_name = _("films")

    def ready(self) -> None:
        from championship.films import services
        from championship.papers import big_files

        big_files.register(services.FILM, services.make)
