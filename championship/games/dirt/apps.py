"""The app of Rallyman: DIRT: what the game provides for the pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from championship.catalogue import PageAssets


class DirtConfig(AppConfig):
    name = "championship.games.dirt"
    label = "dirt"
    verbose_name = "Rallyman: DIRT"

    def ready(self) -> None:
        from championship.audit import actions
        from championship.catalogue import Game, register
        from championship.catalogue.pads import PADS
        from championship.games.dirt import (
            demo,
            lessons,
            maps,
            pad,
            pages,
            road_views,
            stage_builder,
            telling,
        )
        from championship.games.dirt.words import WORDS
        from championship.runs.booking_words import BOOKING_WORDS
        from championship.runs.road_views import ROAD_VIEWS
        from championship.runs.rulebook.figures import RULE_PICTURES
        from championship.runs.run_pages import PAGES
        from championship.runs.watch.practice import SCHOOL
        from championship.runs.watch.scenes import SCENES
        from championship.runs.watch.story.beats import TELLING
        from championship.runs.watch.turn_words import TURN_WORDS
        from championship.runs.ways_on_map import WAYS_ON_MAP
        from championship.stages.builders import STAGE_BUILDER
        from championship.stages.demo_rallies import DEMO
        from championship.stages.stage_pages import CHARACTER, MAPS, RATINGS

        actions.register_detail("tiles", _("tiles"))  # kept log records still have this detail
        register(
            Game(
                "dirt",
                engine="engine.dirt",
                title="Rallyman: DIRT",
                words=WORDS,
                parts=[
                    PAGES.by(pages),
                    TELLING.by(telling),
                    PADS.by(pad.pad_of),
                    MAPS.by(maps),
                    CHARACTER.by(maps),
                    RATINGS.by(Path(__file__).with_name("ratings.json")),
                    STAGE_BUILDER.by(stage_builder),
                    SCHOOL.by(lessons),
                    SCENES.later("championship.games.dirt.school"),
                    ROAD_VIEWS.by(road_views),
                    WAYS_ON_MAP.later("championship.games.dirt.ledger_ways"),
                    BOOKING_WORDS.later("championship.games.dirt.turn_words"),
                    DEMO.by(demo.RALLIES),
                    TURN_WORDS.later("championship.games.dirt.turn_words"),
                    RULE_PICTURES.later("championship.games.dirt.rule_pictures"),
                ],
                assets=_assets(),
                home="dirt/home.html",
                rules=Path(settings.BASE_DIR) / "engine" / "dirt" / "rules.md",
                rulebook=Path(__file__).with_name("rulebook"),
            )
        )


def _assets() -> PageAssets:
    """Return the style sheets and scripts of the game's pages."""
    from championship.catalogue import Files, PageAssets

    return PageAssets(
        every=Files(css=("dirt/map.css",)),
        home=Files(css=("dirt/board.css", "dirt/home.css")),
        run=Files(
            css=("dirt/board.css", "dirt/dice.css", "dirt/orders.css", "dirt/fan.css"),
            js=("dirt/keys.js", "dirt/fan.js", "dirt/reach.js", "dirt/later.js", "dirt/dice.js"),
        ),
        replay=Files(css=("dirt/board.css", "dirt/dice.css")),
        builder=Files(css=("dirt/board.css", "dirt/builder.css"), js=("dirt/builder.js",)),
        rules=Files(css=("dirt/board.css", "dirt/dice.css")),
    )
