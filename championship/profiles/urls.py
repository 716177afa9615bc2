from django.urls import path

from championship.profiles import views

app_name = "profiles"

urlpatterns = [
    path("drivers/<slug:key>/", views.driver, name="driver"),
    path("me/public/", views.mine, name="mine"),
]
