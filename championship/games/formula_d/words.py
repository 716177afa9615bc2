"""Words for the things on a track: spaces, wear, tyres, weather, chances; and Formula D's words for the core's
pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from championship.catalogue import Words

WORDS = Words(
    stages=gettext_lazy("Races"),
    one_stage=gettext_lazy("Race"),
    stage=gettext_lazy("Race %(number)d"),
    crew=gettext_lazy("Driver"),
    after=gettext_lazy("Overall after race %(number)d"),
    order=gettext_lazy("Positions"),
    to_stage=gettext_lazy("To the race:"),
    watch=gettext_lazy("Watch the race"),
    back=gettext_lazy("Back to the race"),
    moved_on=gettext_lazy("The race has moved on."),
    over=gettext_lazy("The race is over."),
    map=gettext_lazy("Map of the track"),
    whole=gettext_lazy("The whole track"),
    chance=gettext_lazy("Chance of this race"),
    start=gettext_lazy("Start race %(number)d"),
    standing=gettext_lazy("After race %(number)d of %(total)d"),
    retired_on=gettext_lazy("retired in race %(stage)d"),
    retired_why=gettext_lazy("retired in race %(stage)d: %(reason)s"),
    stood_in=gettext_lazy("the codriver drove turns in race %(stages)s"),
    driven_from=gettext_lazy("from race %(number)d driven by %(crew)s"),
    codriver_from=gettext_lazy("from race %(number)d driven by the codriver"),
    new=gettext_lazy("New Grand Prix"),
    make=gettext_lazy("Make the event"),
    made=gettext_lazy("The event is ready. Send your drivers its link."),
    starts=gettext_lazy("The event starts automatically"),
    numbered=gettext_lazy("Grand Prix %(number)d"),
    build=gettext_lazy("Track builder"),
    bring=gettext_lazy("Bring a track"),
    sound=gettext_lazy("The track closes, and its file has no fault."),
    saved_once=gettext_lazy("A track is saved once its file has no fault left."),
    course_name=gettext_lazy("Name of the track"),
    course_text=gettext_lazy("A track as a file with a line for each space, or the text that its page exports."),
    paces={
        "pace closing": gettext_lazy("Only until the race closes"),
        "bank_per stage": gettext_lazy("new for each race"),
        "bank_per rally": gettext_lazy("for the whole event"),
        "after_miss stage": gettext_lazy("the rest of the race, until the driver takes it back"),
    },
    penalties={"points": gettext_lazy("Penalties for the whole event, in points")},
    event=pgettext_lazy("what a club runs", "Event"),
    events=pgettext_lazy("what a club runs", "Events"),
    sheet_head=gettext_lazy("Result sheet"),
    sheet_pdf=gettext_lazy("Result sheet, PDF"),
    rules=gettext_lazy("Rules of this event"),
    enter=gettext_lazy("Enter the event"),
    link=gettext_lazy("The link of this event"),
    cancel=gettext_lazy("Cancel the event"),
    delete=gettext_lazy("Delete the event"),
    pause=gettext_lazy("Pause the event"),
    back_to_event=gettext_lazy("Back to the event"),
    options_stand=gettext_lazy("The event has started; its options are fixed."),
    start_list_stands=gettext_lazy("The event has started; its start list is fixed."),
    podium_stands=gettext_lazy("The event is over: the podium is final."),
    ended=gettext_lazy("This event is over."),
    cancelled=gettext_lazy("This event was cancelled."),
    not_under_way=gettext_lazy("This event is not under way."),
    no_part=gettext_lazy("That does not belong to this event."),
    none_missed=gettext_lazy("No deadline has been missed in this event."),
    as_a_whole=gettext_lazy("the event as a whole"),
    notice=gettext_lazy("The rules played here are those of Formula D."),
    at_piece="%(message)s",  # messages about a track file begin with its line
    no_course=gettext_lazy("A track is a ring of spaces in three lanes, with corners that ask for stops."),
)

AREAS = {
    "tires": pgettext_lazy("wear", "tyres"),  # Translators: WP opon
    "brakes": pgettext_lazy("wear", "brakes"),  # Translators: WP hamulców
    "gearbox": pgettext_lazy("wear", "gearbox"),  # Translators: WP skrzyni biegów
    "body": pgettext_lazy("wear", "body"),  # Translators: WP nadwozia
    "engine": pgettext_lazy("wear", "engine"),  # Translators: WP silnika
    "road": pgettext_lazy("wear", "road holding"),  # Translators: WP trzymania się drogi
    "total": pgettext_lazy("wear", "wear points"),  # Translators: PW, punkty wytrzymałości
}
TYRES = {
    "hard": pgettext_lazy("tyres", "hard"),  # Translators: opony twarde
    "soft": pgettext_lazy("tyres", "soft"),  # Translators: opony miękkie
    "wet": pgettext_lazy("tyres", "wet"),  # Translators: opony deszczowe
}
WEATHER = {
    "good": gettext_lazy("good weather"),
    "good_temp": gettext_lazy("good weather for now"),
    "changeable": gettext_lazy("changeable weather"),
    "rain_temp": gettext_lazy("rain for now"),
    "rain": gettext_lazy("rain"),
}
LANES = {
    "1": pgettext_lazy("lane", "left"),
    "2": pgettext_lazy("lane", "middle"),
    "3": pgettext_lazy("lane", "right"),
}
OUT = {
    "collision": gettext_lazy("a collision"),
    "engine": gettext_lazy("the engine"),
    "road": gettext_lazy("debris on the track"),
    "corner": gettext_lazy("a corner without its stops"),
    "blocked": gettext_lazy("no way past the cars ahead"),
    "resigned": gettext_lazy("the driver gave up"),
}
"""Why a car is out, in words, by the engine's reason."""


