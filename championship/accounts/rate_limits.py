"""How often one may knock, in one place; docs/signing-in.md tells the same to operators.

`key` is a mail address (a person for `login_failed`), `ip` the client's own address (championship/client_address.py).
By address it is generous: sixty people of a club night sign up over one connection within minutes. By key it is tight:
nobody's mailbox is flooded, and no code is guessed. A key's rates stand first: what they refuse costs no address.
"""

RATES = {
    "login": "120/m/ip,900/h/ip",  # the form to sign in, sent
    "request_login_code": "3/m/key,10/h/key,120/m/ip,600/h/ip",  # a code to sign in, or to prove oneself again
    "signup": "90/m/ip,400/h/ip",  # the form for a new account, sent
    "confirm_email": "2/m/key,10/h/key",  # a code to a new address
    "login_failed": "5/5m/key,60/m/ip",  # a passkey that proves oneself again
    "manage_email": "10/m/user,40/h/user",  # the page to change the address
    "reauthenticate": "10/m/user,40/h/user",  # the page to prove oneself again, sent
}
PASSKEY_RATES = {
    "webauthn_login": "60/m/ip,600/h/ip",  # a passkey to sign in
}
