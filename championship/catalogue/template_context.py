"""Context variables for every template."""

from django.conf import settings
from django.http import HttpRequest

from championship import catalogue


def site(request: HttpRequest) -> dict[str, object]:
    """Returns `demo`: whether this is the demo, which offers one-click logins; `games`: all installed games; and
    `game_names`: their names.
    """
    names = list(catalogue.names())
    return {"demo": settings.DEMO, "games": [catalogue.get(name) for name in names], "game_names": names}
