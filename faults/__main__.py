"""`python -m faults F1 [--short] [--blunt]`: one program, one JSON line, exit 0 if everything held.

`all`, `load` and `fuzz` run each program of the kind, and then each with `--blunt`, which must fail. `page` writes docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path

from app import ROOT
from faults.page import write
from faults.run import Program, Run, keep, line, say
from faults.service import Service

MODULES = {
    path.stem.partition("_")[0].replace("f0", "f").upper(): path.stem
    for path in sorted((ROOT / "faults").glob("f[0-9][0-9]_*.py"))
}
KINDS = {
    "load": ["F6", "F24"],
    "fuzz": ["F25", "F26"],
}
KINDS["all"] = [name for name in MODULES if name not in KINDS["load"] + KINDS["fuzz"]]
SEED = 20261130


def program(name: str) -> Program:
    """Return a program by its number."""
    found: Program = import_module(f"faults.{MODULES[name]}").PROGRAM
    return found


def once(name: str, *, short: bool, blunt: bool, seed: int, record: bool) -> bool:
    """Run a program in this process. Returns whether everything held."""
    chosen = program(name)
    with tempfile.TemporaryDirectory(prefix="knobel-faults-") as folder:
        run = Run(Path(folder), seed, short=short, blunt=blunt)
        begun = time.monotonic()
        try:
            chosen.body(run)
        except Exception as problem:  # noqa: BLE001  # whatever it is: a program that breaks off has proved nothing
            traceback.print_exc()
            run.wrong.append(f"broke off: {problem!r}"[:300])
        finally:
            Service.end_all()
        result = line(chosen, run, time.monotonic() - begun)
    say(json.dumps(result, ensure_ascii=False))
    if record:
        keep(result)
    return not run.wrong


def _each(kind: str, seed: int, *, short: bool) -> int:
    failed = []
    for name in KINDS[kind]:
        for blunt in (False, True) if program(name).blunt else (False,):
            words = ["--seed", str(seed), *(["--short"] if short else []), *(["--blunt"] if blunt else [])]
            code = subprocess.run([sys.executable, "-m", "faults", name, *words], cwd=ROOT, check=False).returncode
            if (code == 0) == blunt:
                failed.append(name + (" --blunt" if blunt else ""))
    write()
    say(f"not as it should be: {', '.join(failed)}" if failed else "all as it should be")
    return 1 if failed else 0


def main() -> int:
    """Run what the command line says; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("what", choices=[*MODULES, *KINDS, "page"])
    parser.add_argument("--short", action="store_true", help="fewer rounds; the result is not kept")
    parser.add_argument("--blunt", action="store_true", help="spoil something; the program must then fail")
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    os.environ.pop("FAULTS_SPOILED", None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    if args.what == "page":
        write()
        return 0
    if args.what in KINDS:
        return _each(args.what, args.seed, short=args.short)
    return 0 if once(args.what, short=args.short, blunt=args.blunt, seed=args.seed, record=not args.short) else 1


if __name__ == "__main__":
    sys.exit(main())
