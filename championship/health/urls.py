"""URLs of pages about the service itself. The addresses for machines are in probes.py."""

from django.urls import path

from championship.health import views

app_name = "health"

urlpatterns = [path("status/", views.status, name="status")]
