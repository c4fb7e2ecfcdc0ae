//! Jobs and flags that cannot be: refused with a sentence that helps, and nothing is written.

use crate::sandbox::{JOB, Sandbox};

const FLAGS: &str = "anonymize people.csv --qi age=age.csv --qi sex --qi zip=mask:right \
                     --identifier name --sensitive illness -k 2 -o release.csv";

/// The message for the small table's flags with a part replaced.
fn with_flags(old: &str, new: &str) -> String {
    assert!(FLAGS.contains(old), "{old}");
    Sandbox::new().refused(&FLAGS.replace(old, new))
}

/// The message for the small table's job with a part replaced.
fn with_job(old: &str, new: &str) -> String {
    assert!(JOB.contains(old), "{old}");
    let sandbox = Sandbox::new();
    sandbox.write("job.toml", JOB.replace(old, new));
    sandbox.refused("anonymize job.toml")
}

#[test]
fn missing_files_are_named() {
    assert_eq!(with_flags("people.csv", "none.csv"), "error: none.csv: there is no such file\n");
    assert_eq!(
        with_flags("age.csv", "none.csv"),
        "error: none.csv: no such file; it is named as the hierarchy of column 'age'\n"
    );
    assert_eq!(Sandbox::new().refused("anonymize none.toml"), "error: none.toml: no such job file\n");
}

#[test]
fn unknown_columns_are_compared_with_the_table() {
    let expected = "error: the table has no column 'sxe' (did you mean 'sex'?); \
                    its columns are 'name', 'age', 'sex', 'zip', 'illness'\n";
    assert_eq!(with_flags("--qi sex", "--qi sxe"), expected);
    assert_eq!(with_job("sex     =", "sxe     ="), expected);
}

#[test]
fn a_column_that_nobody_decided_about_is_not_released() {
    let message = with_flags("--sensitive illness", "");
    assert!(message.contains("does not say what these columns are: 'illness'"), "{message}");
}

#[test]
fn k_is_at_least_two_and_at_most_the_rows() {
    for k in ["0", "1"] {
        let expected = format!("k is {k}; it must be at least 2\n");
        assert_eq!(with_flags("-k 2", &format!("-k {k}")), format!("error: {expected}"));
        assert!(with_job("k = 2", &format!("k = {k}")).ends_with(&expected));
    }
    let expected =
        "error: k = 9 is more than the 8 rows of people.csv; it can be at most the number of rows\n";
    assert_eq!(with_flags("-k 2", "-k 9"), expected);
    assert_eq!(with_job("k = 2", "k = 9"), expected);
    assert!(with_flags("-k 2", "-k -3").contains("k must be a whole number of at least 2"));
    assert_eq!(with_flags("-k 2", ""), "error: k is missing; give it with -k NUMBER, or in a job file\n");
}

#[test]
fn suppression_is_a_share_or_a_number_of_rows() {
    for share in ["-0.1", "1.1", "150%"] {
        let message = with_flags("-k 2", &format!("-k 2 --suppression {share}"));
        assert!(message.contains("a share of the rows must be from 0 to 1"), "{message}");
    }
    let message = with_flags("-k 2", "-k 2 --suppression -1");
    assert!(message.contains("a number of rows must be from 0"), "{message}");
    for share in ["-0.1", "1.1"] {
        let message = with_job("k = 2", &format!("k = 2\nsuppression = {share}"));
        assert!(message.starts_with("error: job.toml: line 14, column 15: "), "{message}");
        assert!(message.contains("a share of the rows must be from 0 to 1"), "{message}");
    }
}

#[test]
fn there_must_be_a_quasi_identifier() {
    let expected = "no column has the role quasi; at least one quasi-identifier is needed\n";
    let flags = FLAGS.replace("--qi age=age.csv --qi sex --qi zip=mask:right", "--rest other");
    assert_eq!(Sandbox::new().refused(&flags), format!("error: {expected}"));
    let job =
        "input = 'people.csv'\noutput = 'o.csv'\n[columns]\n'*' = { role = 'other' }\n[privacy]\nk = 2\n";
    let sandbox = Sandbox::new();
    sandbox.write("job.toml", job);
    assert_eq!(sandbox.refused("anonymize job.toml"), format!("error: {expected}"));
}

