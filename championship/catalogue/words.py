"""A game's words for the things that all games have, used on pages. The defaults are those of a game without its own
words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


MANNERS: Mapping[str, str | _StrPromise] = MappingProxyType(
    {"cautious": _("cautious"), "club": _("like a good club driver"), "bold": _("bold")}
)
"""Manners of codrivers, by the names that several games give them."""

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

    `notice`: where the game comes from, on the first page. `at_piece`: a fault in a course, with the number of the
    faulty piece. `no_course`: what a course is, for a club that has designed none.

    `stages`, `one_stage`, `stage`, `crew`: headings over the special stages of a rally, over one of them, over one with
    its number, and over the drivers. `after`: the heading over the classification after a number of stages. `border`,
    `at_border`: a place of the course where something is measured, as a column heading and before its number. `splits`,
    `no_splits`: the introduction of the page of gaps, and its text as long as it has nothing to show. `bonus`, `off`:
    the heading over what is subtracted at the finish, and a sentence about it below the chart; empty when nothing is
    subtracted. `sheet`: what else than results the rally sheet contains. `service`: the message to a driver after
    service. `facts`: the heading over the options that set facts of the game. `order`, `seats`: the headings over the
    order of play, and over the state of each seat. `manners`: the labels of the codrivers' manners, by their names in
    the engine.

    `to_stage`: the label of the link in a letter to the page where the reader drives. `watch`, `back`: the same link
    for a spectator, and on pages of the run other than its main page. `moved_on`, `over`: something has happened there;
    it is over. `map`, `whole`: the picture of the course, and all of it. `chance`: the page that explains how the
    random draws can be checked. `start`: the button that opens a stage. `standing`: after how many stages a
    classification is taken. `retired_on`, `retired_why`: where a car retired, and why. `stood_in`: on which stages the
    codriver drove in place of the driver. `driven_from`, `codriver_from`: who drives the car from a stage on.

    `event`, `events`: an event of a club, singular and plural. `sheet_head`, `sheet_pdf`, `rules`, `link`,
    `as_a_whole`: its sheet of results, the same as a PDF, its rules, its address, and the whole event as opposed to one
    special stage. `enter`, `cancel`, `delete`, `pause`, `back_to_event`: labels of buttons and links. `options_stand`,
    `start_list_stands`, `podium_stands`, `ended`, `none_missed`: what can no longer change after the start, and
    messages when it is over. `cancelled`, `not_under_way`, `no_part`: why an act is refused.

    `new`, `make`, `made`, `starts`: the page on which an event is created, its button, the message afterwards, and the
    field for the time of an automatic start. `numbered`: a new round of a season, by its number.

    `paces`: labels of the ways of keeping time that mention stages or a rally, by form field and value. `penalties`:
    the heading over the penalties for the whole event, by the unit of results.

    `build`, `bring`: the stage builder, and importing a course as a file. `saved_once`, `sound`: when a course can be
    saved, and that it has no fault. `course_name`, `course_text`: the field for the name of a course, and the
    explanation of its text.

    `ready_made`: a ready-made course without a name of its own, by the two parts of its source.

    `options`: labels of the values of the game's options, where the value itself is not clear enough.
    """

    notice: str | _StrPromise = ""
    at_piece: str | _StrPromise = field(default=_("Piece %(number)d: %(message)s"))
    no_course: str | _StrPromise = ""
    stages: str | _StrPromise = field(default=_("Stages"))
    one_stage: str | _StrPromise = field(default=_("Stage"))
    stage: str | _StrPromise = field(default=_("Stage %(number)d"))
    crew: str | _StrPromise = field(default=_("Crew"))
    after: str | _StrPromise = field(default=_("Overall after stage %(number)d"))
    border: str | _StrPromise = field(default=_("Split %(number)d"))
    at_border: str | _StrPromise = field(default=_("at split"))
    splits: str | _StrPromise = field(default=_("What was measured at each split, and the gap to the best there."))
    no_splits: str | _StrPromise = field(default=_("No car has reached the first split yet."))
    bonus: str | _StrPromise = ""
    off: str | _StrPromise = ""
    sheet: str | _StrPromise = ""
    service: str | _StrPromise = field(default=_("Your car has been through the service park."))
    order: str | _StrPromise = field(default=_("Road order"))
    seats: str | _StrPromise = field(default=_("Cars"))
    facts: str | _StrPromise = field(default=_("Facts of the game"))
    to_stage: str | _StrPromise = field(default=_("To the stage:"))
    watch: str | _StrPromise = field(default=_("Watch the stage"))
    back: str | _StrPromise = field(default=_("Back to the stage"))
    moved_on: str | _StrPromise = field(default=_("The stage has moved on."))
    over: str | _StrPromise = field(default=_("The stage is over."))
    map: str | _StrPromise = field(default=_("Map of the stage"))
    whole: str | _StrPromise = field(default=_("The whole stage"))
    chance: str | _StrPromise = field(default=_("Chance of this stage"))
    start: str | _StrPromise = field(default=_("Start stage %(number)d"))
    standing: str | _StrPromise = field(default=_("After stage %(number)d of %(total)d"))
    retired_on: str | _StrPromise = field(default=_("retired on stage %(stage)d"))
    retired_why: str | _StrPromise = field(default=_("retired on stage %(stage)d: %(reason)s"))
    stood_in: str | _StrPromise = field(default=_("the codriver stood in on stage %(stages)s"))
    driven_from: str | _StrPromise = field(default=_("from stage %(number)d driven by %(crew)s"))
    codriver_from: str | _StrPromise = field(default=_("from stage %(number)d driven by the codriver"))
    event: str | _StrPromise = field(default=_("Rally"))
    events: str | _StrPromise = field(default=_("Rallies"))
    sheet_head: str | _StrPromise = field(default=_("Rally sheet"))
    sheet_pdf: str | _StrPromise = field(default=_("Rally sheet, PDF"))
    rules: str | _StrPromise = field(default=_("Rules of this rally"))
    enter: str | _StrPromise = field(default=_("Enter the rally"))
    link: str | _StrPromise = field(default=_("The link of this rally"))
    cancel: str | _StrPromise = field(default=_("Cancel the rally"))
    delete: str | _StrPromise = field(default=_("Delete the rally"))
    pause: str | _StrPromise = field(default=_("Pause the rally"))
    back_to_event: str | _StrPromise = field(default=_("Back to the rally"))
    options_stand: str | _StrPromise = field(default=_("The rally has started; its options are fixed."))
    start_list_stands: str | _StrPromise = field(default=_("The rally has started; its start list is fixed."))
    podium_stands: str | _StrPromise = field(default=_("The rally is over: the podium is final."))
    ended: str | _StrPromise = field(default=_("This rally is over."))
    cancelled: str | _StrPromise = field(default=_("This rally was cancelled."))
    not_under_way: str | _StrPromise = field(default=_("This rally is not under way."))
    no_part: str | _StrPromise = field(default=_("That does not belong to this rally."))
    none_missed: str | _StrPromise = field(default=_("No deadline has been missed in this rally."))
    as_a_whole: str | _StrPromise = field(default=_("the rally as a whole"))
    new: str | _StrPromise = field(default=_("New rally"))
    make: str | _StrPromise = field(default=_("Make the rally"))
    made: str | _StrPromise = field(default=_("The rally is ready. Send your drivers its link."))
    starts: str | _StrPromise = field(default=_("The rally starts automatically"))
    numbered: str | _StrPromise = field(default=_("Rally %(number)d"))
    build: str | _StrPromise = field(default=_("Stage builder"))
    bring: str | _StrPromise = field(default=_("Import a stage"))
    sound: str | _StrPromise = field(default=_("It runs from the start to the finish."))
    saved_once: str | _StrPromise = field(default=_("A stage is saved once its road runs from a start to a finish."))
    course_name: str | _StrPromise = field(default=_("Name of the stage"))
    course_text: str | _StrPromise = field(
        default=_("A stage as text, in the form that the engine reads and every stage page exports.")
    )
    ready_made: str | _StrPromise = field(default=_("Rally %(rally)s, stage %(stage)s"))
    paces: Mapping[str, str | _StrPromise] = field(default_factory=dict)
    penalties: Mapping[str, str | _StrPromise] = field(default_factory=lambda: PENALTIES)
    manners: Mapping[str, str | _StrPromise] = field(default_factory=lambda: MANNERS)
    options: Mapping[str, str | _StrPromise] = field(default_factory=dict)
