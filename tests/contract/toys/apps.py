"""The app of the toys. It has no pages: the core shows the games."""

from django.apps import AppConfig


class ToysConfig(AppConfig):
    name = "tests.contract.toys"
    label = "toys"
    verbose_name = "toy games"

    def ready(self) -> None:
        from championship.catalogue import Game, register
        from tests.contract.toys import dash, hush, laps

        register(Game("dash", engine=dash.game(), title="Dash"))
        register(Game("hush", engine=hush.game(), title="Hush"))
        register(Game("laps", engine=laps.game(), title="Laps"))
