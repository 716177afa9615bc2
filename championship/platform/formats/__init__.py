"""How moments are written, where that differs from what Django knows of a language."""
