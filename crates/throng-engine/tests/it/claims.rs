//! What `anonymize` claims of a release, `check` confirms on the file alone, whatever was asked for and however
//! it is written.

use std::collections::BTreeMap;

use throng::algorithm::{Entry, registry};
use throng::notion::Notion;
use throng::random::Random;
use throng_engine::check::{CheckSummary, CheckedTable, check};
use throng_engine::error::EngineError;
use throng_engine::job::Job;
use throng_engine::pipeline::anonymize_with;
use throng_engine::progress::Quiet;
use throng_engine::pseudonym::PseudonymKey;
use throng_engine::summary::Summary;
use throng_engine::verify::linkage::Linkage;

use crate::sandbox::Sandbox;

/// Runs of each algorithm.
const RUNS: u64 = 16;

/// A table as text, and a job for it.
struct Case {
    table: String,
    job: String,
    notion: Notion,
    /// Whether persons are counted that are not in the release.
    hides_persons: bool,
}

/// The spelling of a table.
#[derive(Clone, Copy)]
struct Dialect {
    delimiter: char,
    header: bool,
    line_end: &'static str,
    always_quoted: bool,
}

impl Dialect {
    fn random(random: &mut Random) -> Dialect {
        Dialect {
            delimiter: random.pick(&[',', ';', '\t', '|']),
            header: !random.once_in(4),
            line_end: random.pick(&["\n", "\r\n"]),
            always_quoted: random.once_in(4),
        }
    }

    fn spell(self, rows: &[Vec<String>]) -> String {
        let cell = |cell: &String| {
            let must = self.always_quoted || cell.contains(self.delimiter) || cell.contains('"');
            if must { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
        };
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(cell).collect();
            cells.join(&self.delimiter.to_string()) + self.line_end
        };
        rows.iter().skip(usize::from(!self.header)).map(line).collect()
    }

    fn keys(self) -> String {
        let delimiter = if self.delimiter == '\t' { "\\t".to_owned() } else { self.delimiter.to_string() };
        format!("[csv]\ndelimiter = \"{delimiter}\"\nheader = {}\n", self.header)
    }
}

const NAMES: [&str; 6] = ["person", "age", "zip", "town", "ill", "days"];

fn rows(random: &mut Random) -> Vec<Vec<String>> {
    let size = random.pick(&[4, 9, 20, 45]) + random.index(8);
    let spread = random.pick(&[2, 4, 12]);
    let with_missing = random.once_in(3);
    let odd = if random.once_in(3) { "*" } else { "Ulm" };
    let mut rows = vec![NAMES.map(str::to_owned).to_vec()];
    for row in 0..size {
        let missing = with_missing && random.once_in(9);
        let person = if random.once_in(4) && row > 0 { row - 1 } else { row };
        rows.push(vec![
            format!("p{person}"),
            if missing { String::new() } else { (20 + 7 * random.skewed_index(spread)).to_string() },
            format!("{:05}", 10_100 + 37 * random.skewed_index(spread)),
            random.pick(&["Bonn", "Kiel, north", odd, "a \"b\""]).to_owned(),
            random.pick(&["flu", "cold", "gout"]).to_owned(),
            random.index(4).to_string(),
        ]);
    }
    rows
}

