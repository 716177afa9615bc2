"""Pages about notices; also the demo's page of sent mail."""

from championship.notices.views.stored_mail import sent_mail

__all__ = ["sent_mail"]
