"""URLs of a rally's papers. Who may read the rally's page may have its papers."""

from django.urls import path

from championship.papers import rally_away, views

app_name = "papers"

urlpatterns = [
    path("rallies/<slug:key>/sheet.pdf", views.sheet_pdf, name="sheet_pdf"),
    path("rallies/<slug:key>/results.pdf", views.results_pdf, name="results_pdf"),
    path("rallies/<slug:key>/start-list.pdf", views.start_list_pdf, name="start_list_pdf"),
    path("rallies/<slug:key>/stages/<int:number>/start-list.pdf", views.start_list_pdf, name="stage_start_list_pdf"),
    path("rallies/<slug:key>/results.csv", views.results_csv, name="results_csv"),
    path("rallies/<slug:key>/results.xlsx", views.results_xlsx, name="results_xlsx"),
    path("rallies/<slug:key>/podium.png", views.podium_png, name="podium_png"),
    path("rallies/<slug:key>/take-away/", rally_away.away, name="away"),
    path("rallies/<slug:key>/qr.svg", rally_away.qr_svg, name="qr"),
    path("rallies/<slug:key>/calendar.ics", rally_away.calendar, name="calendar"),
]
