"""The sentences of the script that checks a record in the visitor's browser, in the visitor's language."""

from __future__ import annotations

from django.utils.translation import gettext as _


def words() -> dict[str, str]:
    """Return the sentences by name. The script fills in the values in braces."""
    return {
        "checking": _("Checking …"),
        "holds": _(
            "This browser has checked it: seal and phrases have the fingerprints that the record names, and all "
            "{draws} draws follow from them and from the salts."
        ),
        "noted": _("The fingerprint of the seal is the one given above."),
        "unnoted": _("You gave no fingerprint, so this does not check that the seal is the promised one."),
        "rules": _(
            "This site also checks that the rules need exactly these draws. The engine's command does "
            "that on any computer."
        ),
        "mine": _("It contains all {count} salts that this browser remembers to have sent."),
        "ahead": _(
            "This browser remembers {sent} plans sent ahead: {count} were driven with their salts. The others were "
            "replaced, withdrawn or could not be driven; if not, their salts were changed."
        ),
        "old": _(
            "This record has the first format: its secret is the promised one. Only the rules can check "
            "its draws, on this site and with the command."
        ),
        "noCrypto": _("This browser cannot check records on this connection: it needs HTTPS."),
        "noRecord": _("The record could not be fetched."),
        "noFile": _("Choose the file of a record first."),
        "damaged": _("This record cannot be read."),
        "notHex": _("A fingerprint has 64 hexadecimal digits."),
        "promise": _("Wrong: the promise in the record is not the one given."),
        "seal": _("Wrong: the seal is not the one that was promised. Its SHA-256 differs."),
        "digest": _("Wrong: the fingerprint of the phrases in the record is not the one given."),
        "phrases": _("Wrong: the phrases are not those that were published. Their SHA-256 differs."),
        "secret": _("Wrong: the secret of run {run} does not follow from the seal."),
        "common": _("Wrong: the common secret does not follow from the seal."),
        "draw": _("Wrong: turn {turn}, draw {draw} ({what}): the record says {there}, the seal gives {here}."),
        "salt": _("Wrong: this browser sent the salt {salt}, and no turn in the record has it."),
    }
