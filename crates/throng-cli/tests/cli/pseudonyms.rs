//! Identifiers that are replaced by keyed hashes, through the binary.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// Two women with two visits each, two men, and two visits of nobody knows whom.
const VISITS: &str = "\
id,card,age,sex,illness
Secretname-1,11,31,f,flu
Secretname-1,11,31,f,cold
Secretname-2,12,33,f,flu
Secretname-2,12,33,f,flu
Secretname-3,13,45,m,gout
Secretname-4,14,45,m,flu
,15,47,m,cold
,15,47,m,flu
";

/// Three persons of other ages.
const LONERS: &str = "\
Secretname-5,16,71,f,flu
Secretname-6,17,82,m,flu
Secretname-7,18,93,f,flu
";

const JOB: &str = r#"
input  = "visits.csv"
output = "release.csv"

[columns]
id      = { role = "identifier", pseudonym = "keyed" }
card    = { role = "identifier" }
age     = { role = "quasi", hierarchy = { intervals = [10] } }
sex     = { role = "quasi" }
illness = { role = "sensitive" }

[privacy]
k = 2
"#;

const KEY: &str = "correct-horse-battery-staple";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("visits.csv", VISITS);
    sandbox.write("job.toml", JOB);
    sandbox.write("key.txt", format!("{KEY}\n"));
    sandbox.set_mode("key.txt", 0o600);
    sandbox
}

/// Runs a command line with a variable of the environment.
fn with(sandbox: &Sandbox, variable: (&str, &str), line: &str) -> Ran {
    let args: Vec<&str> = line.split_whitespace().collect();
    let ran = Ran::from(sandbox.command(&args).env(variable.0, variable.1).output().unwrap());
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains(KEY) && !text.contains("Secret"), "a key or an identifier is shown: {text}");
    }
    ran
}

/// The first cell of each row.
fn pseudonyms(release: &str) -> Vec<&str> {
    release.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect()
}

fn released(sandbox: &Sandbox, key: &str) -> String {
    with(sandbox, ("THRONG_PSEUDONYM_KEY", key), "anonymize job.toml").done();
    sandbox.read("release.csv")
}

#[test]
fn an_identifier_becomes_a_hash_that_depends_on_the_key() {
    let sandbox = sandbox();
    let release = released(&sandbox, KEY);
    assert!(release.starts_with("id,age,sex,illness\n") && !release.contains("Secret"), "{release}");
    let cells = pseudonyms(&release);
    let is_hash = |cell: &&&str| cell.len() == 32 && cell.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert_eq!((cells[..6].iter().filter(is_hash).count(), &cells[6..]), (6, &["", ""][..]), "{release}");
    assert_eq!((cells[0], cells[2]), (cells[1], cells[3]));
    assert_eq!(cells.iter().collect::<BTreeSet<_>>().len(), 5);

    assert_eq!(released(&sandbox, &format!("{KEY}\n")), release, "a line end is no part of a key");
    let other = released(&sandbox, "another-horse-battery-staple");
    let others: BTreeSet<&str> = pseudonyms(&other).into_iter().filter(|cell| !cell.is_empty()).collect();
    assert!(others.len() == 4 && others.iter().all(|cell| !release.contains(cell)), "{other}");
}

#[test]
fn the_key_may_be_in_a_file() {
    let sandbox = sandbox();
    let release = released(&sandbox, KEY);
    with(&sandbox, ("THRONG_PSEUDONYM_KEY_FILE", "key.txt"), "anonymize job.toml").done();
    assert_eq!(sandbox.read("release.csv"), release);
    sandbox.throng("anonymize job.toml -o flag.csv --pseudonym-key-file key.txt").done();
    assert_eq!(sandbox.read("flag.csv"), release);
    // The flag says it more clearly than the environment.
    let line = "anonymize job.toml -o both.csv --pseudonym-key-file key.txt";
    with(&sandbox, ("THRONG_PSEUDONYM_KEY", "another-horse-battery-staple"), line).done();
    assert_eq!(sandbox.read("both.csv"), release);
}

