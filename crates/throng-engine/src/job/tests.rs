use std::fs;

use throng::notion::Notion;

use super::*;

const WHOLE: &str = r#"
input  = "adult.csv"
output = { path = "/tmp/adult-k5.csv", suppressed = "mask", order = "shuffle" }

[csv]
delimiter = ";"
header = true

[columns]
name       = { role = "identifier" }
age        = { role = "quasi", hierarchy = "h/age.csv", weight = 2.5 }
zip        = { role = "quasi", hierarchy = { mask = "right" } }
born       = { role = "quasi", hierarchy = { dates = ["month", "year"], format = "%d.%m.%Y" } }
hours      = { role = "quasi", hierarchy = { intervals = [5, 10, 20], origin = 0 } }
"a b.c"    = { role = "quasi", hierarchy = { groups = [{ x = ["p", "q"], w = ["r"] }] } }
occupation = { role = "sensitive" }
income     = { role = "target" }
"*"        = { role = "other" }

[privacy]
k = 5
suppression = 0.02

[search]
algorithm = "ola"
measure = "entropy"
seed = 7
time_limit = 10
threads = 2
"#;

const SMALL: &str =
    "input = 'a.csv'\noutput = 'b.csv'\n[columns]\nage = { role = 'quasi' }\n[privacy]\nk = 5\n";

fn parse(text: &str) -> Result<Job> {
    Job::parse(text, Path::new("base"))
}

/// The message for the small job with one piece of text replaced.
fn complaint(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    parse(&SMALL.replacen(from, to, 1)).and_then(|job| job.validate()).unwrap_err().to_string()
}

#[test]
fn a_whole_job_is_read() {
    let job = parse(WHOLE).unwrap();
    assert_eq!(job.input, Path::new("base/adult.csv"));
    assert_eq!(*job.output.path().unwrap(), Path::new("/tmp/adult-k5.csv"));
    assert_eq!((job.csv.delimiter, job.csv.quote, job.csv.header), (Some(';'), None, Some(true)));
    let names: Vec<&str> = job.columns.named().map(|(name, _)| name).collect();
    assert_eq!(names, ["name", "age", "zip", "born", "hours", "a b.c", "occupation", "income"]);
    let age = job.columns.get("age").unwrap();
    assert_eq!(age.hierarchy, Some(HierarchySpec::File("base/h/age.csv".into())));
    assert_eq!(age.weight, Some(2.5));
    assert_eq!(job.columns.rest().map(|column| column.role), Some(Role::Other));
    let expected = Privacy {
        k: Some(5),
        suppression: Suppression::Share(0.02),
        notion: Notion::K,
        person: None,
        sampling_fraction: None,
        sampling_weight: None,
        household: None,
        require: Vec::new(),
    };
    assert_eq!(job.privacy, expected);
    assert_eq!(job.search.algorithm, "ola");
    assert_eq!((job.search.time_limit, job.search.threads), (Some(10.0), Some(2)));
}

#[test]
fn a_small_job_has_defaults() {
    let job = parse(SMALL).unwrap();
    assert_eq!(job.search, Search::default());
    assert_eq!(job.privacy.suppression, Suppression::Rows(0));
    assert_eq!(job.output, Output::new("base/b.csv"));
    assert_eq!(job.csv, DialectOverrides::default());
}

#[test]
fn jobs_survive_a_round_trip() {
    for text in [WHOLE, SMALL] {
        let job = Job::parse(text, Path::new("/base")).unwrap();
        let written = job.to_toml().unwrap();
        assert_eq!(Job::parse(&written, Path::new("/other")).unwrap(), job, "{written}");
        let json = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<Job>(&json).unwrap(), job, "{json}");
    }
}

#[test]
fn unknown_keys_are_named_with_the_nearest() {
    assert_eq!(
        complaint("input", "inptu"),
        "line 1, column 1: unknown key 'inptu'; did you mean 'input'? \
         Allowed are: input, output, csv, xlsx, columns, policy, privacy, search, frontier, engine, release"
    );
    assert_eq!(
        complaint("k = 5", "k = 5\nsupression = 0.1"),
        "line 7, column 1: unknown key 'supression' in [privacy]; did you mean 'suppression'? \
         Allowed are: k, suppression, notion, person, sampling_fraction, sampling_weight, household, require"
    );
    assert_eq!(
        complaint("role = 'quasi'", "role = 'quasi', hierachy = 'a'"),
        "line 4, column 25: unknown key 'hierachy' in columns.age; did you mean 'hierarchy'? \
         Allowed are: role, weight, min_level, max_level, hierarchy, generalise, order, exact, pseudonym, \
         decimal, unknown, text, bottom, top, round, shift_days, date_format"
    );
    assert_eq!(
        complaint("'b.csv'", "{ path = 'b.csv', shuffle = true }"),
        "line 2, column 28: unknown key 'shuffle' in [output]; \
         allowed are: path, suppressed, order, encoding, recoding, replace, rows_per_file, format"
    );
    assert_eq!(
        complaint("k = 5", "k = 5\n[search]\nalgoritm = 'flash'"),
        "line 8, column 1: unknown key 'algoritm' in [search]; did you mean 'algorithm'? \
         Allowed are: algorithm, measure, mean, suppress_or_generalise, seed, time_limit, accept_any, start, variant, reading, follows, distance, \
         epsilon, shrink, block_rows, passes, improve_seconds, relaxed, toolbox, threads, memory_limit"
    );
}

#[test]
fn only_a_release_needs_an_output() {
    let job = Job::parse(&SMALL.replace("output = 'b.csv'", ""), Path::new("")).unwrap();
    let written = job.to_toml().unwrap();
    assert!(!written.contains("output"), "{written}");
    assert_eq!(Job::parse(&written, Path::new("")).unwrap(), job);
    job.validate_to_search().unwrap();
    let refused = job.validate().unwrap_err().to_string();
    assert_eq!(refused, "the output is missing; give it with -o FILE, or in a job file");
}

