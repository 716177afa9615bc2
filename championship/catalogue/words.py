"""A game's words for the things that all games have, used on pages. The defaults are those of a game without its own
words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from championship.catalogue.nouns import RALLY, Nouns
from championship.catalogue.phrases import PACES, PHRASES
from championship.catalogue.units import Unit

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


MANNERS: Mapping[str, str | _StrPromise] = MappingProxyType(
    {
        "novice": _("Sunday driver"),
        "learner": _("Keen beginner"),
        "cautious": _("Steady hand"),
        "club": _("Club driver"),
        "bold": _("Daredevil"),
        "ace": _("Ace"),
    }
)
"""Manners of codrivers, by the names that several games give them. A game may call some of them otherwise."""

PENALTIES: Mapping[str, str | _StrPromise] = MappingProxyType(
    {
        "seconds": _("Penalties for the whole rally, s"),
        "points": _("Penalties for the whole rally, in points"),
        "places": _("Penalties for the whole rally, in places"),
    }
)
"""Headings over the penalties that officials gave for a rally as a whole, by the unit of its results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Texts about a game that pages of the core show. Placeholders must have the same names as in the defaults.

    A game gives three nouns and what differs: `Words.of(Nouns(...), over=...)`. The phrases of `phrases.py` then follow
    from the nouns. `Words(...)` has the words of rallies. The fields are in the order of the pages that show them.

    First page: `notice`, where the game comes from.

    Headings and tables: `event`, `events`, an event of a club, singular and plural; `stages`, `one_stage`, `stage`,
    `crew`, the headings over its stages, over one, over one with its number, and over the drivers. `after`, `standing`:
    the classification after a number of stages. `as_a_whole`: the event as opposed to one stage. `penalties`,
    `penalties_in`: the heading over the penalties for the event, by its unit of results, and in any other unit.
    `units`: the words for units that are the game's own, by the name in its measure or in that of its ledgers.

    What happened to a driver: `retired_on`, `retired_why`, where a car retired, and why; `stood_in`, on which stages
    the codriver drove; `driven_from`, `codriver_from`, who drives the car from a stage on.

    The page of a run: `to_stage`, `watch`, `back`, the link to it, in a letter, for a spectator, and on its other
    pages; `moved_on`, `over`, something has happened, it is over; `order`, `seats`, the headings over the order of play
    and the state of each seat; `map`, `whole`, the picture of the course, and all of it; `chance`, the page on how to
    check the draws; `service`, the message after service. `border`, `at_border`: a place where something is measured,
    as a head and before its number; `splits`, `no_splits`: the introduction of the page of gaps, and its text while it
    is empty; `bonus`, `off`: the heading over what is subtracted at the finish, and a sentence about it. `manners`: the
    labels of the codrivers' manners, by their names in the engine. `result_told`, `result_rule`: what the figures of
    results are, where their unit does not say it, and the number of the rule.

    The page of an event: `sheet_head`, `sheet_pdf`, `sheet`, its sheet of results, the same as a PDF, and what else it
    contains; `rules`, `enter`, `back_to_event`, labels; `crew_help`, the text below the field for the crew;
    `podium_stands`, `ended`, `cancelled`, `not_under_way`, `no_part`, `none_missed`, messages and refusals.

    Its desk: `desk`, its name; `start`, `link`, `cancel`, `delete`, `pause`, labels; `options_stand`,
    `start_list_stands`, what can no longer change. A new event: `new`, `make`, `made`, `starts`, the page, its button,
    the message afterwards, the field for an automatic start; `numbered`, a round of a season; `facts`, `options`, the
    heading over options that set facts of the game, and labels of the options' values; `paces`, labels of the ways of
    keeping time, by field and value; `advice`, how many stages an event should have.

    Courses: `no_course`, what a course is; `build`, `bring`, the builder, and the import of a file; `at_piece`, a fault
    with the number of the faulty piece; `sound`, `saved_once`, that it has no fault, and when it can be saved;
    `course_name`, `course_text`, the field for its name, and the explanation of its text; `ready_made`, a ready-made
    course without a name of its own, by the two parts of its source.
    """

    nouns: Nouns = RALLY

    # First page
    notice: str | _StrPromise = ""

    # Headings and tables
    event: str | _StrPromise = field(default=_("Rally"))
    events: str | _StrPromise = field(default=_("Rallies"))
    stages: str | _StrPromise = field(default=_("Stages"))
    one_stage: str | _StrPromise = field(default=_("Stage"))
    stage: str | _StrPromise = field(default=_("Stage %(number)d"))
    crew: str | _StrPromise = field(default=_("Crew"))
    after: str | _StrPromise = field(default=_("Overall after stage %(number)d"))
    standing: str | _StrPromise = field(default=_("After stage %(number)d of %(total)d"))
    as_a_whole: str | _StrPromise = field(default=_("the rally as a whole"))
    penalties: Mapping[str, str | _StrPromise] = field(default_factory=lambda: PENALTIES)
    penalties_in: str | _StrPromise = field(default=_("Penalties for the whole rally (%(unit)s)"))
    units: Mapping[str, Unit] = field(default_factory=dict)

    # What happened to a driver
    retired_on: str | _StrPromise = field(default=_("retired on stage %(stage)d"))
    retired_why: str | _StrPromise = field(default=_("retired on stage %(stage)d: %(reason)s"))
    stood_in: str | _StrPromise = field(default=_("the codriver stood in on stage %(stages)s"))
    driven_from: str | _StrPromise = field(default=_("from stage %(number)d driven by %(crew)s"))
    codriver_from: str | _StrPromise = field(default=_("from stage %(number)d driven by the codriver"))

    # The page of a run
    to_stage: str | _StrPromise = field(default=_("To the stage:"))
    watch: str | _StrPromise = field(default=_("Watch the stage"))
    back: str | _StrPromise = field(default=_("Back to the stage"))
    moved_on: str | _StrPromise = field(default=_("The stage has moved on."))
    over: str | _StrPromise = field(default=_("The stage is over."))
    order: str | _StrPromise = field(default=_("Road order"))
    seats: str | _StrPromise = field(default=_("Cars"))
    map: str | _StrPromise = field(default=_("Map of the stage"))
    whole: str | _StrPromise = field(default=_("The whole stage"))
    chance: str | _StrPromise = field(default=_("Chance of this stage"))
    service: str | _StrPromise = field(default=_("Your car has been through the service park."))
    border: str | _StrPromise = field(default=_("Split %(number)d"))
    at_border: str | _StrPromise = field(default=_("at split"))
    splits: str | _StrPromise = field(default=_("What was measured at each split, and the gap to the best there."))
    no_splits: str | _StrPromise = field(default=_("No car has reached the first split yet."))
    result_told: str | _StrPromise = ""
    result_rule: str = ""
    bonus: str | _StrPromise = ""
    off: str | _StrPromise = ""
    manners: Mapping[str, str | _StrPromise] = field(default_factory=lambda: MANNERS)

    # The page of an event
    sheet_head: str | _StrPromise = field(default=_("Rally sheet"))
    sheet_pdf: str | _StrPromise = field(default=_("Rally sheet, PDF"))
    sheet: str | _StrPromise = ""
    rules: str | _StrPromise = field(default=_("Rules of this rally"))
    enter: str | _StrPromise = field(default=_("Enter the rally"))
    crew_help: str | _StrPromise = field(default=_("Driver and codriver, as shown on the start list."))
    back_to_event: str | _StrPromise = field(default=_("Back to the rally"))
    podium_stands: str | _StrPromise = field(default=_("The rally is over: the podium is final."))
    ended: str | _StrPromise = field(default=_("This rally is over."))
    cancelled: str | _StrPromise = field(default=_("This rally was cancelled."))
    not_under_way: str | _StrPromise = field(default=_("This rally is not under way."))
    no_part: str | _StrPromise = field(default=_("That does not belong to this rally."))
    none_missed: str | _StrPromise = field(default=_("No deadline has been missed in this rally."))

    # Its desk
    start: str | _StrPromise = field(default=_("Start stage %(number)d"))
    link: str | _StrPromise = field(default=_("The link of this rally"))
    desk: str | _StrPromise = field(default=_("Desk"))
    cancel: str | _StrPromise = field(default=_("Cancel the rally"))
    delete: str | _StrPromise = field(default=_("Delete the rally"))
    pause: str | _StrPromise = field(default=_("Pause the rally"))
    options_stand: str | _StrPromise = field(default=_("The rally has started; its options are fixed."))
    start_list_stands: str | _StrPromise = field(default=_("The rally has started; its start list is fixed."))

    # A new event
    new: str | _StrPromise = field(default=_("New rally"))
    make: str | _StrPromise = field(default=_("Make the rally"))
    made: str | _StrPromise = field(default=_("The rally is ready. Send your drivers its link."))
    starts: str | _StrPromise = field(default=_("The rally starts automatically"))
    numbered: str | _StrPromise = field(default=_("Rally %(number)d"))
    facts: str | _StrPromise = field(default=_("Facts of the game"))
    options: Mapping[str, str | _StrPromise] = field(default_factory=dict)
    paces: Mapping[str, str | _StrPromise] = field(default_factory=dict)
    advice: str | _StrPromise = ""

    # Courses
    no_course: str | _StrPromise = ""
    build: str | _StrPromise = field(default=_("Stage builder"))
    bring: str | _StrPromise = field(default=_("Import a stage"))
    at_piece: str | _StrPromise = field(default=_("Piece %(number)d: %(message)s"))
    sound: str | _StrPromise = field(default=_("It runs from the start to the finish."))
    saved_once: str | _StrPromise = field(default=_("A stage is saved once its road runs from a start to a finish."))
    course_name: str | _StrPromise = field(default=_("Name of the stage"))
    course_text: str | _StrPromise = field(
        default=_("A stage as text, in the form that the engine reads and every stage page exports.")
    )
    ready_made: str | _StrPromise = field(default=_("Rally %(rally)s, stage %(stage)s"))

    @classmethod
    def of(cls, nouns: Nouns, **own: Any) -> Words:
        """Return the words of a game with these nouns. `own` are the fields for which the game has other words."""
        phrases: dict[str, Any] = {name: nouns.phrase(text) for name, text in PHRASES.items()}
        phrases["paces"] = {name: nouns.phrase(text) for name, text in PACES.items()}
        phrases["penalties"] = {}
        return cls(nouns=nouns, **{**phrases, **own})

    def fill(self, phrase: str) -> str:
        """Return a phrase of the active language with the game's nouns in its gaps."""
        return self.nouns.fill(phrase)
