from django.urls import path

from championship.moments import views

app_name = "moments"

urlpatterns = [
    path("clubs/<slug:slug>/moments/", views.all_moments, name="all"),
    path("clubs/<slug:slug>/moments/<slug:key>/<slug:name>/", views.moment, name="moment"),
    path("clubs/<slug:slug>/moments/<slug:key>/<slug:name>/cheer/", views.cheer, name="cheer"),
    path("clubs/<slug:slug>/comments/<int:pk>/hide/", views.hide, name="hide"),
    path("clubs/<slug:slug>/comments/<int:pk>/take-back/", views.take_back, name="take_back"),
]