def space_words(name: str) -> str:
    """Return a space in words: "corner 3, left 5". Spaces are counted from 1 here, but from 0 in their names."""
    if name.startswith("PIT"):
        return _("box %(name)s") % {"name": name[3:]}
    area, _dot, rest = name.partition(".")
    lane, _dot, place = rest.partition(".")
    if not place.isdigit():
        return name
    values = {"number": area[1:], "lane": str(LANES.get(lane, lane)), "place": int(place) + 1}
    if area == "P":
        return _("pit lane, space %(place)d") % values
    if area.startswith("C"):
        return _("corner %(number)s, %(lane)s %(place)d") % values
    return _("straight %(number)s, %(lane)s %(place)d") % values


def area_words(area: str) -> str:
    """Return an area of wear in words; one without words as the engine writes it."""
    return str(AREAS.get(area, area))


def wear_words(wear: Mapping[str, int], sign: str = "−") -> str:
    """Return wear by area: "tyres −2, brakes −1"; "" for none. Restored points have a plus."""
    said = [(area, f"{sign}{number}" if number > 0 else f"+{-number}") for area, number in wear.items() if number]
    return ", ".join(f"{area_words(area)} {number}" for area, number in said)


def means_words(wear: Mapping[str, Sequence[int]]) -> str:
    """Return expected wear by area with one decimal: "tyres −0.4". Areas that round to zero are left out."""
    said = {area: round(count / ends, 1) for area, (count, ends) in wear.items()}
    return ", ".join(
        f"{area_words(area)} {'−' if number > 0 else '+'}{number_format(abs(number), decimal_pos=1)}"
        for area, number in said.items()
        if number
    )


def percent(chance: Sequence[int]) -> str:
    """Return a chance, `count` of `ends`, as a percentage. It is 0 or 100 only when the outcome is certain."""
    count, ends = chance
    if count in (0, ends):
        return "0 %" if count == 0 else "100 %"
    share = 100 * count / ends
    if share < 1:
        return _("under %(percent)s") % {"percent": "1 %"}
    return f"{min(99, round(share))} %"


def share(chance: Sequence[int]) -> float:
    """Return a chance as a number from 0 to 1, for widths and glows."""
    return float(chance[0] / chance[1])


def turns_words(hundredths: int) -> str:
    """Return what is left of a race at best play, in turns with one decimal. `hundredths` are hundredths of a turn."""
    turns = number_format(hundredths / 100, decimal_pos=1)
    return _("%(turns)s turns to go") % {"turns": turns}


def spaces_words(count: int) -> str:
    """Return a number of spaces."""
    return ngettext("%(count)d space", "%(count)d spaces", count) % {"count": count}


def gear_words(gear: int) -> str:
    """Return a gear in words; "neutral" for a car that has not started."""
    return _("gear %(gear)d") % {"gear": gear} if gear else _("neutral")


def out_words(why: str) -> str:
    """Return why a car is out."""
    return str(OUT.get(why, why))


def weather_words(race: Mapping[str, Any]) -> str:
    """Return the weather of a race (W1), "" where it is not played."""
    return str(WEATHER[race["weather"]]) if race["weather"] else ""
