"""URLs of evenings at the table. The parts after `sign-on` and `pad` are signed (links.py)."""

from django.urls import path

from championship.tabletop.views import by_hand, evening, names, pads, wall

app_name = "tabletop"

urlpatterns = [
    path("rallies/<slug:key>/desk/table/", evening.evening, name="evening"),
    path("rallies/<slug:key>/desk/table/evening.pdf", evening.evening_pdf, name="evening_pdf"),
    path("rallies/<slug:key>/desk/table/wall.svg", evening.wall_svg, name="wall_svg"),
    path("rallies/<slug:key>/desk/table/tables/<int:number>.svg", evening.table_svg, name="table_svg"),
    path("rallies/<slug:key>/desk/table/<slug:act>/", evening.act, name="act"),
    path("rallies/<slug:key>/by-hand/", by_hand.by_hand, name="by_hand"),
    path("rallies/<slug:key>/my-sign-on/", names.my_sign_on, name="my_sign_on"),
    path("rolls/<slug:key>/", by_hand.roll, name="roll"),
    path("sign-on/<str:token>/", wall.sign_on, name="sign_on"),
    path("pad/worker.js", pads.worker, name="worker"),
    path("pad/<str:token>/", pads.pad, name="pad"),
    path("pad/<str:token>/entries/", pads.entries, name="entries"),
    path("pad/<str:token>/state/", pads.state, name="state"),
    path("pad/<str:token>/card/", pads.card, name="card"),
    path("pad/<str:token>/roll/", pads.roll, name="roll_now"),
    path("pad/<str:token>/hand-in/", pads.hand_in, name="hand_in"),
    path("pad/<str:token>/names/", pads.names, name="names"),
    path("pad/<str:token>/decide/", pads.decide, name="decide"),
]
