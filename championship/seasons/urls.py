"""Addresses of championships. The key is unguessable: everybody who has it may read the table."""

from django.urls import path

from championship.seasons.views import clock, deleting, editing, public, registering, scores, trying, wizard

app_name = "seasons"

urlpatterns = [
    path("clubs/<slug:slug>/championships/new/", wizard.create, name="create"),
    path("season-drafts/<slug:key>/", wizard.start, name="draft_start"),
    path("season-drafts/<slug:key>/points/", wizard.points, name="draft_points"),
    path("season-drafts/<slug:key>/classes/", wizard.classes, name="draft_classes"),
    path("season-drafts/<slug:key>/calendar/", wizard.calendar, name="draft_calendar"),
    path("season-drafts/<slug:key>/calendar/<int:number>/", wizard.stages, name="draft_stages"),
    path("season-drafts/<slug:key>/rallies/", wizard.rallies, name="draft_rallies"),
    path("season-drafts/<slug:key>/preview/", wizard.preview, name="draft_preview"),
    path("season-drafts/<slug:key>/make/", wizard.make, name="draft_make"),
    path("season-drafts/<slug:key>/discard/", wizard.discard, name="draft_discard"),
    path("clubs/<slug:slug>/drivers/<int:pk>/", public.driver, name="driver"),
    path("clubs/<slug:slug>/drivers/<int:pk>/against/", public.head_to_head, name="head_to_head"),
    path("championships/<slug:key>/", public.championship, name="championship"),
    path("championships/<slug:key>/classes/<int:number>/", public.class_table, name="class_table"),
    path("championships/<slug:key>/teams/", public.team_table, name="team_table"),
    path("championships/<slug:key>/drivers/<int:pk>/", scores.driver, name="driver_scores"),
    path("championships/<slug:key>/classes/<int:number>/drivers/<int:pk>/", scores.in_class, name="class_scores"),
    path("championships/<slug:key>/teams/<int:pk>/", scores.team, name="team_scores"),
    path("championships/<slug:key>/by-hand/", scores.by_hand, name="by_hand"),
    path("championships/<slug:key>/by-hand/<int:pk>/withdraw/", scores.withdraw, name="withdraw_points"),
    path("championships/<slug:key>/try/", trying.another_scheme, name="try_scheme"),
    path("championships/<slug:key>/standings.csv", scores.standings_csv, name="standings_csv"),
    path("championships/<slug:key>/progress/", public.season_progress, name="progress"),
    path("championships/<slug:key>/delete/", deleting.championship, name="delete"),
    path("rallies/<slug:key>/delete/", deleting.rally, name="delete_rally"),
    path("championships/<slug:key>/edit/", editing.edit, name="edit"),
    path("championships/<slug:key>/edit/classes/", editing.classes, name="edit_classes"),
    path("championships/<slug:key>/edit/teams/", editing.teams, name="edit_teams"),
    path("championships/<slug:key>/edit/calendar/", editing.calendar, name="edit_calendar"),
    path("championships/<slug:key>/edit/clock/", clock.season_clock, name="edit_clock"),
    path("championships/<slug:key>/rounds/<int:number>/act/", clock.act, name="act"),
    path("coming/<str:token>/", clock.check_in, name="check_in"),
    path("championships/<slug:key>/edit/points/", editing.points, name="edit_points"),
    path("championships/<slug:key>/edit/rallies/", editing.rallies, name="edit_rallies"),
    path("championships/<slug:key>/registrations/", registering.registrations, name="registrations"),
    path("championships/<slug:key>/registrations/new/", registering.new, name="register"),
    path("championships/<slug:key>/registrations/<int:pk>/", registering.change, name="registration"),
    path("championships/<slug:key>/registrations/<int:pk>/withdraw/", registering.withdraw, name="withdraw"),
    path("championships/<slug:key>/rounds/<int:number>/enter/", registering.enter, name="enter_registered"),
    path("championships/<slug:key>/rounds/new/", editing.new_round, name="new_round"),
    path("championships/<slug:key>/rounds/add/", editing.add_round, name="add_round"),
]
