"""Servers of the tests' own: PostgreSQL, a store that speaks the protocol of S3, and a cluster of the wheel's command."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from throng._throng import features

COMMAND = os.path.join(os.path.dirname(sys.executable), "throng")
#: How long a server may take to come up.
PATIENCE = 60
#: Who asks the store, which believes it without looking at the signature.
OWNER = "AWS4-HMAC-SHA256 Credential=tester/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
#: What nobody may find in a message.
SECRET = "very-secret-key"


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def wait_until(what: str, happened: Callable[[], bool]) -> None:
    started = time.monotonic()
    while not happened():
        assert time.monotonic() - started < PATIENCE, f"waited in vain until {what}"
        time.sleep(0.02)


def lacking(what: str, variable: str) -> None:
    """Skips a test whose server is not there, unless it must be."""
    assert not os.environ.get(variable), f"no {what}, which is required here"
    pytest.skip(f"no {what}")


def needs(feature: str) -> pytest.MarkDecorator:
    """Skips a test of what was left out of the wheel."""
    return pytest.mark.skipif(feature not in features(), reason=f"this wheel was built without {feature}")


class Postgres:
    """A server in a temporary folder."""

    def __init__(self, programs: str, folder: str) -> None:
        self.programs, self.folder, self.port = programs, folder, free_port()
        if os.getuid() == 0:
            shutil.chown(folder, "postgres")  # A server does not run as root.
        data = os.path.join(folder, "data")
        self.run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-k {folder} -p {self.port} -c fsync=off -c listen_addresses=127.0.0.1"
        self.run("pg_ctl", "-D", data, "-o", options, "-l", os.path.join(folder, "log"), "-w", "start")

    def run(self, program: str, *arguments: str) -> None:
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        line = [*as_postgres, os.path.join(self.programs, program), *arguments]
        subprocess.run(line, check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self) -> None:
        self.run("pg_ctl", "-D", os.path.join(self.folder, "data"), "-m", "immediate", "stop")

    def sql(self, text: str, given: str | None = None) -> str:
        """What psql prints for a statement, as CSV."""
        line = [os.path.join(self.programs, "psql"), "-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1"]
        line += ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", "postgres", "-c", text]
        ended = subprocess.run(line, input=given, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def table(self, name: str) -> str:
        """The address of a table."""
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres?table={name}"

    def query(self, text: str) -> str:
        """The address of what a query gives."""
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres?query={text.replace(' ', '%20')}"


@contextlib.contextmanager
def postgres() -> Iterator[Postgres]:
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs:
        lacking("PostgreSQL", "THRONG_REQUIRE_POSTGRES")
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp", ignore_cleanup_errors=True) as folder:
        server = Postgres(programs[-1], folder)
        try:
            yield server
        finally:
            server.stop()


class Store:
    """A store with one bucket, `clinic`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.ask("PUT", "")

    def environment(self) -> dict[str, str]:
        """What tells where the store is, and who asks."""
        return {
            "AWS_ACCESS_KEY_ID": "tester",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
        }

    def ask(self, method: str, key: str, body: bytes | None = None) -> bytes:
        place = f"http://127.0.0.1:{self.port}/clinic/{key}"
        asked = urllib.request.Request(place, body, {"Authorization": OWNER}, method=method)
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return bytes(answer.read())

    def keys(self) -> list[str]:
        listed = self.ask("GET", "?list-type=2").decode()
        return [rest.partition("</Key>")[0] for rest in listed.split("<Key>")[1:]]


@contextlib.contextmanager
def store() -> Iterator[Store]:
    python = os.environ.get("THRONG_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import moto.server, flask"], capture_output=True).returncode != 0:
        lacking("moto", "THRONG_REQUIRE_S3")
    port = free_port()
    program = "import sys; from moto.server import main; main(sys.argv[1:])"
    line = [python, "-c", program, "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until("the store listens", lambda: listens(port))
        yield Store(port)
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def cluster(folder: str, executors: int) -> Iterator[str]:
    """A scheduler and its executors, of one core each; the address of the scheduler."""
    told = {name: value for name, value in os.environ.items() if not name.startswith("THRONG_")}
    with contextlib.ExitStack() as nodes:

        def start(port: int, *arguments: str) -> None:
            line = [COMMAND, "cluster", *arguments]
            node = subprocess.Popen(line, cwd=folder, env=told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            nodes.callback(node.wait)
            nodes.callback(node.kill)
            wait_until(f"the {arguments[0]} listens", lambda: listens(port))

        port = free_port()
        start(port, "scheduler", "--bind", f"127.0.0.1:{port}")
        for at in range(executors):
            own, work = free_port(), os.path.join(folder, f"work-{at}")
            os.mkdir(work)
            bound = ["--bind", f"127.0.0.1:{own}", "--external-host", "localhost"]
            start(own, "executor", "--scheduler", f"localhost:{port}", *bound, "--cores", "1", "--work-dir", work)
            time.sleep(0.5)  # It listens a little before the scheduler knows it.
        yield f"df://localhost:{port}"
