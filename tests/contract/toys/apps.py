"""The app of the toys. Only Vectors has pages, and only Dash a school; the core shows the other games."""

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
        from championship.stages.stage_pages import MAPS
        from tests.contract.toys import dash, dash_school, hush, laps, vector_pages
        from tests.contract.toys.vector_words import WORDS

        register(Game("dash", engine=dash.game(), title="Dash", parts=[SCENES.by(dash_school)]))
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
