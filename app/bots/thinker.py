"""Thinks in a process of its own: a question a line on standard input, an answer a line on standard output.

`Thinker` is the other end of it: it starts the process when it is first needed, and again when it hangs or dies. What
a bot does wrong is told as a `Failure`, never as a broken service.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from app import ROOT, games
from app.core import codec
from app.core.bot import choose

CPU = 2
"""Seconds of one core a decision may take before it is given up."""

WALL = 5.0
"""Seconds after which a process that does not answer is killed."""

START = 30.0
"""Seconds a process may take until it is ready."""

MEMORY = 768 * 1024 * 1024
"""Bytes of data a process may have."""

_READY = "ready"


class Failure(Exception):
    """A bot that raised, stalled, took too much or died. `args[0]` says what happened."""


class Thinker:
    """One process that thinks. Ask one question at a time."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, question: dict[str, Any]) -> Any:
        """Return the move of a bot as plain data. Raises Failure; the next question finds a sound process."""
        process = await self._started()
        try:
            async with asyncio.timeout(WALL):
                answer = await self._exchange(process, json.dumps(question))
        except TimeoutError:
            await self.close()
            raise Failure("no answer in time") from None
        if answer is None:
            await self.close()
            raise Failure("the process died")
        if "failed" in answer:
            raise Failure(answer["failed"])
        return answer["move"]

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "app.bots.thinker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
            cwd=Path.cwd(),
        )
        try:
            async with asyncio.timeout(START):
                ready = await self._process.stdout.readline() if self._process.stdout else b""
        except TimeoutError:
            ready = b""
        if ready.decode().strip() != _READY:
            await self.close()
            raise Failure("the process did not start")
        return self._process

    async def _exchange(self, process: asyncio.subprocess.Process, line: str) -> dict[str, Any] | None:
        assert process.stdin is not None and process.stdout is not None  # noqa: PT018  # both are pipes
        try:
            process.stdin.write(line.encode() + b"\n")
            await process.stdin.drain()
            answer = await process.stdout.readline()
            found: dict[str, Any] | None = json.loads(answer) if answer else None
        except (OSError, ValueError):
            return None
        return found

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class _TooLongError(BaseException):
    """Raised by the timer within a decision; no bot catches it by accident."""


def _too_long(_signal: int, _frame: object) -> None:
    raise _TooLongError


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Return {"move": …} or {"failed": why} for {"game", "rules", "level", "seat", "state", "seed"}."""
    signal.setitimer(signal.ITIMER_PROF, CPU)
    try:
        return {"move": _decide(question)}
    except _TooLongError:
        return {"failed": f"thought longer than {CPU} s"}
    except Exception as problem:  # noqa: BLE001  # a bot may do anything; the game goes on
        return {"failed": repr(problem)[:200]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _decide(question: dict[str, Any]) -> Any:
    entry = games.find(question["game"], question["rules"])
    if entry is None:
        raise LookupError(question["game"])
    bot = next(bot for bot in entry.bots if bot.level == question["level"])
    state = codec.load(entry.game.state_type, question["state"])
    rng = random.Random(question["seed"])  # noqa: S311  # chance to think with, not dice
    return codec.data(choose(bot, entry.game, state, question["seat"], rng))


def main() -> None:
    """Answer questions until there are no more."""
    signal.signal(signal.SIGPROF, _too_long)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which then ends us
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    sys.stdout.write(f"{_READY}\n")
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
