"""What a rally answers over HTTP: public pages, the driver's pages, the organiser's desk."""
