"""The game's implementation of championship.stages.builders.StageBuilder, for tracks that a club imports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.games.formula_d.drawing import circuit_svg
from championship.games.formula_d.maps import corners_of, summary, write_text
from championship.games.formula_d.stage_builder_forms import BringForm, HeadForm, ListForm
from championship.stages import builders
from championship.stages.builders import BuilderPage, PaceNotes, Reading
from championship.stages.stage_pages import Spec
from engine.contract import StageError
from engine.formula_d.game import game
from engine.formula_d.track import OWN_TITLE, WEATHER, heading
from engine.toml_text import toml_of

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

GAME = "formula_d"
MOST_FAULTS = 40
EXAMPLE = 12
"""The number of lines of a track file in the example."""
TOML = re.compile(r"^\s*(csv|track)\s*=")
FILE_RULE = "F1"
"""The rule about track files."""


def empty() -> dict[str, Any]:
    """Return a draft without a track."""
    return {}


def settings_form(data: Any = None, *, draft: Spec | None = None) -> forms.Form:
    """Return a form without fields: the text of a track contains everything."""
    return forms.Form(data)


def list_form(data: Any = None, *, text: str = "") -> ListForm:
    """Return the form for the spaces, one a line."""
    return ListForm(data, initial={"text": text})


def import_form(data: Any = None, files: Any = None) -> BringForm:
    """Return the form for a track file, or its text."""
    return BringForm(data, files)


def example(spec: Spec) -> str:
    """Return the first lines of a track file."""
    return "\n".join([*write_text(spec).splitlines()[:EXAMPLE], "…"])


def random_form(data: Any = None, *, wishes: Mapping[str, Any] | None = None) -> None:
    """Return None: the game has no random tracks."""


def pace_notes(spec: Spec) -> PaceNotes:
    """Return no notes: the plates at the corners are enough."""
    return PaceNotes([])


def looked_at(act: Mapping[str, str]) -> dict[str, str]:
    """Return no query: an act concerns the whole track."""
    return {}


def act(draft: Spec, act: Mapping[str, str]) -> dict[str, Any]:
    """Remove the track from the draft, or set its title and its weather.

    Raises: StageError when there is no track, or when a value is not valid.
    """
    do = act.get("do", "")
    if do == "clear":
        return empty()
    if do != "head":
        raise StageError(_("The builder cannot do that."))
    if not draft:
        raise StageError(_("The draft is still empty."))
    form = HeadForm(act)
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise StageError(f"{form[field].label}: {errors[0]}")
    text = write_text(draft)
    _head, skipped = heading(text)
    lines = [f"# title: {form.cleaned_data['title']}", f"# weather: {form.weather}", *text.splitlines()[skipped:]]
    course: dict[str, Any] = game().read_course({"csv": "\n".join(lines) + "\n"})
    return course


def show(draft: Spec, query: Mapping[str, str]) -> BuilderPage:
    """Return the stage builder's page: the drawing of the track, and its corners in words."""
    if not draft:
        return BuilderPage(SafeString(""), "formula_d/builder.html", _("The draft is still empty."), begun=False)
    head, _skipped = heading(write_text(draft))
    head_fields = {"title": head.get("title", OWN_TITLE), "weather": head.get("weather", WEATHER)}
    context = {"corners": corners_of(draft), "head": HeadForm.of(**head_fields)}
    drawn = circuit_svg(draft, title=head_fields["title"], ident="builder-map")
    return BuilderPage(drawn, "formula_d/builder.html", summary(draft), begun=True, context=context)


def read(text: str, settings: Mapping[str, Any], *, toml: bool = False) -> Reading:
    """Return a track from a file, as CSV or as TOML around it, with every fault and its line."""
    draft: Any = {"csv": text}
    if TOML.search(text):
        try:
            draft = toml_of(text)
        except ValueError as error:
            return Reading(None, (_("This is not TOML: %(why)s") % {"why": error},), rule=FILE_RULE)
    if not text.strip():
        return Reading(
            empty(), missing=tuple(builders.error_text(GAME, fault) for fault in game().survey(empty()).missing)
        )
    found = game().survey(draft)
    wrong = tuple(dict.fromkeys(builders.error_text(GAME, fault) for fault in found.wrong))
    if len(wrong) > MOST_FAULTS:
        wrong = (*wrong[:MOST_FAULTS], _("… and %(count)d more.") % {"count": len(wrong) - MOST_FAULTS})
    rule = next((fault.rule for fault in found.wrong if fault.rule), "")
    missing = tuple(builders.error_text(GAME, fault) for fault in found.missing)
    return Reading(found.course, wrong, missing, rule=rule)
