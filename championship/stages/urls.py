from django.urls import path

from championship.stages import views

app_name = "stages"

urlpatterns = [
    path("clubs/<slug:slug>/stages/", views.club_stages, name="club"),
    path("clubs/<slug:slug>/stages/new/", views.new, name="new"),
    path("land/<slug:game>/<slug:edition>/<slug:language>/<str:road>.svg", views.land, name="land"),
    path("stages/<slug:key>/", views.design, name="design"),
    path("stages/<slug:key>/rate/", views.rate, name="rate"),
    path("stages/<slug:key>/rating/", views.rating_part, name="rating"),
]
