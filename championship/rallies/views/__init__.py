"""The views of a rally: public pages, the driver's pages, the organiser's desk."""
