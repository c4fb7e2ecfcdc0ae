"""Two searches at once, interruptions, and memory over many calls."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent import futures

import pandas as pd
import pytest
from conftest import people

import throng


def test_two_threads_at_once(said):
    frames = [people(500, seed) for seed in (1, 2)]
    alone = [throng.anonymize(frame, **said).data for frame in frames]
    found: dict[int, pd.DataFrame] = {}

    def run(at: int) -> None:
        found[at] = throng.anonymize(frames[at], **said).data

    threads = [threading.Thread(target=run, args=(at,)) for at in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at in (0, 1):
        pd.testing.assert_frame_equal(found[at], alone[at])


@pytest.mark.unjudged
def test_a_frame_that_changes_meanwhile_crashes_nothing(said):
    """What comes of it is nobody's promise; a release or an exception, and the process goes on."""
    cells = people(3000)["visits"].to_numpy().copy()
    frame = people(3000).drop(columns="visits").assign(visits=0)
    frame = pd.DataFrame({**{name: frame[name] for name in frame.columns}, "visits": pd.Series(cells, copy=False)})
    said["quasi"] = {"visits": throng.intervals(2, 4), "job": None}
    said["other"] = ["age", "zip"]
    is_over = threading.Event()

    def change() -> None:
        while not is_over.is_set():
            cells[:] = (cells + 1) % 9

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(10):
            try:
                assert len(throng.anonymize(frame, **said).data) <= 3000
            except throng.ThrongError:
                pass
    finally:
        is_over.set()
        changing.join()
    assert len(throng.anonymize(frame, **said).data) > 0


def test_the_interpreter_stays_free(said):
    """Another thread goes on while a search of seconds runs: it would wait for the end if the search held the lock."""
    with futures.ThreadPoolExecutor(1) as pool:
        searching = pool.submit(throng.anonymize, people(20000), algorithm="agglomerative", **said)
        steps = 0
        while not futures.wait([searching], timeout=0.001).done:
            steps += 1
        assert len(searching.result().data) > 0
    assert steps >= 20


def test_progress_is_told(said):
    told = []
    throng.anonymize(people(5000), progress=lambda *one: told.append(one), **said)
    assert told


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_stops_a_search_and_leaves_nothing(tmp_path):
    code = textwrap.dedent(
        """
        import sys; sys.path.insert(0, sys.argv[1])
        import throng
        from conftest import people
        frame = people(20000)
        try:
            print("begun", flush=True)
            throng.anonymize(frame, identifier=["name"], quasi=["age", "zip", "job", "illness", "visits"], k=5, person="none",
                             suppression=1.0, algorithm="agglomerative", output="out.csv")
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    here = os.path.dirname(__file__)
    run = subprocess.Popen([sys.executable, "-c", code, here], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert run.stdout is not None and run.stdout.readline() == "begun\n"
    run.send_signal(signal.SIGINT)
    assert run.stdout.read() == "stopped\n"
    assert os.listdir(tmp_path) == []


@pytest.mark.unjudged
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_memory_is_flat_over_1000_calls(said):
    def resident() -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    frame = people(100)
    said["quasi"] = {"age": throng.intervals(40, 80), "job": None}
    said["identifier"] = ["name", "zip"]
    for _ in range(200):
        throng.anonymize(frame, **said)
    before = resident()
    for _ in range(1000):
        throng.anonymize(frame, **said)
    assert resident() - before < 32 << 20