impl Case {
    fn random(random: &mut Random, entry: &Entry) -> Case {
        let (dialect, rows) = (Dialect::random(random), rows(random));
        let notion = random.pick(entry.notions);
        let name = |column: usize| {
            if dialect.header { NAMES[column].to_owned() } else { format!("column_{}", column + 1) }
        };
        let by_record = notion != Notion::K;
        let (path, options) = output(random, by_record);
        let counted = if by_record { 0 } else { random.index(3) };
        let pseudonym = if counted == 2 { ", pseudonym = 'keyed'" } else { "" };
        let age = random.pick(&["hierarchy = { intervals = [10, 20] }", "generalise = 'range'"]);
        let zip = random.pick(&[
            "hierarchy = { mask = 'right' }",
            "generalise = 'prefix'",
            "generalise = { set = 3 }",
        ]);
        let mut job = format!(
            "input = 'in.csv'\noutput = {{ path = '{path}', {options} }}\n{}[columns]\n\
             {} = {{ role = 'identifier'{pseudonym} }}\n{} = {{ role = 'quasi', {age} }}\n\
             {} = {{ role = 'quasi', {zip} }}\n{} = {{ role = 'quasi' }}\n\
             {} = {{ role = 'sensitive' }}\n{} = {{ role = 'sensitive' }}\n",
            dialect.keys(),
            name(0),
            name(1),
            name(2),
            name(3),
            name(4),
            name(5),
        );
        job += &format!("[search]\nalgorithm = '{}'\n[privacy]\nk = {}\n", entry.name, 2 + random.index(3));
        job += &format!("notion = '{}'\n", notion.name());
        if counted == 0 {
            job += "person = 'none'\n";
        }
        if !by_record {
            job += &format!("suppression = {}\n", random.pick(&["0", "0.2", "'3 rows'", "1.0"]));
            if counted == 1 {
                job += &format!("person = '{}'\n", name(0));
            }
            for _ in 0..random.index(3) {
                job += &requirement(random, &name);
            }
        }
        Case { table: dialect.spell(&rows), job, notion, hides_persons: counted == 1 }
    }
}

/// A path, and what else is said of the output. Rows that are judged one by one stay where they are.
fn output(random: &mut Random, by_record: bool) -> (&'static str, String) {
    let path = random.pick(&["out.csv", "out.parquet", "out.tsv", "out.csv.gz", "out.csv.zst"]);
    let suppressed = if by_record { "drop" } else { random.pick(&["drop", "mask"]) };
    let order = if by_record { "keep" } else { random.pick(&["keep", "shuffle", "shuffle:7"]) };
    (path, format!("suppressed = '{suppressed}', order = '{order}'"))
}

/// Something that is required beside the crowd.
fn requirement(random: &mut Random, name: &impl Fn(usize) -> String) -> String {
    let (ill, days) = (name(4), name(5));
    let what = match random.index(11) {
        0 => format!("model = 'distinct-l'\nl = 2\ncolumn = '{ill}'"),
        1 => format!("model = 'entropy-l'\nl = 1.5\ncolumn = '{ill}'"),
        2 => format!("model = 'recursive-cl'\nc = 3\nl = 2\ncolumn = '{ill}'"),
        3 => format!("model = 't-closeness'\nt = 0.6\ndistance = 'ordered'\ncolumn = '{days}'"),
        4 => format!("model = 'alpha-k'\nalpha = 0.8\ncolumn = '{ill}'"),
        5 => format!("model = 'beta-likeness'\nbeta = 3\ncolumn = '{days}'"),
        6 => "model = 'average-risk'\nrisk = 0.4".to_owned(),
        7 => "model = 'k-map'\nk = 3\npopulation = 'all.csv'".to_owned(),
        8 => "model = 'delta-presence'\nmin = 0\nmax = 0.6\npopulation = 'all.csv'".to_owned(),
        9 => "model = 'max-risk'\nrisk = 0.3\nattacker = 'journalist'\npopulation = 'all.csv'".to_owned(),
        _ => format!("model = 'k'\nk = 4\nshield = ['{}', '{}']", name(1), name(3)),
    };
    format!("[[privacy.require]]\n{what}\n")
}

/// What a run of a case came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    Released,
    NoRelease,
    /// Nothing was asked that this algorithm can be asked for.
    Refused,
}

