"""The phrases of `Words` that follow from a game's three nouns (`nouns.py`), by field."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

PHRASES = {
    # Headings and tables
    "event": _("[Event]"),
    "events": _("[Events]"),
    "stages": _("[Stages]"),
    "one_stage": _("[Stage]"),
    "stage": _("[Stage] %(number)d"),
    "crew": _("[Crew]"),
    "after": _("Overall after [stage] %(number)d"),
    "standing": _("After [stage] %(number)d of %(total)d"),
    "as_a_whole": _("the [event] as a whole"),
    "penalties_in": _("Penalties for the whole [event] (%(unit)s)"),
    # What happened to a driver
    "retired_on": _("retired in [stage] %(stage)d"),
    "retired_why": _("retired in [stage] %(stage)d: %(reason)s"),
    "stood_in": _("the codriver drove for the driver in [stage] %(stages)s"),
    "driven_from": _("from [stage] %(number)d driven by %(crew)s"),
    "codriver_from": _("from [stage] %(number)d driven by the codriver"),
    # The page of a run
    "to_stage": _("To the [stage]:"),
    "watch": _("Watch the [stage]"),
    "back": _("Back to the [stage]"),
    "moved_on": _("The [stage] has moved on."),
    "over": _("The [stage] is over."),
    "map": _("Map of the [course]"),
    "whole": _("The whole [course]"),
    "chance": _("Chance of this [stage]"),
    "service": _("Your car has been through service."),
    # The page of an event
    "sheet_head": _("Result sheet"),
    "sheet_pdf": _("Result sheet, PDF"),
    "rules": _("Rules of this [event]"),
    "enter": _("Enter the [event]"),
    "crew_help": _("The name, as shown on the start list."),
    "podium_stands": _("The [event] is over: the podium is final."),
    "ended": _("This [event] is over."),
    "cancelled": _("This [event] was cancelled."),
    "not_under_way": _("This [event] is not under way."),
    "no_part": _("That does not belong to this [event]."),
    "none_missed": _("No deadline has been missed in this [event]."),
    "back_to_event": _("Back to the [event]"),
    # Its desk
    "desk": _("Organisers’ desk"),
    "start": _("Start [stage] %(number)d"),
    "link": _("The link of this [event]"),
    "cancel": _("Cancel the [event]"),
    "delete": _("Delete the [event]"),
    "pause": _("Pause the [event]"),
    "options_stand": _("The [event] has started; its options are fixed."),
    "start_list_stands": _("The [event] has started; its start list is fixed."),
    # A new event
    "new": _("New [event]"),
    "make": _("Make the [event]"),
    "made": _("The [event] is ready. Send your drivers its link."),
    "starts": _("The [event] starts automatically"),
    "numbered": _("[Event] %(number)d"),
    # Courses
    "build": _("[Course] builder"),
    "bring": _("Import a [course]"),
    "saved_once": _("A [course] is saved once it runs from a start to a finish."),
    "course_name": _("Name of the [course]"),
    "course_text": _("A [course] as text, in the form that the page of every [course] exports."),
    "ready_made": _("[Event] %(rally)s, [stage] %(stage)s"),
}

PACES = {
    "pace closing": _("Only until the [stage] closes"),
    "bank_per stage": _("new for each [stage]"),
    "bank_per rally": _("for the whole [event]"),
    "after_miss stage": _("the rest of the [stage], until the driver takes it back"),
}
"""Labels of the ways of keeping time, by form field and value."""
