"""What every template may know about the place it is served from."""

from django.conf import settings
from django.http import HttpRequest

from championship import games


def site(request: HttpRequest) -> dict[str, object]:
    """`demo`: whether this is the demo, which offers its one-click logins. `games`: all games that are installed;
    `game_names`: their names.
    """
    names = list(games.names())
    return {"demo": settings.DEMO, "games": [games.get(name) for name in names], "game_names": names}
