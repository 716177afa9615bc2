"""Every write about championships: founding and changing them, rounds and calendar, drafts, registrations, deleting.

What other apps call is named here; the modules beside this one import each other by their own names.
"""

from championship.seasons.services.championships import (
    add_round,
    change_championship,
    create_championship,
    locked,
    open_round,
    require_stage,
    require_version,
)

__all__ = [
    "add_round",
    "change_championship",
    "create_championship",
    "locked",
    "open_round",
    "require_stage",
    "require_version",
]
