"""The kind of notice that a worker in a test knows; the worker imports it among its tasks."""

from championship.notices import kinds

kinds.register("turn waits", subject="Your turn", body_template="notices/mail/base.txt")
