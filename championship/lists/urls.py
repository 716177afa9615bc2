"""URLs of lists: bringing one, and saying which column is what."""

from championship.lists import people_urls

app_name = "lists"

urlpatterns = [
    *people_urls.urlpatterns,
]
