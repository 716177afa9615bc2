"""URLs of rallies. The key cannot be guessed. Everybody who has it may read the public pages, unless the club is for
members only.
"""

from django.urls import path

from championship.rallies import public_views as public
from championship.rallies.clock import timekeeping_views as timekeeping
from championship.rallies.control import driver_views as driver
from championship.rallies.desk import views as desk
from championship.rallies.desk import views as messages
from championship.rallies.entries import start_list_views as start_list
from championship.rallies.knockout import views as knockout
from championship.rallies.results import penalty_views as penalties

app_name = "rallies"

urlpatterns = [
    path("clubs/<slug:slug>/rallies/new/", desk.create, name="create"),
    path("rallies/<slug:key>/", public.rally, name="rally"),
    path("rallies/<slug:key>/stages/<int:number>/", public.stage, name="stage"),
    path("rallies/<slug:key>/stages/<int:number>/overall/", public.overall, name="overall"),
    path("rallies/<slug:key>/sheet/", public.sheet, name="sheet"),
    path("rallies/<slug:key>/seen/", driver.result_seen, name="result_seen"),
    path("rallies/<slug:key>/podium/", public.podium, name="podium"),
    path("rallies/<slug:key>/enter/", driver.enter, name="enter"),
    path("rallies/<slug:key>/stages/<int:number>/control/", driver.time_control, name="time_control"),
    path("rallies/<slug:key>/desk/", desk.desk, name="desk"),
    path("rallies/<slug:key>/desk/entries/", desk.several, name="several"),
    path("rallies/<slug:key>/desk/options/", desk.options, name="options"),
    path("rallies/<slug:key>/desk/options/stages/", desk.stage_modes, name="stage_modes"),
    path("rallies/<slug:key>/desk/penalty/", penalties.penalty, name="penalty"),
    path("rallies/<slug:key>/desk/penalty/<int:penalty_id>/withdraw/", penalties.withdraw, name="withdraw_penalty"),
    path("rallies/<slug:key>/desk/time/", timekeeping.timekeeping, name="timekeeping"),
    path("rallies/<slug:key>/desk/pause/", timekeeping.pause, name="pause"),
    path("rallies/<slug:key>/desk/start-list/", start_list.start_list, name="start_list"),
    path("rallies/<slug:key>/desk/stages/<int:number>/field/", knockout.field, name="field"),
    path("rallies/<slug:key>/desk/entries.csv", desk.entries_csv, name="entries_csv"),
    path("rallies/<slug:key>/desk/message/", messages.message, name="message"),
    path("rallies/<slug:key>/desk/<slug:act>/", desk.act, name="act"),
    path("rallies/<slug:key>/entries/<int:entry_id>/confirm/", desk.confirm, name="confirm"),
    path("rallies/<slug:key>/entries/<int:entry_id>/newcomer/", desk.newcomer, name="newcomer"),
    path("rallies/<slug:key>/entries/<int:entry_id>/refuse/", desk.refuse, name="refuse"),
    path("rallies/<slug:key>/entries/<int:entry_id>/withdraw/", driver.withdraw, name="withdraw"),
    path("rallies/<slug:key>/entries/<int:entry_id>/driven-by/", driver.driven_by, name="driven_by"),
]
