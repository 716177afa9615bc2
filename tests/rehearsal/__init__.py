"""A club's evening in real browsers, on an installation of several processes of which one is killed."""