#[test]
fn missing_keys_are_named() {
    assert_eq!(complaint("input = 'a.csv'", ""), "line 1, column 1: the key 'input' is missing");
    assert_eq!(
        complaint("k = 5", ""),
        "nothing is required: set k in [privacy], or add a [[privacy.require]]"
    );
    assert_eq!(complaint("[privacy]\nk = 5\n", ""), "line 1, column 1: the key 'privacy' is missing");
    assert_eq!(complaint("role = 'quasi'", ""), "line 4, column 7: the key 'role' is missing in columns.age");
}

#[test]
fn values_out_of_range_are_explained() {
    assert_eq!(complaint("5", "1"), "line 6, column 5: k is 1; it must be at least 2");
    assert_eq!(complaint("5", "-5"), "line 6, column 5: k is -5; it must be at least 2");
    assert_eq!(
        complaint("k = 5", "k = 5\nsuppression = -0.1"),
        "line 7, column 15: suppression is -0.1; a share of the rows must be from 0 to 1 \
         (a number of rows is written without a decimal point)"
    );
    let limit = complaint("k = 5", "k = 5\n[search]\nmemory_limit = 0");
    assert!(
        limit.contains("a size is a number of bytes above 0, or text such as 512 MiB or 4GB, not '0'"),
        "{limit}"
    );
    assert_eq!(
        complaint("k = 5", "k = 5\n[search]\nseed = -1"),
        "line 8, column 8: search.seed: expected a whole number of at least 0, found -1"
    );
    assert_eq!(
        complaint("role = 'quasi'", "role = 'quasi', weight = 0"),
        "column 'age': weight is 0; it must be above 0 and finite"
    );
    assert_eq!(
        complaint("quasi", "quazi"),
        "line 4, column 16: unknown role 'quazi'; did you mean 'quasi'? \
         Allowed are: identifier, quasi, sensitive, target, other"
    );
    assert_eq!(
        complaint("role = 'quasi'", "role = 'quasi', hierarchy = {}"),
        "line 4, column 37: the hierarchy is empty; name a file, or a builder: \
         mask, intervals, dates, groups or auto"
    );
}

#[test]
fn values_of_another_type_are_explained() {
    assert_eq!(
        complaint("k = 5", "k = 'five'"),
        "line 6, column 5: privacy.k: expected a whole number, found other text"
    );
    assert_eq!(
        complaint("k = 5", "k = 5.5"),
        "line 6, column 5: privacy.k: expected a whole number, found 5.5"
    );
    assert_eq!(
        complaint("{ role = 'quasi' }", "'quasi'"),
        "line 4, column 7: columns.age: expected a table, found other text"
    );
    assert_eq!(
        complaint("'b.csv'", "5"),
        "line 2, column 10: output: expected a path in quotes or a table \
         { path, suppressed, order, encoding, recoding, replace, rows_per_file, format }, found 5"
    );
    assert_eq!(
        complaint("k = 5", "k = 5\nsuppression = true"),
        "line 7, column 15: privacy.suppression: expected a share of the rows (0.02) or a \
         number of rows (100), found true or false"
    );
}

#[test]
fn faults_of_the_syntax_have_a_line_and_no_text() {
    let message = complaint("k = 5", "k = = Smith");
    assert!(message.starts_with("line 6, column 5: "), "{message}");
    assert!(!message.contains("Smith") && !message.contains('\n'), "{message}");
    assert_eq!(
        complaint("[privacy]", "age = { role = 'other' }\n[privacy]"),
        "line 5, column 1: duplicate key"
    );
}

#[test]
fn members_of_groups_are_never_shown() {
    let groups = "role = 'quasi', hierarchy = { groups = [{ Jones = 'Smith' }] }";
    assert_eq!(
        complaint("role = 'quasi'", groups),
        "line 4, column 37: level 1 of groups: a group must be a list of values"
    );
}

#[test]
fn addresses_are_refused_without_showing_them() {
    let with_password = complaint("'a.csv'", "'postgres://me:secret@host/db?table=t'");
    assert!(with_password.contains("the address contains a password") && !with_password.contains("secret"));
    assert_eq!(
        complaint("'a.csv'", "'mysql://me:secret@host/db'"),
        "input: unknown scheme 'mysql://'; allowed are paths and file:// for files, directories and \
            patterns, postgres:// or postgresql:// for database tables, and s3:// for objects in a store"
    );
    assert_eq!(complaint("'a.csv'", "''"), "input is empty; it must be the path of a file");
    assert_eq!(
        complaint("'b.csv'", "'a.csv'"),
        "input and output are the same file; the release needs a file of its own"
    );
}

#[test]
fn files_are_named_in_errors_and_paths_start_at_their_folder() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("job.toml");
    let name = path.display().to_string();
    assert_eq!(Job::read(&path).unwrap_err().to_string(), format!("{name}: no such job file"));
    fs::write(&path, format!("\u{feff}{SMALL}")).unwrap();
    assert_eq!(Job::read(&path).unwrap().input, dir.path().join("a.csv"));
    fs::write(&path, SMALL.replace("k = 5", "k = 1")).unwrap();
    assert_eq!(
        Job::read(&path).unwrap_err().to_string(),
        format!("{name}: line 6, column 5: k is 1; it must be at least 2")
    );
    fs::write(&path, b"input = '\xff'").unwrap();
    assert_eq!(Job::read(&path).unwrap_err().to_string(), format!("{name}: the job is not UTF-8 text"));
}
