"""The kind of notice that the worker of a test knows. The worker imports this module as one of its tasks."""

from championship.notices import kinds

kinds.register("turn waits", subject="Your turn", body_template="notices/mail/base.txt")
