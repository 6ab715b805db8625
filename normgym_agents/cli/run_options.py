"""The options of a run alone: how it goes, and what comes of it; what other commands have, too, is shared."""

from __future__ import annotations

from typing import Annotated, Final

from normgym_agents.cli.options import option

_HOW: Final = "How it runs"
OUTPUT: Final = "What comes out"

Seed = Annotated[
    int | None,
    option(
        "--seed",
        text="Seeds what the newcomer draws, and the intervals.",
        panel=_HOW,
        metavar="N",
        default="0",
    ),
]
Concurrency = Annotated[
    int | None, option("--concurrency", text="Episodes at a time.", panel=_HOW, metavar="N", default="4")
]
Driver = Annotated[
    str | None,
    option(
        "--driver",
        text="LangGraph or a plain loop; equal records.",
        panel=_HOW,
        metavar="graph|loop",
        default="graph",
    ),
]
Report = Annotated[
    bool | None,
    option(
        "--report/--no-report",
        text="Ask the newcomer at the end what one may and must not do, which takes a model call; scored beside.",
        panel=_HOW,
        default="no",
    ),
]
Protocol = Annotated[
    bool,
    option(
        "--protocol", text="Print the exact text that the newcomer would get, and run nothing.", panel=OUTPUT
    ),
]
Out = Annotated[
    str | None,
    option(
        "--out",
        text="A new or empty folder for the run.",
        panel=OUTPUT,
        metavar="DIR",
        default="runs/NEWCOMER-SUITE-N",
    ),
]
Resume = Annotated[
    bool,
    option(
        "--resume", text="Go on with the run in --out DIR; its other options come from there.", panel=OUTPUT
    ),
]
Otlp = Annotated[
    str | None, option("--otlp", text="Send spans there, too, over OTLP/HTTP.", panel=OUTPUT, metavar="URL")
]
AsJson = Annotated[bool, option("--json", text="Print summary.json instead of a table.", panel=OUTPUT)]
Baselines = Annotated[
    bool,
    option("--baselines", text="Run the reference newcomers, too, and show them beside.", panel=OUTPUT),
]
Quiet = Annotated[
    bool, option("--quiet", "-q", text="No progress; print only the folder of the run.", panel=OUTPUT)
]
