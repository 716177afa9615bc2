from django.urls import path

from championship.accounts import closing_views, views

app_name = "accounts"

urlpatterns = [
    path("me/", views.me, name="me"),
    path("me/sign-ins/", views.signed_in, name="sign_ins"),
    path("me/close/", closing_views.close, name="close"),
]
