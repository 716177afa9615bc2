"""Addresses of stages being driven. The key of a run is unguessable: everybody who has it may watch."""

from django.urls import path

from championship.runs.pages import (
    board_views,
    chance_views,
    ledger_views,
    practice_views,
    replay_views,
    rules_views,
    scene_views,
    views,
    wheel_views,
)

app_name = "runs"

urlpatterns = [
    path("turns/", views.mine, name="mine"),
    path("turns/changes/<str:name>/", views.turns_changes, name="turns_changes"),
    path("runs/<slug:key>/", views.run, name="run"),
    path("runs/<slug:key>/changes/", views.run_changes, name="changes"),
    path("runs/<slug:key>/turn/", views.turn, name="turn"),
    path("runs/<slug:key>/draft/", views.draft, name="draft"),
    path("runs/<slug:key>/ahead/", views.ahead, name="ahead"),
    path("runs/<slug:key>/wheel/", wheel_views.take_wheel, name="wheel"),
    path("rallies/<slug:key>/entries/<int:entry_id>/hand-over/", wheel_views.hand_over, name="hand_over"),
    path(
        "rallies/<slug:key>/desk/entries/<int:entry_id>/hand-over/",
        wheel_views.hand_over_from_desk,
        name="desk_hand_over",
    ),
    path(
        "rallies/<slug:key>/desk/entries/<int:entry_id>/take-back/",
        wheel_views.take_back_from_desk,
        name="desk_take_back",
    ),
    path("rallies/<slug:key>/desk/runs/", board_views.board, name="board"),
    path("rallies/<slug:key>/desk/runs/nudge-late/", board_views.nudge_late, name="nudge_late"),
    path("rallies/<slug:key>/desk/runs/<int:turn_id>/nudge/", board_views.nudge, name="nudge"),
    path("rallies/<slug:key>/desk/runs/<int:turn_id>/extend/", board_views.extend, name="extend"),
    path("rallies/<slug:key>/desk/entries/<int:entry_id>/replace/", board_views.replace, name="replace"),
    path("rallies/<slug:key>/desk/cancel/", board_views.call_off, name="call_off"),
    path("rallies/<slug:key>/misses/", wheel_views.misses, name="misses"),
    path("runs/<slug:key>/at/", views.at, name="at"),
    path("runs/<slug:key>/at/<str:place>/", views.place, name="place"),
    path("runs/<slug:key>/log/", views.log, name="log"),
    path("runs/<slug:key>/gaps/", replay_views.of_run, name="gaps"),
    path("runs/<slug:key>/ledger/", ledger_views.ledger, name="ledger"),
    path("runs/<slug:key>/replay/", replay_views.replay, name="replay"),
    path("runs/<slug:key>/proof/", chance_views.proof, name="proof"),
    path("runs/<slug:key>/record.json", chance_views.download, name="record"),
    path("rallies/<slug:key>/stages/<int:number>/gaps/", replay_views.of_stage, name="stage_gaps"),
    path("rallies/<slug:key>/stages/<int:number>/chance/", chance_views.phrase, name="phrase"),
    path("practice/", practice_views.practice, name="practice"),
    path("practice/skip/", practice_views.skip, name="skip_lesson"),
    path("practice/leave/", practice_views.leave, name="leave_practice"),
    path("practice/<slug:game>/<slug:name>/<str:so_far>/", scene_views.scene, name="scene"),
    path("practice/<slug:game>/<slug:name>/<str:so_far>/turn/", scene_views.turn, name="scene_turn"),
    path("practice/<slug:game>/<slug:name>/<str:so_far>/draft/", scene_views.draft, name="scene_draft"),
    path("practice/<slug:game>/<slug:name>/<str:so_far>/at/", scene_views.at, name="scene_at"),
    path("practice/<slug:game>/<slug:name>/<str:so_far>/at/<str:place>/", scene_views.place, name="scene_place"),
    path("records/", chance_views.verify_record, name="look"),
    path("rules/", rules_views.shelf, name="rules_shelf"),
    path("rules/<slug:game>/", rules_views.rules, name="rules"),
    path("rules/<slug:game>/reference/", rules_views.numbered_rules, name="rules_reference"),
    path("rules/<slug:game>/about/<slug:term>/", rules_views.about, name="rules_about"),
]
