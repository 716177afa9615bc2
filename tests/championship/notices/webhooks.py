"""People with a webhook, and their notices."""

from championship.notices import services
from championship.notices.models import Notice
from championship.notices.services import webhooks
from championship.notices.services.webhooks import Owner
from tests.factories import make_user


def with_webhook(place, shape="json", **fields):
    ana = make_user("Ana", **fields)
    return ana, webhooks.add(Owner(ana), url=place.url, shape=shape)


def page_of(webhook):
    """Return the page of a person's webhook."""
    return f"/me/notices/webhook/{webhook.pk}/"


def tell(person, *, rally="Monte", about="run 7 turn 1"):
    services.enqueue(
        recipient=person, kind="turn waits", subject_key=about, context={"rally": rally}, link="/runs/abc/"
    )
    return Notice.objects.get(channel="webhook", subject_key=about)


def announce(club, about="rally 7"):
    return services.announce(
        club=club, kind="podium", subject_key=about, context={"rally": "Monte"}, link="/rallies/x/"
    )
