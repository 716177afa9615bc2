"""People on the administration pages: staff can find people and lock them out."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from championship.accounts.models import User
from championship.platform.web.admin_pages import ModelAdmin

# Staff sign in like everybody else. The administration's own sign-in page would ask for a password.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


@admin.register(User)
class UserAdmin(ModelAdmin[User]):
    list_display = ["email", "name", "language", "time_zone", "is_active", "date_joined"]
    list_filter = ["is_active", "is_staff", "language"]
    search_fields = ["email", "name"]
    readonly_fields = ["date_joined", "last_login"]
    fields = ["email", "name", "language", "time_zone", "is_active", "is_staff", "date_joined", "last_login"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """The people with an account. Guests have none, and are deleted by themselves."""
        return super().get_queryset(request).filter(is_guest=False)
