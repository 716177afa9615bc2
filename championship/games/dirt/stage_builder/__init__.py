"""The game's implementation of championship.stages.builders.StageBuilder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dirt.draft_reading import read
from championship.games.dirt.pace_words import pace_notes
from championship.games.dirt.stage_builder.builder_map import builder_map, open_end
from championship.games.dirt.stage_builder.forms import ListForm, RandomForm, SettingsForm
from championship.games.dirt.tile_choices import STRAIGHT, RoadDirection, direction_of, directions, offers, value_of
from championship.games.dirt.tile_list import rows
from championship.platform.bounded_input import whole_number
from championship.stages.builders import BuilderPage
from championship.stages.forms import ImportForm
from championship.stages.stage_pages import Spec
from engine.contract import StageError
from engine.dirt.course.layout import chain
from engine.dirt.game import game

__all__ = [
    "act",
    "empty",
    "example",
    "import_form",
    "list_form",
    "looked_at",
    "pace_notes",
    "random_form",
    "read",
    "settings_form",
    "show",
]

RULES = game()
FIRST_DIRECTION = "1"
"""The default direction of the first tile: the stage grows to the right."""


def empty() -> dict[str, Any]:
    """Return a draft without tiles, with one box and the service park."""
    return {"tiles": [], "service": True, "boxes": 1}


def settings_form(data: Any = None, *, draft: Spec | None = None) -> forms.Form:
    """Return the form for the service park and the boxes."""
    initial = {"service": draft["service"], "boxes": draft["boxes"]} if draft else None
    return SettingsForm(data, initial=initial)


def list_form(data: Any = None, *, text: str = "") -> ListForm:
    """Return the form for the tiles, one a line."""
    return ListForm(data, initial={"text": text})


def import_form(data: Any = None, files: Any = None) -> ImportForm:
    """Return the form for TOML: a file, or pasted text."""
    return ImportForm(data, files)


def example(spec: Spec) -> str:
    """Return the stage as TOML."""
    return RULES.write_course(spec)


def random_form(data: Any = None, *, wishes: Mapping[str, Any] | None = None) -> forms.Form:
    """Return the form for length, hazard, service park and seed."""
    return RandomForm(data, initial=wishes)


def act(draft: Spec, act: Mapping[str, str]) -> dict[str, Any]:
    """Return the draft after an act: lay, replace, turn, cut off or take out a tile, change the settings, or clear.

    Raises: StageError when the act is not possible.
    """
    do = act.get("do", "")
    if do == "clear":
        return {**empty(), "service": draft["service"], "boxes": draft["boxes"]}
    if do == "settings":
        return _with_settings(draft, act)
    place = _place(draft, act.get("place", ""))
    if do == "lay":
        return _with_tile(draft, place, _offered(draft, place, act.get("tile", "")))
    place = place or len(draft["tiles"])
    if do in ("turn", "cut", "drop") and not place:
        raise StageError(_("The draft is still empty."))
    if do == "turn":
        return _with_tile(draft, place, _turned(draft, place))
    tiles = draft["tiles"]
    if do == "cut":
        return _checked(draft, tiles[: place - 1])
    if do == "drop":
        return _checked(draft, [*tiles[: place - 1], *map(_free, tiles[place:])])
    raise StageError(_("The builder cannot do that."))


def looked_at(act: Mapping[str, str]) -> dict[str, str]:
    """Return the query for the tile that was replaced or turned, so that it stays selected."""
    return {"tile": act["place"]} if act.get("place") and act.get("do") in ("lay", "turn") else {}


def show(draft: Spec, query: Mapping[str, str]) -> BuilderPage:
    """Return the stage builder's page. `query`: "tile" is the selected tile, "go" the direction for which tiles are
    offered.
    """
    road = chain(draft["tiles"])
    selected = _place(draft, query.get("tile", ""), strict=False)
    placements = RULES.placements(draft, selected)
    first = selected == 1 or not road
    open_directions = directions(placements, first=first)
    current = draft["tiles"][selected - 1] if selected else None
    direction = _chosen(
        open_directions, query.get("go", ""), direction_of(current, first=first) if current else "", first=first
    )
    tiles = rows(draft)
    found = RULES.survey(draft)
    context = {
        "selected": tiles[selected - 1] if selected else None,
        "current_hazard": road[selected - 1].face.hazard if selected else "",
        "current": value_of(current) if current else "",
        "previous": (selected or len(road) + 1) - 1,
        "next": selected + 1 if selected and selected < len(road) else 0,
        "first": first,
        "directions": open_directions,
        "direction": next((one for one in open_directions if one.key == direction), None),
        "offers": offers(placements, direction, first=first),
        "tiles": tiles,
        "last": tiles[-1] if tiles else None,
        "turns": bool(road) and bool(_other_placements(draft, selected or len(road))),
        "settings": settings_form(draft=draft),
    }
    length = [
        ngettext("%(count)d tile", "%(count)d tiles", len(road)) % {"count": len(road)},
        ngettext("%(count)d section", "%(count)d sections", found.sections) % {"count": found.sections},
        ngettext("%(count)d space", "%(count)d spaces", found.spaces) % {"count": found.spaces},
    ]
    picture = builder_map(draft, open_end(road, selected, open_directions, direction), selected)
    return BuilderPage(
        picture,
        "dirt/builder.html",
        ", ".join(length),
        begun=bool(road),
        keys="dirt/builder_keys.html",
        context=context,
    )


def _chosen(open_directions: Sequence[RoadDirection], wanted: str, current: str, *, first: bool) -> str:
    keys = [direction.key for direction in open_directions]
    usual = FIRST_DIRECTION if first else str(STRAIGHT)
    return next((key for key in (wanted, current, usual) if key in keys), keys[0] if keys else "")


def _place(draft: Spec, text: str, *, strict: bool = True) -> int | None:
    """Return the number of a tile of the draft; None when none is named."""
    number = whole_number(text, digits=3)
    if number and number <= len(draft["tiles"]):
        return number
    if text and strict:
        raise StageError(_("There is no such tile in the draft."))
    return None


def _offered(draft: Spec, place: int | None, value: str) -> Mapping[str, Any]:
    for placement in RULES.placements(draft, place):
        if value_of(placement) == value:
            found: Mapping[str, Any] = placement
            return found
    raise StageError(_("That tile does not fit there."))


def _other_placements(draft: Spec, place: int) -> list[Mapping[str, Any]]:
    """Return all other placements of the same face at its place, each turned a little further. Its current placement
    may not fit any more: when another tile is taken out, the road may run into itself further on.
    """
    tile = draft["tiles"][place - 1]
    others = [
        placement
        for placement in RULES.placements(draft, place)
        if placement["tile"] == tile["tile"] and value_of(placement) != value_of(tile)
    ]
    return sorted(others, key=lambda placement: placement["turn"])


def _turned(draft: Spec, place: int) -> Mapping[str, Any]:
    others = _other_placements(draft, place)
    if not others:
        raise StageError(_("It does not fit there in any other way."), piece=place)
    turn = draft["tiles"][place - 1]["turn"]
    return next((placement for placement in others if placement["turn"] > turn), others[0])


def _with_tile(draft: Spec, place: int | None, placement: Mapping[str, Any]) -> dict[str, Any]:
    tiles = draft["tiles"]
    at = len(tiles) if place is None else place - 1
    return _checked(draft, [*tiles[:at], placement, *map(_free, tiles[at + 1 :])])


def _with_settings(draft: Spec, act: Mapping[str, str]) -> dict[str, Any]:
    form = SettingsForm(act)
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise StageError(f"{form[field].label}: {errors[0]}")
    return _checked({**draft, **form.cleaned_data}, draft["tiles"])


def _free(tile: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tile without its position, which the chain then determines."""
    return {"tile": tile["tile"], "via": tile["via"]}


def _checked(draft: Spec, tiles: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found = RULES.survey({**draft, "tiles": list(tiles)})
    if found.wrong:
        raise found.wrong[0]
    stage: dict[str, Any] = found.course
    return stage
