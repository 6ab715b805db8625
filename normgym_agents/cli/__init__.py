"""The command line: `normgym`.

Light on purpose. A command imports what it needs when it runs, so that help and listings come at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line on this process's arguments and exit with its status."""
    from normgym_agents.cli.app import execute

    sys.exit(execute(sys.argv[1:]))
