"""Forms for a draft's settings, its list of tiles, and a random stage."""

from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from championship.games.dirt.tile_list import STANDARD
from championship.stages import forms as stages
from engine.dirt.course.layout import MOST_BOXES
from engine.dirt.course.random_stages import HAZARDS, LEAST_TILES, most_tiles

MOST_SEED = 10**9


class SettingsForm(forms.Form):
    """Settings that a list of tiles does not contain."""

    service = forms.BooleanField(label=_("Service park after the finish"), required=False)
    boxes = forms.IntegerField(
        label=_("Boxes"),
        min_value=1,
        max_value=MOST_BOXES,
        help_text=_("How many boxes of tiles you have: each box has every tile once."),
    )


class ListForm(stages.ListForm):
    """A stage as a list of its tiles."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].label = _("Tiles")
        self.fields["text"].help_text = _(
            "One tile per line, in driving order: its face, the edges where the road enters and leaves, "
            "its hexagon, its turn. After the start tile, the face and the edges are enough. TOML with a "
            "list of tiles works too."
        )


class RandomForm(forms.Form):
    """A stage drawn at random."""

    tiles = forms.IntegerField(
        label=_("Length in tiles"),
        min_value=LEAST_TILES,
        initial=STANDARD,
        help_text=_("Start and finish included: 10 tiles are a short stage, 14 a standard one, 18 a long one."),
    )
    hazard = forms.TypedChoiceField(
        label=_("Hazard"),
        coerce=int,
        choices=[
            (HAZARDS[0], pgettext_lazy("hazard", "gentle: yellow signs, wide bends")),
            (HAZARDS[1], pgettext_lazy("hazard", "as it comes")),
            (HAZARDS[2], pgettext_lazy("hazard", "dangerous: red signs, tight bends")),
        ],
        initial=HAZARDS[1],
        widget=forms.RadioSelect,
    )
    service = forms.BooleanField(label=_("Service park after the finish"), required=False, initial=True)
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MOST_SEED,
        required=False,
        help_text=_("The same seed with the same choices makes the same stage. Empty: a random seed."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tiles = self.fields["tiles"]
        assert isinstance(tiles, forms.IntegerField)
        tiles.max_value = most_tiles()
        tiles.widget.attrs["max"] = most_tiles()
        tiles.validators.append(MaxValueValidator(most_tiles()))
