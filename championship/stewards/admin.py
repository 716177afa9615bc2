"""The stewards' room for operators, to be read."""

from django.contrib import admin

from championship.stewards.models import Decision, Protest

admin.site.register([Protest, Decision])
