"""Words for acts: each app registers how its acts read in the log."""

from django.utils.functional import Promise

_labels: dict[str, str | Promise] = {}


def register(action: str, label: str | Promise) -> None:
    """Let `action` read as `label`, a lazy translation such as _("invited somebody")."""
    _labels[action] = label


def label_of(action: str) -> str:
    """How the act reads in the active language; the action itself when nobody registered words for it."""
    return str(_labels.get(action, action))
