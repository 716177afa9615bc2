"""What organisers type to design a stage."""

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.stages.services import LONGEST_NAME

MOST_BOXES = 9
LONGEST_LIST = 20_000


class DesignForm(forms.Form):
    """A stage as a list of tiles. Whether the tiles fit is said by the service."""

    name = forms.CharField(label=_("Name of the stage"), max_length=LONGEST_NAME, validators=[one_line])
    tiles = forms.CharField(
        label=_("Tiles"),
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false", "autocapitalize": "off"}),
        help_text=_(
            "One tile a line, in driving order: its face, the edges by which the road comes in and leaves, its "
            "hexagon, its turn. Behind the start tile the face and the edges will do. TOML with a list of tiles is "
            "read too."
        ),
    )
    service = forms.BooleanField(label=_("The service park stands behind the finish"), required=False, initial=True)
    boxes = forms.IntegerField(
        label=_("Boxes"),
        min_value=1,
        max_value=MOST_BOXES,
        initial=1,
        help_text=_("How many boxes of tiles there are: each tile lies once per box."),
    )
