//! The demo as files: the table, two hierarchies and a job that anonymises it.

use std::fs;
use std::path::{Path, PathBuf};

use super::Hospital;
use super::origins::NATIONALITIES;
use super::work::OCCUPATIONS;
use crate::error::{EngineError, Result};
use crate::format::Format;
use crate::progress::Progress;
use crate::sink::write_text;

/// Every job file of a demo starts like this; it tells our files from those of others.
const MARK: &str = "# The demo of throng:";
const JOB: &str = "hospital.toml";
const OCCUPATION: &str = "hierarchies/occupation.csv";
const NATIONALITY: &str = "hierarchies/nationality.csv";

/// Writes the demo into `dir`, which is made if need be, and returns its job file.
///
/// Files of an earlier demo are replaced; others of the same names are not, and nothing is deleted.
pub fn write_demo(
    dir: &Path,
    hospital: Hospital,
    format: Format,
    progress: &dyn Progress,
) -> Result<PathBuf> {
    let Hospital { seed, rows } = hospital;
    let table = match format {
        Format::Csv => "hospital.csv",
        Format::Parquet => "hospital.parquet",
    };
    refuse_foreign(dir, &[table, JOB, OCCUPATION, NATIONALITY])?;
    let hierarchies = dir.join("hierarchies");
    fs::create_dir_all(&hierarchies).map_err(|cause| EngineError::Io {
        path: hierarchies,
        action: "cannot make the directory",
        cause,
    })?;
    // The job comes first: it marks the directory as ours, so an interrupted demo can be repeated.
    let job = dir.join(JOB);
    write_text(&job, &job_text(table, rows, seed))?;
    write_text(&dir.join(OCCUPATION), &occupations())?;
    write_text(&dir.join(NATIONALITY), &nationalities())?;
    hospital.write_watched(&dir.join(table), progress)?;
    Ok(job)
}

fn refuse_foreign(dir: &Path, names: &[&str]) -> Result<()> {
    let ours = fs::read(dir.join(JOB)).is_ok_and(|text| text.starts_with(MARK.as_bytes()));
    match names.iter().find(|name| !ours && dir.join(name).symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(name) => Err(EngineError::bad(format!(
            "{} exists and was not made by the demo; choose another directory",
            dir.join(name).display()
        ))),
    }
}

fn occupations() -> String {
    OCCUPATIONS.iter().map(|o| format!("{};{};{};*\n", o.name, o.group, o.sector)).collect()
}

fn nationalities() -> String {
    NATIONALITIES.iter().map(|n| format!("{};{};{};*\n", n.name, n.region, n.union)).collect()
}

fn job_text(table: &str, rows: u64, seed: u64) -> String {
    let output = table.replacen("hospital", "hospital-k5", 1);
    format!(
        r#"{MARK} {rows} synthetic hospital admissions (seed {seed}), nobody's data.
# This file is a job: it says what to do with the table. Its paths are relative to it.

input  = "{table}"
output = "{output}"

# What each column is. Quasi-identifiers are what others may know about a patient.
[columns]
name           = {{ role = "identifier" }}   # left out of the release
birth_date     = {{ role = "quasi", hierarchy = {{ dates = ["month", "quarter", "year", "decade"] }} }}
sex            = {{ role = "quasi" }}        # kept or suppressed
zip            = {{ role = "quasi", hierarchy = {{ mask = "right" }} }}   # 12345, 1234*, 123**, …
nationality    = {{ role = "quasi", hierarchy = "{NATIONALITY}" }}
occupation     = {{ role = "quasi", hierarchy = "{OCCUPATION}" }}
admission_date = {{ role = "quasi", hierarchy = {{ dates = ["month", "quarter", "year"] }} }}
diagnosis      = {{ role = "sensitive" }}    # kept: this is what research needs
length_of_stay = {{ role = "other" }}        # kept as it is

# Everyone shares all quasi-identifiers with at least four others;
# up to 2 % of the rows may be left out for that.
[privacy]
k = 5
suppression = 0.02

[search]
algorithm = "flash"   # finds the release of least loss among all full-domain ones
measure   = "lm"
seed      = 1
"#
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use datafusion::arrow::array::AsArray;
    use datafusion::arrow::compute::cast;
    use datafusion::arrow::datatypes::DataType;

    use super::*;
    use crate::job::Job;
    use crate::progress::Quiet;

    #[test]
    fn the_job_fits_the_table_and_its_hierarchies_hold_all_values() {
        let dir = tempfile::tempdir().unwrap();
        let path = write_demo(
            &dir.path().join("new/demo"),
            Hospital { seed: 1, rows: 2_000 },
            Format::Parquet,
            &Quiet,
        )
        .unwrap();
        let job = Job::read(&path).unwrap();
        assert!(job.input.exists());
        assert_eq!(job.output.path, path.with_file_name("hospital-k5.parquet"));
        let schema = Hospital::schema();
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let roles = job.resolve(&names).unwrap();
        assert_eq!(roles.quasi().count(), 6);

        let table = Hospital { seed: 1, rows: 2_000 }.batch(0, 2_000);
        for (position, column, quasi) in roles.quasi() {
            let texts = cast(table.column(position), &DataType::Utf8).unwrap();
            let values: BTreeSet<&str> = texts.as_string::<i32>().iter().flatten().collect();
            let values: Vec<&str> = values.into_iter().collect();
            quasi.build(column, &values).unwrap_or_else(|error| panic!("{column}: {error:?}"));
        }
    }

    #[test]
    fn hierarchies_hold_every_value_once_and_end_in_one_root() {
        for text in [occupations(), nationalities()] {
            let mut leaves: Vec<&str> = text.lines().map(|line| line.split(';').next().unwrap()).collect();
            assert!(text.lines().all(|line| line.split(';').count() == 4 && line.ends_with(";*")));
            let lines = leaves.len();
            leaves.sort_unstable();
            leaves.dedup();
            assert_eq!(leaves.len(), lines);
        }
    }

    #[test]
    fn a_demo_replaces_a_demo_but_not_the_files_of_others() {
        let dir = tempfile::tempdir().unwrap();
        let (csv, other) = (dir.path().join("hospital.csv"), dir.path().join("notes.txt"));
        fs::write(&csv, "mine").unwrap();
        fs::write(&other, "mine").unwrap();
        let refused = write_demo(dir.path(), Hospital { seed: 1, rows: 5 }, Format::Csv, &Quiet).unwrap_err();
        assert!(matches!(refused, EngineError::BadInput(_)), "{refused}");
        assert_eq!(fs::read_to_string(&csv).unwrap(), "mine");
        assert!(!dir.path().join("hierarchies").exists());

        fs::remove_file(&csv).unwrap();
        write_demo(dir.path(), Hospital { seed: 1, rows: 5 }, Format::Csv, &Quiet).unwrap();
        write_demo(dir.path(), Hospital { seed: 1, rows: 7 }, Format::Csv, &Quiet).unwrap();
        assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 8);
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
    }
}
