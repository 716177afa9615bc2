"""Views of championships: tables for everyone with the link, drivers' pages for the club, the rest for organisers."""
