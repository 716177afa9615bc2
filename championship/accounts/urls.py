from django.urls import path

from championship.accounts import views

app_name = "accounts"

urlpatterns = [path("me/", views.me, name="me")]
