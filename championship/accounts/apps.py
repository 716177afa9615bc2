from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "championship.accounts"
    label = "accounts"