#[test]
fn a_column_has_one_role() {
    assert_eq!(
        with_flags("--sensitive illness", "--sensitive sex"),
        "error: column 'sex' is given as quasi and as sensitive; a column can have only one role\n"
    );
    let message = with_job("sex     = ", "sex = { role = 'other' }\nsex     = ");
    assert!(message.starts_with("error: job.toml: line 9, column 1: duplicate key"), "{message}");
}

#[test]
fn unknown_names_are_corrected() {
    let message = with_flags("-k 2", "-k 2 --algorithm flsh");
    assert!(message.starts_with("error: unknown algorithm 'flsh'; did you mean 'flash'?"), "{message}");
    let message = with_flags("-k 2", "-k 2 --measure entropie");
    assert!(message.starts_with("error: unknown measure 'entropie'; did you mean 'entropy'?"), "{message}");
    let message = with_job("sensitive", "sensible");
    assert!(message.contains("unknown role 'sensible'; did you mean 'sensitive'?"), "{message}");
    let message = with_flags("-k 2", "-k 2 --order shufle");
    assert!(message.contains("did you mean 'shuffle'?"), "{message}");
}

#[test]
fn unknown_keys_of_a_job_are_corrected() {
    assert_eq!(
        with_job("k = 2", "k = 2\nsuppresion = 0.1"),
        "error: job.toml: line 14, column 1: unknown key 'suppresion' in [privacy]; \
         did you mean 'suppression'? Allowed are: k, suppression, notion, person, sampling_fraction, sampling_weight, household, require\n"
    );
    let message = with_job("[privacy]", "[serch]\n[privacy]");
    assert!(message.contains("unknown key 'serch'; did you mean 'search'?"), "{message}");
}

#[test]
fn an_output_must_be_a_file_of_its_own() {
    let sandbox = Sandbox::new();
    for directory in ["release.csv", "plain"] {
        std::fs::create_dir(sandbox.path(directory)).unwrap();
        let line = FLAGS.replace("-o release.csv", &format!("-o {directory}"));
        sandbox.refused(&line);
        assert_eq!(std::fs::read_dir(sandbox.path(directory)).unwrap().count(), 0);
    }
    let message = sandbox.refused(FLAGS);
    assert_eq!(
        message,
        "error: release.csv: cannot write: it is a directory; name a file in it, or end the name in / for a directory \
         of parts\n"
    );
    let message = with_flags("release.csv", "none/release.csv");
    assert!(message.contains("its directory does not exist"), "{message}");
    let message = with_flags("release.csv", "release.xls");
    assert!(message.contains("cannot tell the format from the name"), "{message}");
    let message = with_flags("-o release.csv", "");
    assert!(message.contains("the output is missing; give it with -o FILE"), "{message}");
}

#[test]
fn the_input_is_never_overwritten() {
    assert_eq!(
        with_flags("release.csv", "people.csv"),
        "error: input and output are the same file; the release needs a file of its own\n"
    );
    let message = with_flags("release.csv", "./people.csv");
    assert!(message.contains("the output ./people.csv is the input people.csv"), "{message}");
    let sandbox = Sandbox::new();
    std::fs::hard_link(sandbox.path("people.csv"), sandbox.path("release.csv")).unwrap();
    let message = sandbox.refused(FLAGS);
    assert!(message.contains("is the input"), "{message}");
}

#[test]
fn a_release_from_before_survives_bad_input() {
    let sandbox = Sandbox::new();
    sandbox.write("release.csv", "good");
    sandbox.refused(&FLAGS.replace("-k 2", "-k 9"));
    assert_eq!(sandbox.read("release.csv"), "good");
}
