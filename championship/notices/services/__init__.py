"""Every write about notices: writing, delivering and dropping them, people's choices, webhooks, addresses that refuse.

What other apps call is named here; the modules beside this one import each other by their own names.
"""

from championship.notices.services.delivery import deliver_due
from championship.notices.services.letters import (
    Letter,
    announce,
    drop,
    drop_many,
    drop_undelivered,
    enqueue,
    enqueue_many,
    first_try,
    queue_delivery,
    retry_undelivered,
)
from championship.notices.services.mail_transport import refuse_address, trust_address

__all__ = [
    "Letter",
    "announce",
    "deliver_due",
    "drop",
    "drop_many",
    "drop_undelivered",
    "enqueue",
    "enqueue_many",
    "first_try",
    "queue_delivery",
    "refuse_address",
    "retry_undelivered",
    "trust_address",
]
