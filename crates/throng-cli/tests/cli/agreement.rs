//! What one command searches for and writes, it reads back, and the others understand.

use serde_json::Value;

use crate::sandbox::Sandbox;

fn summary(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(&format!("{line} --json")).done()).unwrap()
}

/// A job over `rows.csv`; columns as lines of TOML.
fn write_job(sandbox: &Sandbox, columns: &str, privacy: &str, algorithm: &str) {
    let job = format!(
        "input = 'rows.csv'\noutput = {{ path = 'out.csv', suppressed = 'mask' }}\n[columns]\n{columns}\n\
         [privacy]\n{privacy}\n[search]\nalgorithm = '{algorithm}'\n"
    );
    sandbox.write("job.toml", job);
}

/// Numbers beyond a bound, and values that a file lacks, are others than those of the table from the first look on.
#[test]
fn releases_of_coded_values_are_checked_and_attacked() {
    let sandbox = Sandbox::empty();
    sandbox.write("rows.csv", "v,w\n0,x\n1,x\n3,x\n4,x\n5,y\n8,y\n9,y\n12,y\n");
    sandbox.write("few.csv", "3;*\n4;*\n5;*\n");
    let coded =
        ["generalise = { bottom = 2 }", "generalise = { top = 8 }", "generalise = { bottom = 2, top = 8 }"];
    let unknown = "hierarchy = 'few.csv', unknown = 'top'";
    for how in coded.into_iter().chain([unknown]) {
        let columns = format!("v = {{ role = 'quasi', {how} }}\nw = {{ role = 'quasi' }}");
        for (notion, algorithm) in [("k", "auto"), ("k", "mondrian"), ("kk", "expansion"), ("k1", "forest")] {
            let context = format!("{how}, {notion}, {algorithm}");
            write_job(&sandbox, &columns, &format!("k = 2\nnotion = '{notion}'"), algorithm);
            let ran = sandbox.throng("anonymize job.toml");
            assert_eq!(ran.code, Some(0), "{context}: {}", ran.stderr);
            for command in ["check job.toml out.csv", "attack job.toml"] {
                let ran = sandbox.throng(command);
                assert_eq!(ran.code, Some(0), "{context}, {command}: {}{}", ran.stdout, ran.stderr);
            }
        }
    }
}

/// The number of a class is that of all rows that a requirement over fewer columns takes together.
#[test]
fn a_mean_divides_no_class_of_a_shield() {
    let sandbox = Sandbox::empty();
    sandbox.write("rows.csv", "v,w\n1,x\n2,x\n3,y\n4,y\n11,x\n12,x\n13,y\n14,y\n");
    for shown in ["mean", "median"] {
        let line = format!(
            "anonymize rows.csv --qi v={shown},w --algorithm ALGORITHM -k 2 --require k:k=4,shield=v -o out.csv"
        );
        for algorithm in ["auto", "flash", "cut-search", "mondrian"] {
            sandbox.throng(&line.replace("ALGORITHM", algorithm)).done();
            let released = sandbox.read("out.csv");
            let mut values: Vec<&str> =
                released.lines().skip(1).map(|row| row.split(',').next().unwrap()).collect();
            values.sort_unstable();
            let least = values.chunk_by(|a, b| a == b).map(<[_]>::len).min();
            assert!(least >= Some(4), "{algorithm}: {released}");
            sandbox.throng("check out.csv --qi v,w -k 2 --require k:k=4,shield=v").done();
        }
    }
}

/// A masked row covers everybody, so it has another notion of a crowd without being one of k rows.
#[test]
fn masked_rows_may_have_another_notion_than_k() {
    let sandbox = Sandbox::empty();
    sandbox.write("rows.csv", "v,w\na,x\na,x\nb,x\nc,y\nc,y\n");
    let columns = "v = { role = 'quasi' }\nw = { role = 'quasi' }";
    for algorithm in ["auto", "flash", "cut-search"] {
        for notion in ["k1", "1k", "kk", "global-1k", "k"] {
            let privacy = format!("k = 2\nsuppression = '1 row'\nnotion = '{notion}'");
            write_job(&sandbox, columns, &privacy, algorithm);
            let ran = sandbox.throng("anonymize job.toml --json");
            assert_eq!(ran.code, Some(0), "{algorithm}, {notion}: {}", ran.stderr);
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            let masked = u64::from(notion == "k1");
            assert_eq!(
                (&report["suppressed_rows"], &report["masked_rows"]),
                (&1.into(), &masked.into()),
                "{notion}"
            );
            if masked == 1 {
                sandbox.throng("check job.toml out.csv").done();
            }
        }
    }
}

/// Whether masked rows are a crowd is seen in what is written: numbers of classes are no `*`.
#[test]
fn masked_rows_are_judged_beside_means() {
    let sandbox = Sandbox::empty();
    sandbox.write("rows.csv", "v,w\na,2\na,5\na,2\n*,2\n*,5\nb,5\n");
    let columns = "v = { role = 'quasi' }\nw = { role = 'quasi', generalise = 'mean' }";
    for algorithm in ["exhaustive", "cut-search", "mondrian"] {
        write_job(&sandbox, columns, "k = 2\nsuppression = '100%'", algorithm);
        let ran = sandbox.throng("anonymize job.toml");
        assert_eq!(ran.code, Some(0), "{algorithm}: {}", ran.stderr);
        sandbox.throng("check out.csv --qi v,w -k 2").done();
    }
}

