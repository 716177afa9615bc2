"""The demo: one command that runs the whole service on one machine. One click signs you in as one of its persons."""
