"""URLs of lists: bringing one, and saying which column is what."""

from django.urls import path

from championship.lists import people_urls
from championship.lists.views import uploads

app_name = "lists"

urlpatterns = [
    *people_urls.urlpatterns,
    path("lists/rallies/<slug:key>/entries/", uploads.rally_entries, name="rally_entries"),
    path("lists/championships/<slug:key>/registrations/", uploads.registrations, name="registrations"),
    path("lists/championships/<slug:key>/results/", uploads.past, name="past"),
    path("lists/clubs/<slug:slug>/members/", uploads.members, name="members"),
    path("lists/<slug:key>/columns/", uploads.columns, name="columns"),
    path("lists/<slug:key>/columns/to-correct.csv", uploads.faulty_lines, name="faulty_lines"),
    path("lists/<slug:key>/discard/", uploads.discard, name="discard"),
]