async fn confirm(case: &Case, key: &PseudonymKey, context: &str) -> Came {
    // The population is the table and as many others.
    let people =
        case.table.clone() + &case.table.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    let sandbox = Sandbox::with(&[("in.csv", &case.table), ("all.csv", &people)]);
    let job = sandbox.job(&case.job);
    let key = job.columns.pseudonyms().next().map(|_| key);
    let summary = match anonymize_with(&job, key, &Quiet).await {
        Ok(summary) => summary,
        Err(EngineError::BadInput(_)) => return Came::Refused,
        Err(error) => panic!("{context}: {error}"),
    };
    let released = summary.rows - (summary.suppressed_rows - summary.masked_rows);
    if summary.output.is_none() || released == 0 {
        return Came::NoRelease;
    }
    if case.notion != Notion::K {
        let degrees = Linkage::read(&job, job.output.path().unwrap(), &Quiet).await.expect(context).degrees();
        let claimed = summary.achieved[case.notion.name()].as_u64();
        assert_eq!(Some(degrees.degree(case.notion)), claimed, "{context}");
    }
    let subject = CheckedTable::of_job_output(&job, &[]).unwrap_or_else(|error| panic!("{context}: {error}"));
    let found = check(&subject, 2, &Quiet).await.unwrap_or_else(|error| panic!("{context}: {error}"));
    compare(case, &job, &summary, released, &found, context);
    Came::Released
}

fn compare(case: &Case, job: &Job, summary: &Summary, released: u64, found: &CheckSummary, context: &str) {
    assert_eq!(found.rows, released, "{context}");
    // Masked rows are a class to a reader, or join the one that nothing is left of anyway.
    let joined = found.masked_rows > summary.masked_rows;
    let masked = u64::from(summary.masked_rows > 0 && !joined);
    // A value that is `*` in the table looks like one that was generalised to it, which makes fewer classes.
    if !case.table.contains('*') {
        assert_eq!(Some(found.classes - masked), summary.measures["classes"].as_u64(), "{context}");
    }
    let claimed = summary.achieved["k"].as_u64().expect(context);
    if case.hides_persons {
        assert!(found.k >= claimed, "{context}: {} rows, {claimed} persons", found.k);
    } else {
        assert_eq!(found.k, claimed, "{context}");
    }
    if job.privacy.notion != Notion::K {
        return;
    }
    for found in &found.requirements {
        // What is required twice is claimed once.
        let claimed = summary.requirements.iter().find(|claimed| claimed.name() == found.summary.name());
        let claimed = claimed.unwrap_or_else(|| panic!("{context}: {} is not claimed", found.summary.name()));
        assert_eq!(claimed.holds, Some(true), "{context}: {}", claimed.name());
        if found.not_judged.is_some() {
            continue;
        }
        assert_eq!(found.summary.holds, Some(true), "{context}: {}", claimed.name());
        let degrees = [found.summary.degree, claimed.degree].map(|degree| degree.expect("it is finite"));
        assert!((degrees[0] - degrees[1]).abs() < 1e-9, "{context}: {}: {degrees:?}", claimed.name());
    }
}

#[test]
fn what_anonymize_claims_check_confirms() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let key = PseudonymKey::new(b"a key for tests, of thirty-two bytes!!").unwrap();
    let mut all: BTreeMap<Came, u64> = BTreeMap::new();
    for (number, entry) in registry().iter().enumerate() {
        let mut came: BTreeMap<Came, u64> = BTreeMap::new();
        for run in 0..RUNS {
            let seed = number as u64 * 1000 + run;
            let case = Case::random(&mut Random::new(seed), entry);
            let context = format!("{}, seed {seed}:\n{}", entry.name, case.job);
            *came.entry(runtime.block_on(confirm(&case, &key, &context))).or_default() += 1;
        }
        assert!(came.contains_key(&Came::Released), "{}: {came:?}", entry.name);
        came.iter().for_each(|(&how, &times)| *all.entry(how).or_default() += times);
    }
    let released = all.get(&Came::Released).copied().unwrap_or(0);
    assert!(released * 2 > all.values().sum(), "{all:?}");
}