#[test]
fn persons_are_counted_and_the_report_says_that_rows_stay_linkable() {
    let sandbox = sandbox();
    let line = "anonymize job.toml --json";
    let ran = with(&sandbox, ("THRONG_PSEUDONYM_KEY", KEY), line).done();
    let report: Value = serde_json::from_str(&ran).unwrap();
    assert_eq!((&report["levels"]["age"], &report["achieved"]["k"]), (&json!(1), &json!(2)));
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("rows with the same pseudonym in 'id' can be linked"), "{warnings}");
    assert!(warnings.contains("persons are counted instead of rows, by 'id'\""), "{warnings}");
    // By rows, nothing would have to be generalised.
    let rows = sandbox.throng("anonymize job.toml --identifier id --person none --json -o rows.csv").done();
    assert_eq!(serde_json::from_str::<Value>(&rows).unwrap()["levels"]["age"], 0);

    let text = with(&sandbox, ("THRONG_PSEUDONYM_KEY", KEY), "anonymize job.toml").done();
    assert!(text.contains("replaced by a keyed hash"), "{text}");

    let both = "anonymize job.toml --pseudonym card --json";
    let report: Value =
        serde_json::from_str(&with(&sandbox, ("THRONG_PSEUDONYM_KEY", KEY), both).done()).unwrap();
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("by 'id', the first column with pseudonyms"), "{warnings}");
    assert!(warnings.contains("in 'id', 'card' can be linked"), "{warnings}");
    let release = sandbox.read("release.csv");
    assert!(release.starts_with("id,card,age,sex,illness\n"), "{release}");
    let cards = "anonymize job.toml --pseudonym card --person card --json";
    with(&sandbox, ("THRONG_PSEUDONYM_KEY", KEY), cards).done();
}

/// The same text in two columns has two pseudonyms.
#[test]
fn columns_cannot_be_joined() {
    let sandbox = sandbox();
    sandbox.write("visits.csv", "id,card,age,sex,illness\n7,7,31,f,flu\n8,8,31,f,flu\n");
    let line = "anonymize job.toml --pseudonym card";
    with(&sandbox, ("THRONG_PSEUDONYM_KEY", KEY), line).done();
    let release = sandbox.read("release.csv");
    for line in release.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(cells[0].len() == 32 && cells[1].len() == 32 && cells[0] != cells[1], "{line}");
    }
}

#[test]
fn every_format_order_and_fate_has_the_same_pseudonyms() {
    let sandbox = sandbox();
    let release = released(&sandbox, KEY);
    let sorted = |text: &str| {
        let mut cells: Vec<String> = pseudonyms(text).into_iter().map(str::to_owned).collect();
        cells.sort();
        cells
    };
    let run = |line: &str| with(&sandbox, ("THRONG_PSEUDONYM_KEY", KEY), line).done();
    run("anonymize job.toml --order shuffle -o shuffled.csv");
    assert_eq!(sorted(&sandbox.read("shuffled.csv")), sorted(&release));
    run("anonymize job.toml -o release.parquet");
    // What is in a Parquet file shows when it becomes text.
    let as_text = "--qi age --qi sex --other id --sensitive illness -k 2 -o text.csv";
    sandbox.throng(&format!("anonymize release.parquet {as_text}")).done();
    assert_eq!(pseudonyms(&sandbox.read("text.csv")), pseudonyms(&release));
    // And from Parquet, where identifiers may be numbers.
    run(
        "anonymize release.parquet --qi age --qi sex --pseudonym id --sensitive illness -k 2 -o twice.parquet",
    );

    // Three persons who are like nobody are masked: together they are a class.
    sandbox.write("visits.csv", format!("{VISITS}{LONERS}"));
    run("anonymize job.toml --suppression 100% --suppressed mask -o masked.csv");
    let masked = sandbox.read("masked.csv");
    assert_eq!(masked.lines().filter(|row| row.contains(",*,*,")).count(), 3, "{masked}");
    run("anonymize job.toml --suppression 0 -o whole.csv");
    assert_eq!(pseudonyms(&masked), pseudonyms(&sandbox.read("whole.csv")));
}

