"""What every test may ask for."""

from championship import embedded

embedded.ensure_running()