/// A cell `*` of the table is a value like any other to the search, and says as little as the top to a reader.
#[test]
fn a_star_in_the_table_is_saved_applied_and_read() {
    let sandbox = Sandbox::empty();
    let rows = ["a,1", "a,1", "b,2", "b,2", "*,3", "*,3", "c,1", "c,2", "d,2", "d,1"].join("\n");
    sandbox.write("rows.csv", format!("v,w\n{rows}\n"));
    for how in [
        "hierarchy = { auto = true }",
        "hierarchy = { mask = 'right' }",
        "generalise = 'set'",
        "weight = 1.0",
    ] {
        let columns = format!("v = {{ role = 'quasi', {how} }}\nw = {{ role = 'quasi' }}");
        for algorithm in ["auto", "cut-search", "top-down-specialization", "mondrian", "agglomerative"] {
            let context = format!("{how}, {algorithm}");
            write_job(&sandbox, &columns, "k = 2\nsuppression = 2", algorithm);
            let ran = sandbox.throng("anonymize job.toml --save r.json --json");
            assert_eq!(ran.code, Some(0), "{context}: {}", ran.stderr);
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            let ran = sandbox.throng("apply r.json rows.csv -o again.csv");
            assert_eq!(ran.code, Some(0), "{context}: {}", ran.stderr);
            assert_eq!(sandbox.read("again.csv"), sandbox.read("out.csv"), "{context}");
            sandbox.throng("check out.csv --qi v,w -k 2").done();
            let attacked = sandbox.throng("attack job.toml");
            assert_eq!(attacked.code, Some(0), "{context}: {}{}", attacked.stdout, attacked.stderr);
            let released = sandbox.read("out.csv").lines().count() as u64 - 1;
            let left_out =
                report["suppressed_rows"].as_u64().unwrap() - report["masked_rows"].as_u64().unwrap();
            assert_eq!(released + left_out, 10, "{context}: nothing is left out for its star");
        }
    }
}

/// It says no more than none.
#[test]
fn a_hierarchy_of_one_level_goes_to_the_top() {
    let sandbox = Sandbox::empty();
    sandbox.write("rows.csv", "v\na\nb\nc\nd\n");
    for file in ["a\nb\nc\nd\n", "a;a\nb;b\nc;c\nd;d\n"] {
        sandbox.write("v.csv", file);
        for algorithm in ["auto", "flash", "cut-search", "mondrian"] {
            let line = format!("anonymize rows.csv --qi v=v.csv --algorithm {algorithm} -k 4 -o out.csv");
            sandbox.throng(&line).done();
            assert_eq!(sandbox.read("out.csv"), "v\n*\n*\n*\n*\n", "{algorithm}");
        }
    }
}

#[test]
fn a_line_of_a_hierarchy_may_stand_twice() {
    let sandbox = Sandbox::empty();
    sandbox.write("rows.csv", "v\na\nb\n");
    sandbox.write("v.csv", "a;x\nb;x\na;x\nb;x\n");
    let found = summary(&sandbox, "anonymize rows.csv --qi v=v.csv -k 2 -o out.csv");
    assert_eq!(sandbox.read("out.csv"), "v\nx\nx\n");
    let note = "v.csv: line 3 is the same as line 1, and counts once; one more line repeats one";
    assert!(found["warnings"].to_string().contains(note), "{found}");
    let shown = sandbox.throng("hierarchy show v.csv");
    assert!(format!("{}{}", shown.stdout, shown.stderr).contains(note), "{}{}", shown.stdout, shown.stderr);
    sandbox.write("v.csv", "a;x\nb;x\n\na;y\n");
    let refused = sandbox.refused("anonymize rows.csv --qi v=v.csv -k 2 -o bad.csv");
    assert!(refused.contains("line 4: its first column repeats that of line 1"), "{refused}");
}

/// A row is as long as it is, wherever it stands; and a mark between thousands is one by any spelling.
#[test]
fn long_first_rows_and_apostrophes_are_read() {
    let sandbox = Sandbox::empty();
    let note = "n".repeat(1 << 20);
    for quoted in [note.clone(), format!("\"{}\"", note.replace("nnnnnnnn", "nnnn\n,\"\""))] {
        sandbox.write("long.csv", format!("v,note\na,{quoted}\na,short\nb,short\nb,{quoted}\n"));
        let found = summary(&sandbox, "anonymize long.csv --qi v --other note -k 2 -o out.csv");
        assert_eq!((&found["rows"], &found["levels"]["v"]), (&4.into(), &0.into()));
    }
    let lines = format!("{{\"v\":\"a\",\"note\":\"{note}\"}}\n{{\"v\":\"a\",\"note\":\"x\"}}\n");
    sandbox.write("long.jsonl", lines);
    sandbox.throng("anonymize long.jsonl --qi v --other note -k 2 -o out.jsonl").done();

    sandbox.write("many.csv", "v\n1'234'567\n1'234'000\n2'500\n2'600\n");
    sandbox.throng("anonymize many.csv --qi v=range --algorithm mondrian -k 2 -o many-2.csv").done();
    assert_eq!(
        sandbox.read("many-2.csv"),
        "v\n1'234'000~1'234'567\n1'234'000~1'234'567\n2'500~2'600\n2'500~2'600\n"
    );
}
