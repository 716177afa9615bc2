"""The rate limits for signing in, in one place. docs/signing-in.md tells operators the same.

`key` is a mail address (a person for `login_failed`), `ip` the client's own address (platform/client_address.py).
The limits by `ip` are generous: sixty people at a club night may sign up over one connection within minutes. The limits
by `key` are tight, so that nobody's mailbox is flooded and no code is guessed. The rates by `key` come first: a request
that they refuse does not count against its `ip`.
"""

RATES = {
    "login": "120/m/ip,900/h/ip",  # the sign-in form, submitted
    "request_login_code": "3/m/key,10/h/key,120/m/ip,600/h/ip",  # a code to sign in, or to reauthenticate
    "signup": "90/m/ip,400/h/ip",  # the form for a new account, submitted
    "confirm_email": "2/m/key,10/h/key",  # a code to a new address
    "login_failed": "5/5m/key,60/m/ip",  # a passkey to reauthenticate
    "manage_email": "10/m/user,40/h/user",  # the page to change the address
    "reauthenticate": "10/m/user,40/h/user",  # the page to reauthenticate, submitted
}
PASSKEY_RATES = {
    "webauthn_login": "60/m/ip,600/h/ip",  # a passkey to sign in
}
