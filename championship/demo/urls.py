from django.urls import path

from championship.demo import views
from championship.notices.views import sent_mail

app_name = "demo"

urlpatterns = [
    path("", views.index, name="index"),
    path("as/<str:token>/", views.become, name="become"),
    path("mail/", sent_mail, name="mail"),
]
