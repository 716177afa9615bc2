"""Addresses of puzzles and of own turns that are driven again."""

from datetime import date

from django.urls import path, register_converter

from championship.puzzles import drive_on_views, turns_again_views, views


class DayConverter:
    """A day as "2026-11-28"."""

    regex = r"\d{4}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(value)

    def to_url(self, value: date | str) -> str:
        return value if isinstance(value, str) else value.isoformat()


register_converter(DayConverter, "day")
app_name = "puzzles"

urlpatterns = [
    path("puzzles/", views.today, name="today"),
    path("puzzles/all/", views.archive, name="archive"),
    path("puzzles/rating/", views.rating, name="rating"),
    path("puzzles/mine/", turns_again_views.due, name="due"),
    path("puzzles/mine/<slug:key>/", turns_again_views.turns, name="turns"),
    path("puzzles/mine/<slug:key>/<int:event>/", turns_again_views.turn, name="again"),
    path("puzzles/mine/<slug:key>/<int:event>/turn/", turns_again_views.answer, name="again_turn"),
    path("puzzles/mine/<slug:key>/<int:event>/draft/", turns_again_views.draft, name="again_draft"),
    path("puzzles/mine/<slug:key>/<int:event>/at/", turns_again_views.at, name="again_at"),
    path("puzzles/mine/<slug:key>/<int:event>/at/<str:place>/", turns_again_views.at, name="again_place"),
    path("puzzles/on/<slug:key>/", drive_on_views.begin, name="drive_on"),
    path("puzzles/drives/<slug:key>/", drive_on_views.drive, name="drive"),
    path("puzzles/drives/<slug:key>/turn/", drive_on_views.turn, name="drive_turn"),
    path("puzzles/drives/<slug:key>/draft/", drive_on_views.draft, name="drive_draft"),
    path("puzzles/drives/<slug:key>/at/", drive_on_views.at, name="drive_at"),
    path("puzzles/drives/<slug:key>/at/<str:place>/", drive_on_views.at, name="drive_place"),
    path("puzzles/<day:day>/", views.puzzle, name="puzzle"),
    path("puzzles/<day:day>/turn/", views.answer, name="puzzle_turn"),
    path("puzzles/<day:day>/draft/", views.draft, name="puzzle_draft"),
    path("puzzles/<day:day>/at/", views.at, name="puzzle_at"),
    path("puzzles/<day:day>/at/<str:place>/", views.at, name="puzzle_place"),
    path("puzzles/<day:day>/vote/", views.vote, name="vote"),
]
