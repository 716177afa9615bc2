"""The app of the toys. Only Vectors has pages, and only Dash a school and a telling; the core shows the other games."""

from django.apps import AppConfig


class ToysConfig(AppConfig):
    name = "tests.contract.toys"
    label = "toys"
    verbose_name = "toy games"

    def ready(self) -> None:
        from championship.catalogue import Game, register
        from championship.runs.road_views import ROAD_VIEWS
        from championship.runs.run_pages import PAGES
        from championship.runs.watch.scenes import SCENES
        from championship.runs.watch.story.beats import TELLING
        from championship.stages.stage_pages import MAPS
        from tests.contract.toys import dash, dash_school, dash_telling, haul, hush, laps, vector_pages
        from tests.contract.toys.vector_words import WORDS

        of_dash = [SCENES.by(dash_school), TELLING.by(dash_telling)]
        register(Game("dash", engine=dash.game(), title="Dash", parts=of_dash))
        register(Game("haul", engine=haul.game(), title="Haul"))
        register(Game("hush", engine=hush.game(), title="Hush"))
        register(Game("laps", engine=laps.game(), title="Laps"))
        register(
            Game(
                "vectors",
                engine="tests.contract.toys.vectors",
                title="Vectors",
                words=WORDS,
                parts=[
                    PAGES.by(vector_pages.PAGES_OF_VECTORS),
                    MAPS.by(vector_pages.VectorMaps("vectors")),
                    ROAD_VIEWS.by(vector_pages.VectorRoads()),
                ],
            )
        )
