"""`python -m app.records verify FILE…` checks records; `show FILE --step N` prints the state after N events."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import orjson

from app.core import codec
from app.records.record import BadRecord, read, verify, view_at


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns 0, or 1 with the reason printed."""
    parser = argparse.ArgumentParser(prog="python -m app.records", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("verify", help="replay records and check every move and the outcome")
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    show = commands.add_parser("show", help="print the state after some events")
    show.add_argument("file", type=Path, metavar="FILE")
    show.add_argument("--step", type=int, required=True, metavar="N")
    chosen = parser.parse_args(arguments)
    if chosen.command == "verify":
        return max([_verify(file) for file in chosen.files])
    return _show(chosen.file, chosen.step)


def _verify(file: Path) -> int:
    try:
        record = read(file.read_bytes())
        outcome = verify(record)
    except (BadRecord, OSError) as problem:
        _print(f"{file}: FAILED: {problem}")
        return 1
    scores = ", ".join(f"{name} {score}" for name, score in zip(record.names, outcome.scores, strict=True))
    _print(f"{file}: ok: {record.entry.game.info.title}, {len(record.events)} events, {scores}")
    return 0


def _show(file: Path, step: int) -> int:
    try:
        record = read(file.read_bytes())
        event, view = view_at(record, step)
    except (BadRecord, OSError) as problem:
        _print(f"{file}: FAILED: {problem}")
        return 1
    shown = {
        "step": step,
        "steps": len(record.events),
        "event": None if event is None else codec.event_data(event),
        "state": codec.data(view),
    }
    _print(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
    return 0


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
