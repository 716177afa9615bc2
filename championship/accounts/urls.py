from django.urls import path

from championship.accounts import views

app_name = "accounts"

urlpatterns = [
    path("me/", views.me, name="me"),
    path("me/sign-ins/", views.signed_in, name="sign_ins"),
    path("me/close/", views.close, name="close"),
]
