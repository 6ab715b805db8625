"""The options that say which worlds a newcomer comes to, the same for every command that lets one come."""

from __future__ import annotations

from typing import Annotated, Final

from normgym_agents.cli.options import option

PANEL: Final = "Where it comes"

SuiteName = Annotated[
    str | None,
    option(
        "--suite",
        text="Which worlds; see normgym list suites.",
        panel=PANEL,
        metavar="NAME|FILE|private",
        default="quick",
    ),
]
SuiteSeed = Annotated[
    str | None,
    option(
        "--suite-seed",
        text="With --suite private: what its worlds are drawn from. It is nowhere stored: say it again to resume or score.",
        panel=PANEL,
        metavar="TEXT",
    ),
]
Setting = Annotated[
    str | None,
    option(
        "--setting",
        text="With --suite private: the setting to draw from; see normgym list settings. "
        "Worlds that can be certified are rarer in others: a pair may take ten minutes and more.",
        panel=PANEL,
        metavar="NAME",
        default="pottery-yard",
    ),
]
Conditions = Annotated[
    str | None,
    option(
        "--conditions",
        text="Comma-separated, or all; see normgym list conditions.",
        panel=PANEL,
        metavar="LIST",
        default="live,none,told,others",
    ),
]
Worlds = Annotated[
    int | None,
    option("--worlds", text="Only the first N worlds.", panel=PANEL, metavar="N", default="all"),
]
Trials = Annotated[
    int | None,
    option("--trials", text="Episodes per world and condition.", panel=PANEL, metavar="N", default="1"),
]
