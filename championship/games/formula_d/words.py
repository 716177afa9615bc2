"""Words for the things on a track: spaces, wear, tyres, weather, chances; and Formula D's words for the core's
pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, npgettext_lazy, pgettext_lazy

from championship.catalogue import Noun, Nouns, Unit, Words
from championship.catalogue.nouns import english, german, polish
from championship.catalogue.words import MANNERS

NOUNS = Nouns(
    event=Noun(
        english("event", "events", an=True),
        german("f", "Veranstaltung", "Veranstaltungen"),
        polish("p", "zawody", "zawodów", "zawody", "zawodach", "zawody", "zawodów"),
    ),
    stage=Noun(
        english("race", "races"),
        german("n", "Rennen", "Rennen", gen="Rennens"),
        polish("m", "wyścig", "wyścigu", "wyścig", "wyścigu", "wyścigi", "wyścigów"),
    ),
    crew=Noun(
        english("driver", "drivers"),
        german("m", "Fahrer", "Fahrer", gen="Fahrers", many_dat="Fahrern"),
        polish("m", "kierowca", "kierowcy", "kierowcę", "kierowcy", "kierowcy", "kierowców"),
    ),
    course=Noun(
        english("track", "tracks"),
        german("f", "Rennstrecke", "Rennstrecken"),
        polish("m", "tor", "toru", "tor", "torze", "tory", "torów"),
    ),
)

TURNS = Unit(counted=npgettext_lazy("to the flag", "%(n)d turn", "%(n)d turns", "n"), several=gettext_lazy("turns"))
"""The unit of ledgers."""
WORDS = Words.of(
    NOUNS,
    units={"turns_to_flag": TURNS},
    manners={**MANNERS, "bold": gettext_lazy("Trophy hunter")},
    order=gettext_lazy("Positions"),
    result_told=gettext_lazy("Points go by the place at the finish: most for the winner, none for a car that is out."),
    result_rule="R3",
    stood_in=gettext_lazy("the codriver drove turns in race %(stages)s"),
    new=gettext_lazy("New Grand Prix"),
    numbered=gettext_lazy("Grand Prix %(number)d"),
    build=gettext_lazy("Track builder"),
    bring=gettext_lazy("Bring a track"),
    sound=gettext_lazy("The track closes, and its file has no fault."),
    saved_once=gettext_lazy("A track is saved once its file has no fault left."),
    course_text=gettext_lazy("A track as a file with a line for each space, or the text that its page exports."),
    penalties={"points": gettext_lazy("Penalties for the whole event, in points")},
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
