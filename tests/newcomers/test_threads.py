"""Threads that stuck calls cannot use up, and that nobody waits for."""

import asyncio
import contextvars
import subprocess
import sys
import time

import pytest

from normgym_agents.newcomers.threads import AgentThreads

EXIT = """
import asyncio, time
from normgym_agents.newcomers.threads import AgentThreads

async def main():
    asyncio.get_running_loop().set_default_executor(AgentThreads())
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 60)
    return await asyncio.to_thread(lambda: "done")

print(asyncio.run(main()))
"""


async def test_stuck_calls_keep_nobody_waiting():
    threads = AgentThreads()
    loop = asyncio.get_running_loop()
    stuck = [loop.run_in_executor(threads, time.sleep, 1) for _ in range(100)]
    began = time.monotonic()
    assert await loop.run_in_executor(threads, lambda: 7) == 7
    assert time.monotonic() - began < 0.9
    await asyncio.gather(*stuck)


async def test_results_errors_and_the_end():
    threads, loop = AgentThreads(), asyncio.get_running_loop()
    with pytest.raises(ZeroDivisionError):
        await loop.run_in_executor(threads, lambda: 1 / 0)
    variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable")
    variable.set(3)
    assert await loop.run_in_executor(threads, contextvars.copy_context().run, variable.get) == 3
    threads.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        threads.submit(int)


def test_the_program_ends_without_them():
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, timeout=50)
    assert (done.stdout, done.stderr) == ("done\n", "")
    assert time.monotonic() - began < 40
