from django.urls import path

from championship.demo import views

app_name = "demo"

urlpatterns = [
    path("", views.index, name="index"),
    path("as/<str:token>/", views.become, name="become"),
    path("mail/", views.sent_mail, name="mail"),
]
