"""Addresses in the place of frames: a real PostgreSQL, a store that speaks the protocol of S3, and a cluster."""

from __future__ import annotations

import io
import logging
import os
import tempfile
from collections.abc import Iterator

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from conftest import people
from judges import class_sizes, judge
from servers import SECRET, Postgres, Store, cluster, needs, postgres, store

import throng

QUASI = ["age", "zip", "job"]


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows as text, in an order that tells nothing of where they were: databases have none."""
    text = rows.astype(str)
    return text.sort_values(list(text.columns)).reset_index(drop=True)


def bytes_of(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None), buffer)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def served() -> Iterator[Postgres]:
    with postgres() as server:
        server.sql("create table people (name text, age int, zip text, job text, illness text, visits int)")
        server.sql("copy people from stdin (format csv, header)", people().to_csv(index=False))
        yield server


def rows_in(server: Postgres, table: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(server.sql(f"select * from {table}")), dtype=str, keep_default_na=False)


def test_a_database_to_a_database_and_to_a_frame(served, frame, said):
    ours = throng.anonymize(frame, **said)
    release = throng.anonymize(served.table("people"), output=served.table("public.released"), **said)
    assert release.data == served.table("public.released")
    assert release.summary.measures == ours.summary.measures
    pd.testing.assert_frame_equal(in_order(rows_in(served, "released")), in_order(ours.data))
    assert judge(release, rows_in(served, "released"))
    # The database itself is asked how large the smallest crowd is.
    crowds = served.sql(f"select min(n) from (select count(*) n from released group by {','.join(QUASI)}) crowds")
    assert int(crowds.split()[1]) == release.summary.k >= 5
    fetched = throng.anonymize(served.table("people"), **said).data
    assert type(fetched) is pa.Table
    pd.testing.assert_frame_equal(in_order(fetched.to_pandas()), in_order(ours.data))
    with pytest.raises(throng.BadInput, match="exist"):
        throng.anonymize(frame, output=served.table("public.released"), **said)
    again = throng.anonymize(frame, output=served.table("public.released"), replace=True, **said)
    assert again.summary.rows == 600 and "released" in again.data


def test_every_question_about_a_database(served, frame, said, tmp_path):
    people_there = served.table("people")
    assert throng.check(people_there, quasi=QUASI).k == throng.check(frame, quasi=QUASI).k
    young = throng.check(served.query("select * from people where age < 40"), quasi=["age"])
    assert young.rows == (frame["age"] < 40).sum()
    assert [one["name"] for one in throng.profile(people_there).columns] == list(frame.columns)
    job = throng.init(people_there)
    assert job.keys["columns"]["name"]["role"] == "identifier"
    release = throng.anonymize(people_there, output=served.table("asked"), algorithm="flash", **said)
    assert throng.attack(people_there, served.table("asked"), job=release.job).holds
    assert throng.attack(frame, served.table("asked"), job=release.job).holds
    found = throng.evaluate(people_there, served.table("asked"), "illness", classifiers=["naive-bayes"], folds=2)
    assert found.classes == 4
    assert len(throng.frontier(people_there, ["k", "lm"], **said).front) > 1
    release.save(tmp_path / "r.recoding.json")
    later = throng.apply(tmp_path / "r.recoding.json", people_there, output=served.table("later"))
    assert later.summary.k == release.summary.k
    pd.testing.assert_frame_equal(in_order(rows_in(served, "later")), in_order(rows_in(served, "asked")))
    assert release.report(tmp_path / "r.html").startswith("<!DOCTYPE html>")


def test_what_a_database_refuses(served, said, caplog):
    with pytest.raises(throng.BadInput, match="nobody") as caught:
        throng.check(served.table("nobody"), quasi=["age"])
    assert caught.value.kind in ("not-found", "bad-input")
    served.sql("create table odd as select *, case when age < 30 then 'secret-cell' else age::text end as years from people")
    told = {**said, "quasi": {"years": throng.intervals(5), "job": None}, "other": ["visits", "age", "zip"]}
    with pytest.raises(throng.BadInput) as caught:
        throng.anonymize(served.table("odd"), **told)
    assert caught.value.column == "years" and "secret-cell" not in str(caught.value)
    assert "secret-cell" not in caplog.text


@pytest.fixture(scope="module")
def stored() -> Iterator[Store]:
    with store() as server, pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as fetched:
        for name, value in {**server.environment(), "TMPDIR": fetched}.items():
            patch.setenv(name, value)
        yield server
        assert os.listdir(fetched) == [], "what was fetched is gone"


@needs("s3")
def test_objects_in_the_place_of_frames(stored, frame, said, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    ours = throng.anonymize(frame, algorithm="flash", **said)
    stored.ask("PUT", "people.parquet", bytes_of(frame))
    stored.ask("PUT", "people.csv", frame.to_csv(index=False).encode())
    assert throng.check("s3://clinic/people.parquet", quasi=QUASI).k == throng.check(frame, quasi=QUASI).k
    assert throng.profile("s3://clinic/people.csv").rows == 600
    fetched = throng.anonymize("s3://clinic/people.csv", algorithm="flash", **said)
    assert fetched.summary.measures == ours.summary.measures and fetched.data.num_rows == len(ours.data)
    for source in ("s3://clinic/people.parquet", frame):
        target = f"s3://clinic/released/{'frame' if source is frame else 'object'}.parquet"
        release = throng.anonymize(source, output=target, algorithm="flash", **said)
        assert release.data == target and release.summary.measures == ours.summary.measures
        rows = pd.read_parquet(io.BytesIO(stored.ask("GET", target.removeprefix("s3://clinic/"))))
        assert judge(release, rows) and min(class_sizes(rows, QUASI)) == release.summary.k >= 5
        pd.testing.assert_frame_equal(rows, ours.data, check_dtype=False)
    ours.save(tmp_path / "r.recoding.json")
    later = throng.apply(tmp_path / "r.recoding.json", "s3://clinic/people.parquet", output="s3://clinic/later.csv")
    assert later.summary.k == ours.summary.k and "later.csv" in stored.keys()
    with pytest.raises(throng.BadInput, match="nobody.parquet") as caught:
        throng.check("s3://clinic/nobody.parquet", quasi=["age"])
    assert caught.value.kind == "not-found"
    told = caplog.text + str(caught.value) + repr(caught.value.__dict__)
    assert SECRET not in told and "tester" not in told
    assert not [key for key in stored.keys() if ".throng-" in key]


@pytest.fixture
def parts(tmp_path, frame) -> str:
    """A table of three files, which a cluster counts as parts."""
    os.mkdir(tmp_path / "people")
    for at in range(3):
        (tmp_path / "people" / f"{at}.parquet").write_bytes(bytes_of(frame.iloc[at * 200 : at * 200 + 200]))
    return str(tmp_path / "people")


def rows_below(folder: str) -> pd.DataFrame:
    return pd.concat([pd.read_parquet(os.path.join(folder, name)) for name in sorted(os.listdir(folder))], ignore_index=True)


@needs("cluster")
def test_a_cluster_counts_and_writes(parts, tmp_path, frame, said):
    """The nodes are the wheel's own command; what they write is what is written without them."""
    ours = throng.anonymize(frame, algorithm="flash", **said)
    with cluster(str(tmp_path), 2) as address:
        for at, name in enumerate((address, "local")):
            target = f"{tmp_path}/release-{at}/"
            release = throng.anonymize(parts, output=target, engine={"cluster": name}, algorithm="flash", **said)
            assert release.summary.measures == ours.summary.measures
            rows = rows_below(target)
            assert judge(release, rows) and min(class_sizes(rows, QUASI)) == release.summary.k >= 5
            pd.testing.assert_frame_equal(rows, ours.data, check_dtype=False)
        for name in sorted(os.listdir(tmp_path / "release-0")):
            both = [(tmp_path / f"release-{at}" / name).read_bytes() for at in (0, 1)]
            assert both[0] == both[1], "the same bytes, whoever wrote them"
        ours.save(tmp_path / "r.recoding.json")
        later = throng.apply(tmp_path / "r.recoding.json", parts, output=f"{tmp_path}/later/", engine={"cluster": address})
        assert later.summary.k == ours.summary.k
        pd.testing.assert_frame_equal(rows_below(later.data), ours.data, check_dtype=False)
    with pytest.raises(throng.MachineFailed):
        throng.anonymize(parts, output=f"{tmp_path}/gone/", engine={"cluster": address}, algorithm="flash", **said)
    assert not os.path.exists(tmp_path / "gone")


@needs("cluster")
def test_a_frame_is_of_this_process_alone(frame, said):
    """A cluster reads files that its nodes see."""
    for engine, what in (({"cluster": "local"}, "cluster"), ({"cluster": "http://x"}, "df://"), ({"clustr": "local"}, "clustr")):
        with pytest.raises(throng.BadInput, match=what):
            throng.anonymize(frame, engine=engine, **said)
