from django.urls import path

from championship.openstage import views

app_name = "openstage"

urlpatterns = [
    path("open-stage/", views.now, name="now"),
    path("open-stage/drive/", views.drive, name="drive"),
    path("open-stage/weeks/", views.weeks, name="weeks"),
    path("open-stage/<slug:name>/", views.week, name="week"),
]
