"""URLs of archives, of lists of entries, and of past results."""

from django.urls import path

from championship.archive.views import archives, csv_import

app_name = "archive"

urlpatterns = [
    path("clubs/<slug:slug>/archive/", archives.archive, name="archive"),
    path("clubs/<slug:slug>/archive/state/", archives.state, name="state"),
    path("clubs/<slug:slug>/archive/<int:pk>/download/", archives.download, name="download"),
    path("rallies/<slug:key>/entries/list/", csv_import.rally_entries, name="entries"),
    path("championships/<slug:key>/registrations/list/", csv_import.registrations, name="registrations"),
    path("championships/<slug:key>/past/", csv_import.past_results, name="past"),
    path("championships/<slug:key>/past/<slug:rally>/remove/", csv_import.delete_imported_round, name="take_out"),
    path("me/data/", archives.own_data, name="own_data"),
    path("operator/restore/", archives.restore, name="restore"),
    path("operator/restore/state/", archives.restore_state, name="restore_state"),
]
