"""URLs of pages about the service itself. The addresses for machines are in probes.py."""

from django.urls import path

from championship.health import probes

app_name = "health"

urlpatterns = [path("status/", probes.status, name="status")]
