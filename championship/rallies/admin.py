"""Read-only administration pages for rallies. Writes go through services; time-control cards stay sealed."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from championship.platform.web.admin_pages import ReadOnlyAdmin
from championship.rallies.models import Entry, Penalty, Rally, SpecialStage, StageTime
from championship.rallies.results.selectors import is_sealed


@admin.register(Rally)
class RallyAdmin(ReadOnlyAdmin[Rally]):
    list_display = ("name", "club", "status", "created_at")
    list_filter = ("status",)
    list_select_related = ("club",)
    search_fields = ("name", "key")


@admin.register(SpecialStage)
class SpecialStageAdmin(ReadOnlyAdmin[SpecialStage]):
    list_display = ("rally", "number", "name", "status")
    list_select_related = ("rally",)


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin[Entry]):
    list_display = ("rally", "start_number", "crew", "driver", "status", "driven_by")
    list_select_related = ("rally", "driver")
    search_fields = ("crew", "driver__name")


@admin.register(StageTime)
class StageTimeAdmin(ReadOnlyAdmin[StageTime]):
    """Stage times without sealed ones: those reveal random draws that are ahead of others, and an operator may drive
    too.
    """

    list_display = ("special_stage", "entry", "measure", "retired")
    list_select_related = ("special_stage__rally", "entry")

    def get_queryset(self, request: HttpRequest) -> QuerySet[StageTime]:
        running = SpecialStage.objects.filter(status=SpecialStage.Status.RUNNING).select_related("rally")
        sealed = [stage.pk for stage in running.defer("spec") if is_sealed(stage)]
        return super().get_queryset(request).exclude(special_stage__in=sealed)


@admin.register(Penalty)
class PenaltyAdmin(ReadOnlyAdmin[Penalty]):
    list_display = ("rally", "entry", "special_stage", "amount", "reason")
    list_select_related = ("rally", "entry", "special_stage")