#[test]
fn without_a_good_key_nothing_is_read_or_written() {
    let sandbox = sandbox();
    let refused = sandbox.refused("anonymize job.toml");
    let expected = "error: the pseudonyms of column 'id' need a key, but none is given: set THRONG_PSEUDONYM_KEY or \
                    THRONG_PSEUDONYM_KEY_FILE in the environment, or name its file with --pseudonym-key-file";
    assert!(refused.starts_with(expected), "{refused}");
    // Before anything is read: there is nothing to read.
    sandbox.write("gone.toml", JOB.replace("visits.csv", "gone.csv"));
    assert!(sandbox.refused("anonymize gone.toml").starts_with(expected));

    sandbox.write("short.txt", "fifteen-bytes--\n");
    let shared = sandbox.refused("anonymize job.toml --pseudonym-key-file short.txt");
    assert!(shared.contains("short.txt: users other than its owner can read"), "{shared}");
    sandbox.set_mode("short.txt", 0o600);
    let short = sandbox.refused("anonymize job.toml --pseudonym-key-file short.txt");
    assert!(short.contains("short.txt: a pseudonym key must have 16 to 65536 bytes"), "{short}");
    assert!(!short.contains("fifteen"), "{short}");
    let missing = sandbox.refused("anonymize job.toml --pseudonym-key-file none.txt");
    assert!(missing.contains("none.txt: no such file"), "{missing}");
    let own = sandbox.refused("anonymize job.toml --pseudonym-key-file key.txt -o key.txt");
    assert!(own.contains("key.txt"), "{own}");
    for (variable, value) in [("THRONG_PSEUDONYM_KEY", "short"), ("THRONG_PSEUDONYM_KEY", "")] {
        let ran = with(&sandbox, (variable, value), "anonymize job.toml");
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("THRONG_PSEUDONYM_KEY: a pseudonym key must have 16"), "{}", ran.stderr);
    }
    let equal = with(&sandbox, ("THRONG_PSEUDONYM_KEY", "aaaaaaaaaaaaaaaa"), "anonymize job.toml");
    assert_eq!(equal.code, Some(2), "{}", equal.stderr);
    assert!(
        equal.stderr.contains("THRONG_PSEUDONYM_KEY: this pseudonym key is not random"),
        "{}",
        equal.stderr
    );
    let useless = sandbox.refused("anonymize job.toml --identifier id --pseudonym-key-file key.txt");
    assert!(useless.contains("no column has pseudonyms"), "{useless}");
    assert!(!sandbox.names().contains(&"release.csv".to_owned()));
}

#[test]
fn bad_pseudonyms_are_explained() {
    let sandbox = sandbox();
    let of = |change: (&str, &str)| {
        sandbox.write("bad.toml", JOB.replace(change.0, change.1));
        sandbox.refused("anonymize bad.toml --pseudonym-key-file key.txt")
    };
    let unkeyed = of(("\"keyed\"", "\"sha256\""));
    assert!(unkeyed.contains("unknown pseudonym 'sha256'; allowed are: keyed"), "{unkeyed}");
    let role = of(("role = \"sensitive\"", "role = \"sensitive\", pseudonym = \"keyed\""));
    assert!(role.contains("'pseudonym' is only for the role identifier, not sensitive"), "{role}");
    let key = of(("pseudonym = \"keyed\"", "pseudonym = \"keyed\", key = \"0123456789abcdef\""));
    assert!(key.contains("unknown key 'key'"), "no key in a job: {key}");
    let notion = of(("k = 2", "k = 2\nnotion = \"kk\""));
    assert!(notion.contains("can only be used with"), "{notion}");
    let crowd = sandbox.refused("anonymize job.toml --algorithm nearest --pseudonym-key-file key.txt");
    assert!(crowd.contains("nearest"), "{crowd}");
}
