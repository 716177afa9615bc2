"""An organiser who builds stages over HTTP."""

from __future__ import annotations

from typing import Any

from championship.clubs.models import Club, Role
from championship.stages.models import StageDraft
from tests.factories import make_club, make_member, signed_in


class BuilderPage:
    """An organiser at the stage builder of a club, with the version of the page that was seen last. `game`: the game of
    the stage, "" for the first game with a builder.
    """

    def __init__(self, club: Club | None = None, *, game: str = "") -> None:
        self.club = club or make_club()
        self.game = game
        self.olga = make_member(self.club, roles=[Role.ORGANISER])
        self.page = signed_in(self.olga)
        self.version = 0

    def address(self, rest: str = "") -> str:
        return f"/clubs/{self.club.slug}/stages/{f'{self.game}/' if self.game else ''}build/{rest}"

    def post(
        self, rest: str = "", *, version: int | None = None, how: dict[str, str] | None = None, **given: Any
    ) -> Any:
        given = {"version": str(self.version if version is None else version), **given}
        answer = self.page.post(self.address(rest), given, **(how or {}))
        draft = self.draft()
        self.version = draft.version if draft else 0
        return answer

    def lay(self, *tiles: str) -> None:
        for tile in tiles:
            assert self.post(do="lay", tile=tile).status_code == 302, tile

    def draft(self) -> StageDraft | None:
        return StageDraft.objects.filter(club=self.club, author=self.olga).first()

    def tiles(self) -> list[str]:
        draft = self.draft()
        return [tile["tile"] for tile in draft.spec["tiles"]] if draft else []
