"""The app of Formula D: what the game provides for the pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.conf import settings

if TYPE_CHECKING:
    from championship.catalogue import PageAssets


class FormulaDConfig(AppConfig):
    name = "championship.games.formula_d"
    label = "formula_d"
    verbose_name = "Formula D"

    def ready(self) -> None:
        from championship.catalogue import Game, register
        from championship.catalogue.pads import PADS
        from championship.games.formula_d import (
            demo,
            lessons,
            maps,
            pad,
            pages,
            road_views,
            stage_builder,
            telling,
        )
        from championship.games.formula_d.words import WORDS
        from championship.runs.booking_words import BOOKING_WORDS
        from championship.runs.road_views import PLACES_ON_MAP, ROAD_VIEWS
        from championship.runs.rulebook.figures import RULE_PICTURES
        from championship.runs.run_pages import PAGES
        from championship.runs.watch.practice import SCHOOL
        from championship.runs.watch.scenes import SCENES
        from championship.runs.watch.story.beats import TELLING
        from championship.runs.watch.turn_words import TURN_WORDS
        from championship.runs.ways_on_map import WAYS_ON_MAP
        from championship.stages.builders import STAGE_BUILDER
        from championship.stages.demo_rallies import DEMO
        from championship.stages.stage_pages import CHARACTER, MAPS

        register(
            Game(
                "formula_d",
                engine="engine.formula_d",
                title="Formula D",
                words=WORDS,
                parts=[
                    PAGES.by(pages),
                    TELLING.by(telling),
                    PADS.by(pad.pad_of),
                    MAPS.by(maps),
                    CHARACTER.by(maps),
                    STAGE_BUILDER.by(stage_builder),
                    SCHOOL.by(lessons),
                    SCENES.later("championship.games.formula_d.school"),
                    ROAD_VIEWS.by(road_views),
                    PLACES_ON_MAP.by(road_views),
                    BOOKING_WORDS.later("championship.games.formula_d.ledger_words"),
                    WAYS_ON_MAP.later("championship.games.formula_d.ledger_ways"),
                    TURN_WORDS.later("championship.games.formula_d.turn_words"),
                    DEMO.by(demo.RALLIES),
                    RULE_PICTURES.later("championship.games.formula_d.rule_pictures"),
                ],
                assets=_assets(),
                home="formula_d/home.html",
                rules=Path(settings.BASE_DIR) / "engine" / "formula_d" / "rules.md",
                rulebook=Path(__file__).with_name("rulebook"),
            )
        )


def _assets() -> PageAssets:
    """Return the files of the pages."""
    from championship.catalogue import Files, PageAssets

    return PageAssets(
        every=Files(css=("formula_d/circuit-land.css", "formula_d/circuit.css")),
        home=Files(css=("formula_d/desk.css",)),
        run=Files(css=("formula_d/desk.css",), js=("formula_d/keys.js", "formula_d/offline.js", "formula_d/garage.js")),
        replay=Files(css=("formula_d/desk.css",)),
        rules=Files(css=("formula_d/desk.css",)),
    )
