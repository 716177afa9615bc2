from django.urls import path

from championship.legal import views

app_name = "legal"

urlpatterns = [
    path("legal/<slug:topic>/", views.page, name="page"),
    path("operator/legal/<slug:topic>/", views.edit, name="edit"),
]
