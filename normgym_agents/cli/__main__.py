"""`python -m normgym_agents.cli`, for where the script is not on the path."""

from __future__ import annotations

from normgym_agents.cli import main

if __name__ == "__main__":
    main()
