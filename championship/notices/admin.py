"""The outbox on the administration pages: shows waiting and dead notices with their errors, and sends them again."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from championship.notices import services
from championship.notices.models import Notice
from championship.platform.web.admin_pages import ModelAdmin


@admin.action(description=_("Send dead and held letters again"))
def send_again(modeladmin: ModelAdmin[Notice], request: HttpRequest, queryset: QuerySet[Notice]) -> None:
    count = services.retry_undelivered(ids=[str(pk) for pk in queryset.values_list("pk", flat=True)])
    modeladmin.message_user(request, str(count), messages.SUCCESS)


@admin.register(Notice)
class NoticeAdmin(ModelAdmin[Notice]):
    list_display = ["created_at", "recipient", "club", "channel", "kind", "subject_key", "status", "attempts"]
    list_filter = ["status", "channel", "kind"]
    list_select_related = ["recipient", "club"]
    readonly_fields = [field.name for field in Notice._meta.fields]
    actions = [send_again]
