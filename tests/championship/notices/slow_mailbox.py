"""A mailbox whose sender stands still after sending, before it keeps account: the worst moment to be killed."""

import time

from championship.notices import mailbox


class Backend(mailbox.Backend):
    def send_messages(self, email_messages):
        count = super().send_messages(email_messages)
        print("sent", flush=True)
        time.sleep(60)
        return count
