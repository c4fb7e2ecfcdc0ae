//! A table and its release, for tests of what reads both.

use std::fs;

use tempfile::TempDir;

use crate::job::Job;

pub(super) const ORIGINAL: &str = "name,age,sex,ill\na,31,f,flu\nb,33,m,cold\nc,33,m,flu\nd,38,f,flu\n";
pub(super) const RELEASED: &str = "age,sex,ill\n30-34,*,flu\n30-34,m,cold\n30-34,m,flu\n*,f,flu\n";
const AGE: &str = "31;30-34;*\n33;30-34;*\n38;35-39;*\n";
pub(super) const JOB: &str = "input = 'in.csv'\noutput = 'out.csv'\nprivacy.k = 2\n[columns]\n\
    name = { role = 'identifier' }\nage = { role = 'quasi', hierarchy = 'age.csv' }\n\
    sex = { role = 'quasi' }\nill = { role = 'sensitive' }\n";

/// The files of a job, which are there as long as their folder.
pub(super) fn written(original: &str, released: &str, job: &str) -> (TempDir, Job) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in [("in.csv", original), ("out.csv", released), ("age.csv", AGE)] {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let job = Job::parse(job, directory.path()).unwrap();
    (directory, job)
}
