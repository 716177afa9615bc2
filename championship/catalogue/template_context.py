"""Context variables for every template."""

from django.conf import settings
from django.http import HttpRequest

from championship import catalogue
from championship.platform.version import __version__


def site(request: HttpRequest) -> dict[str, object]:
    """Returns `demo`: whether this is the demo, which offers one-click logins; `games`: all installed games;
    `game_names`: their names; and `site_version`: the release of Parc Fermé.
    """
    names = list(catalogue.names())
    games = [catalogue.get(name) for name in names]
    return {"demo": settings.DEMO, "games": games, "game_names": names, "site_version": __version__}
