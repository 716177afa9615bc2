"""The app of Dirt & Dust: what the game provides for the pages."""

from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _


class DustConfig(AppConfig):
    name = "championship.games.dust"
    label = "dust"
    verbose_name = "Dirt & Dust"

    def ready(self) -> None:
        from championship.audit import actions
        from championship.catalogue import Files, Game, Kept, PageAssets, register
        from championship.catalogue.pads import PADS
        from championship.games.dust import demo, lessons, maps, road_views, telling
        from championship.games.dust.pages import DustPages
        from championship.games.dust.words import WORDS, pad_of
        from championship.runs.booking_words import BOOKING_WORDS
        from championship.runs.road_views import ROAD_VIEWS
        from championship.runs.rulebook.figures import RULE_PICTURES
        from championship.runs.run_pages import PAGES
        from championship.runs.watch.practice import SCHOOL
        from championship.runs.watch.scenes import SCENES
        from championship.runs.watch.story.beats import TELLING
        from championship.runs.watch.turn_words import TURN_WORDS
        from championship.stages.demo_rallies import DEMO
        from championship.stages.stage_pages import CHARACTER, MAPS, WORKSHOP

        actions.register("card set saved", _("saved a card set"))
        actions.register("card set removed", _("removed a card set from the library"))
        register(
            Game(
                "dust",
                engine="engine.dust",
                title="Dirt & Dust",
                words=WORDS,
                parts=[
                    PAGES.by(DustPages()),
                    TELLING.by(telling),
                    PADS.by(pad_of),
                    MAPS.by(maps),
                    CHARACTER.by(maps),
                    WORKSHOP.by(maps),
                    SCHOOL.by(lessons),
                    SCENES.later("championship.games.dust.school"),
                    ROAD_VIEWS.by(road_views),
                    BOOKING_WORDS.later("championship.games.dust.ledger_words"),
                    TURN_WORDS.later("championship.games.dust.turn_words"),
                    DEMO.by(demo.RALLIES),
                    RULE_PICTURES.later("championship.games.dust.rule_pictures"),
                ],
                home="dust/home.html",
                assets=PageAssets(
                    home=Files(css=("dust/home.css",)),
                    run=Files(
                        css=("dust/cards.css", "dust/cockpit.css"),
                        js=("dust/cockpit.js", "dust/hand.js", "dust/drag.js", "dust/offline.js"),
                    ),
                    replay=Files(css=("dust/cards.css", "dust/cockpit.css")),
                    rules=Files(css=("dust/cards.css", "dust/cockpit.css")),
                ),
                urls="championship.games.dust.urls",
                keeps=[Kept("dust.CardSet", "club"), Kept("dust.SetVersion", "card_set__club")],
                rules=Path(settings.BASE_DIR) / "engine" / "dust" / "rules.md",
                rulebook=Path(__file__).with_name("rulebook"),
            )
        )
