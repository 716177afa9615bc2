"""URLs of the API, and of the pages about it."""

from django.urls import include, path, re_path

from championship.api import atom_feed, embeds, token_views
from championship.api.views import acts, drafts_and_orders, feed, people, rallies, root, runs, wheel

app_name = "api"

OPERATIONS = [
    path("me", people.Me.as_view(), name="me"),
    path("me/turns", people.MyTurns.as_view(), name="my_turns"),
    path("me/notices", people.MyNotices.as_view(), name="my_notices"),
    path("events", feed.News.as_view(), name="news"),
    path("clubs", people.Clubs.as_view(), name="clubs"),
    path("clubs/<slug:slug>", people.Club.as_view(), name="club"),
    path("clubs/<slug:slug>/rallies", people.ClubRallies.as_view(), name="club_rallies"),
    path("clubs/<slug:slug>/championships", people.ClubChampionships.as_view(), name="club_championships"),
    path("clubs/<slug:slug>/courses", people.ClubCourses.as_view(), name="club_courses"),
    path("courses", people.Courses.as_view(), name="courses"),
    path("courses/<slug:key>", people.Course.as_view(), name="course"),
    path("championships/<slug:key>", people.Championship.as_view(), name="championship"),
    path("championships/<slug:key>/standings", people.Standings.as_view(), name="standings"),
    path("championships/<slug:key>/standings.csv", people.StandingsCsv.as_view(), name="standings_csv"),
    path("rallies/<slug:key>", rallies.Rally.as_view(), name="rally"),
    path("rallies/<slug:key>/entries", rallies.Entries.as_view(), name="entries"),
    path("rallies/<slug:key>/entries/mine", acts.MyEntry.as_view(), name="my_entry"),
    path("rallies/<slug:key>/entries/mine/wheel", wheel.MyWheel.as_view(), name="my_wheel"),
    path("rallies/<slug:key>/entries/<slug:entry>/confirm", acts.ConfirmEntry.as_view(), name="confirm_entry"),
    path("rallies/<slug:key>/entries/<slug:entry>/refuse", acts.RefuseEntry.as_view(), name="refuse_entry"),
    path("rallies/<slug:key>/stages", rallies.Stages.as_view(), name="stages"),
    path("rallies/<slug:key>/stages/<int:number>", rallies.Stage.as_view(), name="stage"),
    path("rallies/<slug:key>/stages/<int:number>/start-list", rallies.StartList.as_view(), name="start_list"),
    path("rallies/<slug:key>/stages/<int:number>/results", rallies.StageResults.as_view(), name="stage_results"),
    path("rallies/<slug:key>/stages/<int:number>/overall", rallies.Overall.as_view(), name="overall"),
    path("rallies/<slug:key>/stages/<int:number>/gaps", rallies.StageGaps.as_view(), name="stage_gaps"),
    path("rallies/<slug:key>/stages/<int:number>/runs", rallies.StageRuns.as_view(), name="stage_runs"),
    path("rallies/<slug:key>/stages/<int:number>/card", acts.Card.as_view(), name="card"),
    path("rallies/<slug:key>/podium", rallies.Podium.as_view(), name="podium"),
    path("rallies/<slug:key>/rulings", rallies.Rulings.as_view(), name="rulings"),
    path("rallies/<slug:key>/document", rallies.Document.as_view(), name="document"),
    path("rallies/<slug:key>/acts/<slug:act>", acts.RallyAct.as_view(), name="rally_act"),
    path("rallies/<slug:key>/penalties", acts.Penalties.as_view(), name="penalties"),
    path("runs/<slug:key>", runs.Run.as_view(), name="run"),
    path("runs/<slug:key>/choices", runs.Choices.as_view(), name="choices"),
    path("runs/<slug:key>/odds", runs.Odds.as_view(), name="odds"),
    path("runs/<slug:key>/events", runs.Events.as_view(), name="events"),
    path("runs/<slug:key>/record", runs.Record.as_view(), name="record"),
    path("runs/<slug:key>/proof", runs.Proof.as_view(), name="proof"),
    path("runs/<slug:key>/turns", runs.Turns.as_view(), name="turns"),
    path("runs/<slug:key>/draft", drafts_and_orders.Draft.as_view(), name="draft"),
    path("runs/<slug:key>/ahead", drafts_and_orders.Ahead.as_view(), name="ahead"),
]
"""The URLs that the schema describes."""

urlpatterns = [
    path("api/v1/", include(OPERATIONS)),
    path("api/v1/openapi.json", root.schema, name="schema"),
    re_path(r"^api/v1/(?P<rest>(?s:.*))\Z", root.UnknownAddress.as_view(), name="nowhere"),
    path("api/", token_views.guide, name="guide"),
    path("api/problems/<slug:kind>/", token_views.problem, name="problem"),
    path("embed/standings/<slug:key>/", embeds.standings, name="embed_standings"),
    path("embed/rallies/<slug:key>/", embeds.rally, name="embed_rally"),
    path("embed/podium/<slug:key>/", embeds.podium, name="embed_podium"),
    path("feeds/<slug:key>.atom", atom_feed.club, name="atom"),
    path("oembed", embeds.oembed, name="oembed"),
    path("me/programs/", token_views.programs, name="programs"),
    path("me/programs/bot/", token_views.become_bot, name="become_bot"),
    path("me/programs/<int:pk>/revoke/", token_views.revoke, name="revoke"),
]
