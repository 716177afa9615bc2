"""URLs of lists: the steps of one, imports, and names without an account."""

from django.urls import path
from django.views.generic import RedirectView

from championship.lists.views import courses, names, steps, uploads

app_name = "lists"

urlpatterns = [
    path("lists/rallies/<slug:key>/entries/", uploads.rally_entries, name="rally_entries"),
    path("lists/championships/<slug:key>/registrations/", uploads.registrations, name="registrations"),
    path("lists/championships/<slug:key>/results/", uploads.past, name="past"),
    path("lists/clubs/<slug:slug>/members/", uploads.members, name="members"),
    path("lists/clubs/<slug:slug>/courses/", courses.bring, name="courses"),
    path("lists/<slug:key>/courses/", courses.look, name="courses_look"),
    path("lists/<slug:key>/columns/", uploads.columns, name="columns"),
    path("lists/<slug:key>/columns/to-correct.csv", uploads.faulty_lines, name="faulty_lines"),
    path("lists/<slug:key>/discard/", uploads.discard, name="discard"),
    path("lists/<slug:key>/people/", steps.who, name="who"),
    path("lists/<slug:key>/look/", steps.look, name="look"),
    path("lists/<slug:key>/done/", steps.done, name="done"),
    path("lists/<slug:key>/undo/", steps.undo, name="undo"),
    path("lists/<slug:key>/away/", steps.throw_away, name="throw_away"),
    path("help/lists/", steps.help_page, name="help_pages"),
    path("help/lists/<slug:slug>/", steps.help_page, name="help"),
    path("clubs/<slug:slug>/lists/", steps.imports, name="imports"),
    path("clubs/<slug:slug>/names/", names.names, name="names"),
    path("clubs/<slug:slug>/names/<int:pk>/", names.person, name="person"),
    # Where lists were brought before; people have these addresses in their notes.
    path(
        "rallies/<slug:key>/entries/list/",
        RedirectView.as_view(pattern_name="lists:rally_entries"),
        name="earlier_entries",
    ),
    path(
        "championships/<slug:key>/registrations/list/",
        RedirectView.as_view(pattern_name="lists:registrations"),
        name="earlier_registrations",
    ),
    path("championships/<slug:key>/past/", RedirectView.as_view(pattern_name="lists:past"), name="earlier_past"),
    path("championships/<slug:key>/imported/", names.rounds, name="rounds"),
    path("championships/<slug:key>/imported/<slug:rally>/remove/", names.remove_round, name="remove_round"),
]
