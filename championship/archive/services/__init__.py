"""Every write about archives and lists: making, keeping and restoring a club's archive, importing what a league brings.

What other apps call is named here; the modules beside this one import each other by their own names.
"""

from championship.archive.services.archives import (
    clean_up_archives,
    download,
    make_archive,
    request_archive,
)

__all__ = [
    "clean_up_archives",
    "download",
    "make_archive",
    "request_archive",
]
