"""Django's command line, on the demo settings unless DJANGO_SETTINGS_MODULE says otherwise."""

import os
import sys

from championship import embedded

# Commands that read code only; they must not wait for, or start, a database.
WITHOUT_DATABASE = {"help", "version", "collectstatic", "findstatic", "makemessages", "compilemessages"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "championship.settings.demo")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command not in WITHOUT_DATABASE and not {"-h", "--help", "--version"} & set(sys.argv):
        embedded.ensure_running()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
