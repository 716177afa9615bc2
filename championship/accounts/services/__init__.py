"""Every write about people: their accounts, their sign-ins, the letters that sign them in, the end of an account.

What other apps call is named here; the modules beside this one import each other by their own names.
"""

from championship.accounts.services.people import (
    appoint_operator,
    create_user,
    dismiss_operator,
    make_account,
    update_profile,
)

__all__ = [
    "appoint_operator",
    "create_user",
    "dismiss_operator",
    "make_account",
    "update_profile",
]
