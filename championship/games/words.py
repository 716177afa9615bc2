"""What a game calls the things that all games have, for pages; the words here are those of a game without its own."""

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
"""Manners of codrivers by the names that several games give them."""

PENALTIES: Mapping[str, str | _StrPromise] = MappingProxyType(
    {
        "seconds": _("Penalties for the whole rally, s"),
        "points": _("Penalties for the whole rally, in points"),
        "places": _("Penalties for the whole rally, in places"),
    }
)
"""Heads over what officials gave for a rally as a whole, by the unit of its results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Sentences that pages of the core say of a game. Values in them are named as in the words given here.

    `notice`: what the first page says of where the game comes from. `at_piece`: what is wrong with a course, and with
    which piece of it. `no_course`: what a course is, for a club that has designed none.
    `stages`, `one_stage`, `stage`, `crew`: the heads over the special stages of a rally and over one of them, one of
    them by its number, and the head over who drives. `after`: the head over the classification after so many stages.
    `border`, `at_border`: a place of the course where something is measured, as the head of a column, and in front of
    its number. `splits`, `no_splits`: what
    the page of gaps says of what it shows, and as long as it has nothing. `bonus`, `off`: the head over what is taken
    off at the finish, and a sentence about it below the chart; empty where nothing is. `sheet`: what the rally sheet
    says of what it keeps besides results. `service`: what a driver reads after service. `facts`: the head over the
    options that set facts of the game. `order`, `seats`: the heads over who goes before whom, and over what each seat
    has and is. `manners`: what each manner of the codrivers is called, by its name in the engine.
    `to_stage`: what a letter calls the link to where one drives. `watch`, `back`: the same link for who looks on, and
    for who comes from a page beside it. `moved_on`, `over`: that
    something has happened there, and that all is done. `map`, `whole`: the picture of what is driven, and all of it.
    `chance`: the page that tells how its draws can be checked. `start`: a button that opens one of them.
    `standing`: after how many of them a classification stands. `retired_on`, `retired_why`: where a car retired, and
    why. `stood_in`: where the codriver drove for somebody. `driven_from`, `codriver_from`: who drives the car from
    then on.
    `event`, `events`: what an event of a club is called, and several. `sheet_head`, `sheet_pdf`, `rules`, `link`,
    `as_a_whole`: its sheet of results, that as a paper, its rules, its address, and all of it against one special
    stage. `enter`, `cancel`, `delete`, `pause`, `back_to_event`: buttons and links that do so. `options_stand`,
    `start_list_stands`, `podium_stands`, `ended`, `none_missed`: what stands once it has started, and once it is over.
    `cancelled`, `not_under_way`, `no_part`: why something cannot be done in it.
    `new`, `make`, `made`, `starts`: the page on which an event is made, its button, what stands then, and the field
    for the hour at which it starts by itself. `numbered`: a new round of a season, by its number.
    `paces`: what ways of keeping time are called that tell of stages or of a rally, by the field and the value of a
    form, in which they stand. `penalties`: the head over what officials gave for all of it, by the unit of results.
    `build`, `bring`: what the bench of courses is called, and bringing one as a file. `saved_once`, `sound`: when one
    is saved, and that there is no fault in it.
    `course_name`, `course_text`: the field for the name of a course, and what its text is.
    `options`: what values of the game's options are called, by the value, where the value does not say it.
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
    no_splits: str | _StrPromise = field(default=_("No car has come to the first split yet."))
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
    options_stand: str | _StrPromise = field(default=_("The rally has started; its options stand."))
    start_list_stands: str | _StrPromise = field(default=_("The rally has started; its start list stands."))
    podium_stands: str | _StrPromise = field(default=_("The rally is over: the podium stands."))
    ended: str | _StrPromise = field(default=_("This rally is over."))
    cancelled: str | _StrPromise = field(default=_("This rally was cancelled."))
    not_under_way: str | _StrPromise = field(default=_("This rally is not under way."))
    no_part: str | _StrPromise = field(default=_("That is no part of this rally."))
    none_missed: str | _StrPromise = field(default=_("No deadline has been missed in this rally."))
    as_a_whole: str | _StrPromise = field(default=_("the rally as a whole"))
    new: str | _StrPromise = field(default=_("New rally"))
    make: str | _StrPromise = field(default=_("Make the rally"))
    made: str | _StrPromise = field(default=_("The rally stands. Send your drivers its link."))
    starts: str | _StrPromise = field(default=_("The rally starts by itself"))
    numbered: str | _StrPromise = field(default=_("Rally %(number)d"))
    build: str | _StrPromise = field(default=_("Stage builder"))
    bring: str | _StrPromise = field(default=_("Import a stage"))
    sound: str | _StrPromise = field(default=_("It runs from the start to the finish."))
    saved_once: str | _StrPromise = field(default=_("A stage is saved once its road runs from a start to a finish."))
    course_name: str | _StrPromise = field(default=_("Name of the stage"))
    course_text: str | _StrPromise = field(
        default=_("A stage as text, as the engine reads it and every stage page exports it.")
    )
    paces: Mapping[str, str | _StrPromise] = field(default_factory=dict)
    penalties: Mapping[str, str | _StrPromise] = field(default_factory=lambda: PENALTIES)
    manners: Mapping[str, str | _StrPromise] = field(default_factory=lambda: MANNERS)
    options: Mapping[str, str | _StrPromise] = field(default_factory=dict)
