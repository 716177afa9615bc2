"""Every write about stages: a club's designs and the ready-made ones, drafts in the builder, ratings.

What other apps call is named here; the modules beside this one import each other by their own names.
"""

from championship.stages.services.designs import (
    MAKERS,
    copy_design,
    create_design,
    load_library,
    read_design,
    remove_design,
    rename_design,
)

__all__ = [
    "MAKERS",
    "copy_design",
    "create_design",
    "load_library",
    "read_design",
    "remove_design",
    "rename_design",
]
