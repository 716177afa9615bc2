"""Django's command line. It uses the demo settings unless DJANGO_SETTINGS_MODULE is set."""

import os
import sys

from championship.platform import embedded, startup_checks
from championship.platform.version import __version__

# Commands that read code only; they must not wait for, or start, a database.
WITHOUT_DATABASE = {"help", "collectstatic", "findstatic", "makemessages", "compilemessages"}


def main() -> None:
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command == "version":  # Django would print its own, whatever commands there are
        sys.stdout.write(f"Parc Fermé {__version__}\n")
        return
    with_database = command not in WITHOUT_DATABASE and not {"-h", "--help", "--version"} & set(sys.argv)
    if with_database:
        startup_checks.check_settings_named(os.environ)
    startup_checks.by_default(startup_checks.DEMO)
    if with_database:
        startup_checks.check(os.environ)
        try:
            embedded.ensure_running()
        except embedded.EmbeddedServerError as error:
            sys.exit(str(error))
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
