//! What was written is read back, and judged as a stranger would.

use throng::notion::Notion;
use throng::privacy::{PrivacyModel, ToldByRows};
use throng::release::Release;
use throng::requirement::{Requirement, Rule};
use throng::verify;
use throng::wording::quoted;

use super::warnings::certain_values;
use crate::error::{EngineError, Result};
use crate::job::{CodedNumbers, DateShift, Job, Role};
use crate::prepare::EncodedTable;
use crate::progress::{Progress, cancellation};
use crate::summary::Verified;
use crate::verify::linkage::Linkage;
use crate::verify::readback::{Expected, Required, Stored, verify_file, verify_required};
use throng_tables::output::sink::Written;

/// What reading a written file back tells.
pub(super) struct Verification {
    /// What one could learn from it.
    pub(super) warnings: Vec<String>,
    /// Where each requirement was judged.
    pub(super) verified: Vec<Verified>,
}

/// Reads the written file back, and judges it as a stranger would: all that the file alone can decide.
pub(super) async fn verify_written(
    job: &Job,
    prepared: &EncodedTable,
    written: &Written,
    release: &Release,
    by_classes: bool,
    progress: &dyn Progress,
) -> Result<Verification> {
    let columns: Vec<String> = prepared.roles.released().map(|(_, name)| name.to_owned()).collect();
    let quasi: Vec<String> = prepared.quasi().map(str::to_owned).collect();
    // A notion other than k has no classes that an adversary could find.
    let all = prepared.roles.with_role(Role::Sensitive).filter(|_| job.privacy.notion == Notion::K);
    let sensitive: Vec<String> = all.map(|(_, name)| name.to_owned()).collect();
    let is_exact = |name: &&String| prepared.roles.sensitive(name).is_some_and(|told| told.exact);
    let exact: Vec<String> = sensitive.iter().filter(is_exact).cloned().collect();
    let identifiers: Vec<String> = prepared.roles.left_out().map(str::to_owned).collect();
    let pseudonyms: Vec<String> = prepared.roles.pseudonyms().map(|(_, name)| name.to_owned()).collect();
    let coded = prepared.roles.released().map(|(_, name)| name);
    let coded: Vec<(String, CodedNumbers)> =
        coded.filter_map(|name| Some((name.to_owned(), *prepared.roles.coded(name)?))).collect();
    let shifted = prepared.roles.released().map(|(_, name)| name);
    let shifted: Vec<(String, DateShift)> =
        shifted.filter_map(|name| Some((name.to_owned(), prepared.roles.shifted(name)?.clone()))).collect();
    // Nobody can count persons, or a population, in a file without them.
    let hides = |one: &Requirement| one.class_model().looks_at_population();
    let persons = release.problem().table().persons().is_some();
    let is_hidden = persons || release.problem().requirements.iter().any(hides);
    let expected = Expected {
        rows: prepared.rows() - release.suppressed_rows(),
        k: job.privacy.k.filter(|_| by_classes).unwrap_or(1),
        columns: &columns,
        quasi: &quasi,
        sensitive: &sensitive,
        exact: &exact,
        identifiers: &identifiers,
        pseudonyms: &pseudonyms,
        coded: &coded,
        shifted: &shifted,
        sizes: is_hidden.then(|| verify::class_sizes(release)),
    };
    let stored = Stored::new(written, &columns);
    let judged = async {
        let found = verify_file(&stored, &expected).await?;
        let mut verified = Vec::new();
        for (number, requirement) in release.problem().requirements.iter().enumerate() {
            let model = requirement.class_model();
            let told = told_by_file(&*model, persons);
            // The first is the job's own crowd, which was just judged with the classes, or will be by its notion.
            let is_judged = number == 0 && job.privacy.k.is_some();
            // What crowds that are no classes have is judged beside the original.
            let of_crowds = !by_classes && matches!(requirement.rule(), Rule::Diverse(..));
            if !is_judged && !of_crowds && told != ToldByRows::Nothing {
                verify_required(&stored, &Required::new(prepared, requirement, &*model)).await?;
            }
            verified.push(if told == ToldByRows::Same { Verified::File } else { Verified::Run });
        }
        Ok(Verification { warnings: certain_values(&sensitive, &found.certain), verified })
    };
    let found = tokio::select! {
        biased;
        () = cancellation(progress) => Err(EngineError::Interrupted),
        verdict = judged => verdict,
    }?;
    if !by_classes {
        verify_notion(job, prepared, written, release, progress).await?;
    }
    Ok(found)
}

/// What the file alone tells of a requirement: of persons what their rows tell, of a population nothing.
fn told_by_file(model: &dyn PrivacyModel, persons: bool) -> ToldByRows {
    match (model.looks_at_population(), persons) {
        (true, _) => ToldByRows::Nothing,
        (false, true) => model.told_by_rows(),
        (false, false) => ToldByRows::Same,
    }
}

/// Reads the written file once more, beside the original, and judges its notion.
async fn verify_notion(
    job: &Job,
    prepared: &EncodedTable,
    written: &Written,
    release: &Release,
    progress: &dyn Progress,
) -> Result<()> {
    let file = written.open(&written.layout().overrides(job.csv_of_release()))?;
    let linkage = Linkage::find(prepared, &file, job, progress).await?;
    let degree = tokio::task::block_in_place(|| linkage.degrees()).degree(job.privacy.notion);
    let k = job.privacy.largest_k();
    if degree < k {
        let notion = job.privacy.notion.text();
        return Err(EngineError::Unverified(
            format!("it has {notion} with k = {degree} instead of {k}").into(),
        ));
    }
    for requirement in &release.problem().requirements {
        let Rule::Diverse(notion, diversity) = requirement.rule() else { continue };
        let column = prepared.beside.columns[diversity.column].name();
        let values = tokio::task::block_in_place(|| linkage.values(*notion, column));
        if values.is_none_or(|values| values < diversity.l) {
            let reason = format!("a crowd under {} has fewer than {} values of", notion.text(), diversity.l);
            return Err(EngineError::Unverified(format!("{reason} column {}", quoted(column)).into()));
        }
    }
    Ok(())
}
