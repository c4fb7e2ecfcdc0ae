//! Whether an algorithm goes with what a job asks of it.

use throng::algorithm::{self, Entry, Family, Parameters, Setting};
use throng::loss::{self, Kind, Loss};
use throng::notion::Notion;

use crate::error::{EngineError, Result};
use crate::job::Job;
use crate::wording::unknown;

/// The algorithm and the measure that a job names.
///
/// # Errors
/// If one is unknown, or they do not go with each other, or the job sets what the algorithm does not use.
pub fn find_names(job: &Job) -> Result<(&'static Entry, &'static dyn Loss)> {
    let (algorithm, measure) = (find_algorithm(&job.search.algorithm)?, find_measure(&job.search.measure)?);
    refuse_unfit(algorithm, measure, job.privacy.notion, "--notion")?;
    refuse_unused(algorithm, &job.search.explicit(), &job.search.parameters())?;
    Ok((algorithm, measure))
}

/// Refuses a measure or a notion that the algorithm cannot work with; `flag` asks for a notion where no
/// job does.
pub(crate) fn refuse_unfit(
    algorithm: &Entry,
    measure: &'static dyn Loss,
    notion: Notion,
    flag: &str,
) -> Result<()> {
    let name = algorithm.name;
    if algorithm.family == Family::Local && !matches!(measure.kind(), Kind::Cells(_)) {
        let fit = loss::measures().iter().filter(|measure| matches!(measure.kind(), Kind::Cells(_)));
        return Err(EngineError::bad(format!(
            "'{name}' cannot minimise '{}', which gives a set of rows no cost. Allowed are: {}",
            measure.name(),
            fit.map(|measure| measure.name()).collect::<Vec<_>>().join(", ")
        )));
    }
    if !algorithm.notions.contains(&notion) {
        return Err(EngineError::bad(not_given(algorithm, notion, flag)));
    }
    Ok(())
}

/// Says who gives the notion, and what the algorithm gives instead.
fn not_given(algorithm: &Entry, notion: Notion, flag: &str) -> String {
    let able = algorithm::registry().iter().filter(|entry| entry.notions.contains(&notion));
    let given: Vec<&str> = algorithm.notions.iter().map(|notion| notion.name()).collect();
    format!(
        "'{name}' does not give {} (notion = \"{}\"). Algorithms that do: {}. '{name}' gives {}: set notion in \
         [privacy] or {flag}",
        notion.text(),
        notion.name(),
        able.map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        enumerate(&given),
        name = algorithm.name,
    )
}

/// Refuses settings that somebody wrote down for an algorithm that does not use them; `parameters`
/// are all that it is told.
///
/// # Errors
/// For the first of them; the message names the algorithms that use it.
pub(crate) fn refuse_unused(algorithm: &Entry, written: &[Setting], parameters: &Parameters) -> Result<()> {
    let is_used = |setting: Setting| algorithm.takes(setting) && setting.matters(parameters);
    match written.iter().find(|&&setting| !is_used(setting)) {
        Some(&setting) => Err(EngineError::bad(unused(algorithm, setting))),
        None => Ok(()),
    }
}

fn unused(algorithm: &Entry, setting: Setting) -> String {
    let (name, key) = (algorithm.name, setting.name());
    if algorithm.takes(setting) {
        return format!("'{name}' does not use '{key}' with this distance; it belongs to distance = 4");
    }
    let users: Vec<&str> = setting.users().map(|entry| entry.name).collect();
    let verb = if users.len() == 1 { "does" } else { "do" };
    format!("'{name}' does not use '{key}'; {} {verb}", enumerate(&users))
}

/// `a`, `a and b`, or `a, b and c`.
fn enumerate(names: &[&str]) -> String {
    match names {
        [] => "no algorithm".to_owned(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} and {last}", names.join(", ")),
    }
}

/// The algorithm of a name.
///
/// # Errors
/// If there is none; the message suggests the nearest name.
pub fn find_algorithm(name: &str) -> Result<&'static Entry> {
    let names = || algorithm::registry().iter().map(|entry| entry.name);
    algorithm::find(name)
        .ok_or_else(|| EngineError::bad(unknown("algorithm", name, &names().collect::<Vec<_>>())))
}

/// The measure of a name.
///
/// # Errors
/// If there is none; the message suggests the nearest name.
pub fn find_measure(name: &str) -> Result<&'static dyn Loss> {
    let names = || loss::measures().iter().map(|measure| measure.name());
    loss::find(name).ok_or_else(|| EngineError::bad(unknown("measure", name, &names().collect::<Vec<_>>())))
}

#[cfg(test)]
mod tests {
    use throng::algorithm::Distance;

    use super::*;

    fn refusal(name: &str, written: &[Setting], distance: Distance) -> Option<String> {
        let parameters = Parameters { distance, ..Parameters::default() };
        let refused = refuse_unused(find_algorithm(name).unwrap(), written, &parameters);
        refused.err().map(|error| error.to_string())
    }

    #[test]
    fn unused_settings_are_refused_with_the_names_of_those_that_use_them() {
        let of = |name: &str, setting: Setting| refusal(name, &[setting], Distance::D3).unwrap();
        let expected = "'forest' does not use 'distance'; agglomerative and sequential do";
        assert_eq!(of("forest", Setting::Distance), expected);
        assert_eq!(
            of("sequential", Setting::Shrink),
            "'sequential' does not use 'shrink'; agglomerative does"
        );
        let blocks = of("flash", Setting::BlockRows);
        assert!(
            blocks.starts_with("'flash' does not use 'block_rows'; agglomerative, nearest, "),
            "{blocks}"
        );
        assert!(blocks.ends_with(" and spatial-distance do"), "{blocks}");
    }

    #[test]
    fn a_notion_that_is_not_given_is_refused_with_those_that_are() {
        let lm = find_measure("lm").unwrap();
        let refused = refuse_unfit(find_algorithm("expansion").unwrap(), lm, Notion::K, "--notion");
        let refused = refused.unwrap_err().to_string();
        let start = "'expansion' does not give k-anonymity (notion = \"k\"). Algorithms that do: flash, ";
        let end = ". 'expansion' gives 1k, k1, kk and global-1k: set notion in [privacy] or --notion";
        assert!(refused.starts_with(start) && refused.ends_with(end), "{refused}");
    }

    #[test]
    fn what_is_used_and_what_nobody_wrote_pass() {
        assert_eq!(refusal("flash", &[], Distance::D4), None);
        let written = [Setting::Distance, Setting::Epsilon, Setting::BlockRows];
        assert_eq!(refusal("sequential", &written, Distance::D4), None);
        assert_eq!(
            refusal("sequential", &written, Distance::D3).unwrap(),
            "'sequential' does not use 'epsilon' with this distance; it belongs to distance = 4"
        );
    }
}
