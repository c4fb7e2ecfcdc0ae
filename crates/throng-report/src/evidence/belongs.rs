//! Whether a table can be the release of a job: a report about another would be a false one.

use throng::wording::{quoted, quoted_list};

use super::TablePair;
use super::kept::KeptCounts;
use super::labels::QuasiLabels;
use throng_engine::columns::names_of_release;
use throng_engine::error::{EngineError, Result};
use throng_engine::input::source::Source;
use throng_engine::input::standard;
use throng_engine::job::Job;
use throng_engine::output::sink::is_there;
use throng_engine::prepare::EncodedTable;

/// Opens the release, and says what its columns are called.
///
/// # Errors
/// If there is none, or it has other columns than the job's release.
pub(super) fn open(job: &Job, prepared: &EncodedTable) -> Result<(Source, Vec<String>)> {
    let path = job.output.path()?;
    standard::refuse_twice(&job.input, path)?;
    if !is_there(path)? {
        return Err(EngineError::not_found(path, "there is no such release"));
    }
    let expected: Vec<String> = prepared.roles.released().map(|(_, name)| name.to_owned()).collect();
    let source = job.tables.open_release(path, &job.written_dialect(&prepared.source)?, &expected)?;
    if let Some(names) = names_of_release(&source, &expected).filter(|names| *names == expected) {
        return Ok((source, names));
    }
    // Its own names are not repeated: they may be the first row of a file without a header.
    let missing: Vec<&String> = expected.iter().filter(|name| !source.columns().contains(name)).collect();
    let difference = match missing.len() {
        0 => "it has others as well, or has them in a different order".to_owned(),
        _ => format!("it lacks {}", quoted_list(&missing)),
    };
    let (columns, wanted) = (source.columns().len(), quoted_list(&expected));
    Err(source.bad(format!(
        "it is not the job's release, whose columns would be {wanted}; of its {columns}: {difference}"
    )))
}

/// Refuses a release that has more of something than the original.
pub(super) fn refuse_foreign(
    pair: &TablePair,
    labels: &[QuasiLabels<'_>],
    kept: &[KeptCounts],
) -> Result<()> {
    let foreign = |column: &str, row: u64| {
        let problem = format!(
            "column {} has more of these values than the job's input: this is not a release of it",
            quoted(column)
        );
        Err(pair.released.bad_at(row, problem).about_column(column))
    };
    for counted in kept {
        if let Some(row) = counted.surplus() {
            return foreign(&counted.name, row);
        }
    }
    for (a, labels) in labels.iter().enumerate() {
        let is_surplus =
            |label: &usize| !labels.are_guessed[*label] && labels.rows[*label] > labels.rows_before(*label);
        let surplus = (0..labels.rows.len()).filter(is_surplus);
        let row = |label: usize| pair.after.dictionaries[a].first_row(label as u32);
        if let Some(row) = surplus.map(row).min() {
            return foreign(&labels.attribute.name, row);
        }
    }
    Ok(())
}
