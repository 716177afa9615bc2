"""The command line: `python -m engine COMMAND`; see `engine.commands`."""

import sys

from engine.commands import main

if __name__ == "__main__":
    sys.exit(main())
