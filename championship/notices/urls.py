from django.urls import path

from championship.notices import views

app_name = "notices"

urlpatterns = [path("me/mail/", views.switches, name="switches")]
