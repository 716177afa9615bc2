"""The pages of Vectors: a map with the cars on it, a panel of nine pushes, and the same panel for orders ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from championship.catalogue.svg_elements import wrapped
from championship.platform.refusals import Refused
from championship.runs.models import Run, SentAhead
from championship.runs.pages.plain import PlainPages
from championship.runs.road_views import CarSpot, Road, Shape, Standing
from championship.runs.run_pages import DraftShown, ReplayFrame, Shown
from championship.runs.watch.selectors import RunPage
from championship.stages.stage_pages import PlainMaps, Spec
from tests.contract.toys.vector_words import TELLS
from tests.contract.toys.vectors import FINISH, GATES, PUSH, PUSHES, START, WALL

SQUARE = 20
FILLS = {WALL: "#444444", START: "#ccddee", FINISH: "#eecc66"}


def drawn(rows: Sequence[str], cars: Mapping[str, Mapping[str, Any]], *, title: str, ident: str) -> SafeString:
    """Return the squares of a course, and the cars on it by their numbers."""
    squares = format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="#999"/>',
        (
            (x * SQUARE, y * SQUARE, SQUARE, SQUARE, FILLS.get(sign, "#eef" if sign in GATES else "#fff"))
            for y, row in enumerate(rows)
            for x, sign in enumerate(row)
        ),
    )
    numbers = format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="middle" font-size="14">{}</text>',
        ((car["x"] * SQUARE + SQUARE // 2, car["y"] * SQUARE + 15, name) for name, car in cars.items()),
    )
    box = ("0", "0", str(len(rows[0]) * SQUARE), str(len(rows) * SQUARE))
    about = _("Dark squares are walls.")
    return wrapped(box, squares + numbers, ident=ident, kind="squares", title=title, about=about, static=True)


class VectorMaps(PlainMaps):
    """Maps of courses."""

    def map_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        return drawn(spec["rows"], {}, title=title or spec["name"], ident=ident)

    def small_svg(self, spec: Spec, *, title: str = "", ident: str = "map") -> SafeString:
        return self.map_svg(spec, title=title, ident=ident)


class VectorRoads:
    """The road with the cars on it: films and lines on the map are drawn of it."""

    def road(self, run: Run, view: Mapping[str, Any]) -> Road:
        rows = run.stage["rows"]
        return Road(
            cars=[
                CarSpot(name, (car["x"] + 0.5) * SQUARE, (car["y"] + 0.5) * SQUARE, behind=car["gates"])
                for name, car in view["seats"].items()
                if not car["ended"]
            ],
            reach=4.0 * SQUARE,
            bounds=(0.0, 0.0, len(rows[0]) * SQUARE, len(rows) * SQUARE),
            ground="#ffffff",
            shapes=lambda box: [
                Shape(_square(x, y), FILLS.get(sign, "#eeeeff" if sign in GATES else "#ffffff"), "#999999")
                for y, row in enumerate(rows)
                for x, sign in enumerate(row)
            ],
        )

    def standing(self, run: Run, view: Mapping[str, Any], seat: str) -> Standing | None:
        return None


def _square(x: int, y: int) -> list[tuple[float, float]]:
    return [((x + right) * SQUARE, (y + down) * SQUARE) for right, down in ((0, 0), (1, 0), (1, 1), (0, 1))]


class VectorPages(PlainPages):
    """The pages of a run."""

    def show(self, page: RunPage, draft: DraftShown) -> Shown:
        shown = super().show(page, draft)
        state = page.run.state
        waits = page.mine is not None and page.my_turn is None and not state["seats"][page.mine.name]["ended"]
        sent = page.orders_ahead
        pushes = [(f"{right} {down}", f"{right:+d} {down:+d}") for right, down in PUSHES]
        return replace(
            shown,
            panel="vectors/panel.html",
            ahead="vectors/ahead.html" if waits else "",
            map=drawn(state["rows"], state["seats"], title=_("The course"), ident="map"),
            context={
                **shown.context,
                "pushes": pushes,
                "waiting": sent if sent is not None and sent.state == SentAhead.State.WAITING else None,
            },
        )

    def read_orders(self, data: QueryDict) -> dict[str, Any]:
        return self.read_standing(data) if self.brings_standing(data) else super().read_orders(data)

    def brings_standing(self, data: QueryDict) -> bool:
        return "push" in data

    def read_standing(self, data: QueryDict) -> dict[str, Any]:
        push = {f"{right} {down}": (right, down) for right, down in PUSHES}.get(data.get("push", ""))
        if push is None:
            raise Refused(_("Choose one of the nine pushes."), field="push")
        return {"do": PUSH, "right": push[0], "down": push[1]}

    def frame_at(
        self,
        page: RunPage,
        state: Mapping[str, Any],
        acting: str | None,
        turn: Sequence[Mapping[str, Any]],
        *,
        overlay: bool,
    ) -> ReplayFrame:
        frame = super().frame_at(page, state, acting, turn, overlay=overlay)
        return replace(frame, map=drawn(state["rows"], state["seats"], title=_("The course"), ident="map"))


PAGES_OF_VECTORS = VectorPages(tells=TELLS)
