//! Whether an algorithm goes with what a job asks of it.

use throng::algorithm::{self, Entry, Serves, Setting, Settings, VARIANT};
use throng::loss::{self, Aggregate, Kind, Loss, Mean};
use throng::notion::Notion;
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::job::{
    Column, HierarchySpec, Job, Require, RowOrder, Shown, called, find_algorithm, find_measure,
};
use crate::wording::{Message, enumerate};

/// The algorithm and the measure of a job that can be run, as far as that can be said without its table.
///
/// # Errors
/// If the job cannot be searched, a name is unknown, the names do not go with each other, or
/// the job sets what the algorithm does not use.
pub fn validate(job: &Job) -> Result<(&'static Entry, &'static dyn Loss)> {
    job.validate_to_search()?;
    let (algorithm, measure) = (find_algorithm(&job.search.algorithm)?, find_measure(&job.search.measure)?);
    refuse_unfit(algorithm, measure, job.privacy.notion, "--notion")?;
    refuse_aggregate(algorithm, job.search.aggregate)?;
    let settings = &job.search.settings;
    refuse_unused(algorithm, settings.said().map(|(setting, _)| setting), settings)?;
    refuse_unpaired(job)?;
    refuse_coding_elsewhere(job)?;
    refuse_class_numbers(job)?;
    refuse_unserved(algorithm, job.privacy.notion, settings, job)?;
    Ok((algorithm, measure))
}

/// Refuses a release whose notion could not be verified in the written file.
fn refuse_unpaired(job: &Job) -> Result<()> {
    if job.privacy.notion == Notion::K || job.output.order == RowOrder::Keep {
        return Ok(());
    }
    let order = if job.output.order == RowOrder::Sort { "sort" } else { "shuffle" };
    Err(EngineError::bad(format!(
        "order = \"{order}\" can only be used with notion = \"k\": {} is verified row by row against the original",
        job.privacy.notion.text()
    )))
}

/// Refuses to bound or round numbers where others write the rows.
fn refuse_coding_elsewhere(job: &Job) -> Result<()> {
    match job.columns.coded().next().filter(|_| job.engine.cluster.is_some()) {
        Some(column) => Err(EngineError::bad((
            format!("{}: a cluster cannot write coded numbers or moved dates", called(column)),
            "leave out bottom, top, round and shift_days, or the cluster",
        ))
        .about_column(column)),
        None => Ok(()),
    }
}

/// Refuses means and medians where a reader could not know what they stand for.
fn refuse_class_numbers(job: &Job) -> Result<()> {
    let shows = |column: &Column| column.hierarchy.as_ref().and_then(HierarchySpec::numbers).copied();
    let shows = |column: &Column| shows(column).filter(|numbers| numbers.shown != Shown::Range);
    let mut named = job.columns.named().filter_map(|(name, column)| Some((name, shows(column)?)));
    let Some((name, numbers)) = named.next() else { return Ok(()) };
    let why = if job.privacy.notion != Notion::K {
        format!("{} is verified row by row against what values stand for", job.privacy.notion.text())
    } else if job.privacy.require.iter().any(|one| one.population().is_some()) {
        "people of the population who are not in the table have no class to be counted in".to_owned()
    } else {
        return Ok(());
    };
    Err(EngineError::bad(format!(
        "column {} cannot show the {} of a class: {why}",
        quoted(name),
        numbers.shown.name()
    ))
    .about_column(name))
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
    if !algorithm.family.minimises(measure.kind()) {
        let fit = loss::measures().iter().filter(|measure| algorithm.family.minimises(measure.kind()));
        let why = match measure.kind() {
            Kind::Level => "which only a choice of levels has",
            _ => "which does not define the cost of a set of rows",
        };
        return Err(EngineError::bad(format!(
            "'{name}' cannot minimise '{}', {why}. It can minimise: {}",
            measure.name(),
            fit.map(|measure| measure.name()).collect::<Vec<_>>().join(", ")
        )));
    }
    if !algorithm.notions.contains(&notion) {
        return Err(EngineError::bad(not_given(algorithm, notion, flag)));
    }
    Ok(())
}

/// Refuses a mean over columns, or a preference between suppressing and generalising, that the algorithm does not
/// minimise.
pub(crate) fn refuse_aggregate(algorithm: &Entry, aggregate: Aggregate) -> Result<()> {
    if algorithm.family.aggregates(aggregate) {
        return Ok(());
    }
    let able = algorithm::registry().iter().filter(|entry| entry.family.aggregates(aggregate));
    let what = match aggregate.mean {
        Mean::Arithmetic => "suppress_or_generalise".to_owned(),
        mean => format!("mean = \"{}\"", mean.name()),
    };
    Err(EngineError::bad((
        format!("'{}' cannot minimise by {what}", algorithm.name),
        format!("algorithms that can: {}", able.map(|entry| entry.name).collect::<Vec<_>>().join(", ")),
    )))
}

/// Refuses what a job requires beside k rows that the algorithm cannot give with what it is `told`, or that does not go
/// with the notion.
pub(crate) fn refuse_unserved(algorithm: &Entry, notion: Notion, told: &Settings, job: &Job) -> Result<()> {
    if let Some(person) = job.person().filter(|_| algorithm.serves == Serves::Crowd) {
        let able = algorithm::registry().iter().filter(|entry| entry.serves != Serves::Crowd);
        return Err(EngineError::bad(format!(
            "'{}' counts rows, not the persons of column {}. Algorithms that count persons: {}",
            algorithm.name,
            quoted(person),
            able.map(|entry| entry.name).collect::<Vec<_>>().join(", ")
        ))
        .about_column(person));
    }
    refuse_unprinted(algorithm, notion, told, job)?;
    refuse_unserved_models(algorithm, notion, &job.privacy.require)
}

/// Refuses to run as printed what no paper prints: crowds with different values.
fn refuse_unprinted(algorithm: &Entry, notion: Notion, told: &Settings, job: &Job) -> Result<()> {
    let printed = algorithm.serves == Serves::Crowd && told.choice(&VARIANT) == "printed";
    let of_crowds = job.privacy.require.iter().find(|require| require.is_of_crowds(notion));
    match of_crowds.filter(|_| printed) {
        Some(require) => Err(require.blame(format!(
            "for notion = \"{}\" there is no variant = \"printed\": the paper leaves it to future work",
            notion.name()
        ))),
        None => Ok(()),
    }
}

fn refuse_unserved_models(algorithm: &Entry, notion: Notion, required: &[Require]) -> Result<()> {
    let is_crowd = |require: &&Require| require.model == "k" && require.shield.is_none();
    let is_given = |require: &&Require| is_crowd(require) || require.is_of_crowds(notion);
    let Some(first) = required.iter().find(|require| !is_given(require)) else { return Ok(()) };
    if notion != Notion::K {
        let notion = notion.name();
        return Err(
            first.blame(format!("it cannot be used with notion = \"{notion}\", only with notion = \"k\""))
        );
    }
    let name = algorithm.name;
    let able = |least: fn(&Entry) -> bool| {
        let able = algorithm::registry().iter().filter(|entry| least(entry));
        able.map(|entry| entry.name).collect::<Vec<_>>().join(", ")
    };
    let of_population = required.iter().find(|require| require.population().is_some());
    match (algorithm.serves, of_population) {
        (Serves::Crowd | Serves::OfTable, Some(require)) => Err(require.blame(format!(
            "'{name}' cannot take a population into account. Algorithms that can: {}",
            able(|entry| entry.serves == Serves::All)
        ))),
        (Serves::Crowd, None) => Err(first.blame(format!(
            "'{name}' guarantees only a crowd of k over all quasi-identifiers. Algorithms that guarantee \
                more: {}",
            able(|entry| entry.serves != Serves::Crowd)
        ))),
        _ => Ok(()),
    }
}

/// Says who gives the notion, and what the algorithm gives instead.
fn not_given(algorithm: &Entry, notion: Notion, flag: &str) -> String {
    let able = algorithm::registry().iter().filter(|entry| entry.notions.contains(&notion));
    let given: Vec<&str> = algorithm.notions.iter().map(|notion| notion.name()).collect();
    format!(
        "'{name}' does not guarantee {} (notion = \"{}\"). Algorithms that do: {}. '{name}' guarantees {}: \
            set notion in [privacy] or {flag}",
        notion.text(),
        notion.name(),
        able.map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        enumerate(&given, "and"),
        name = algorithm.name,
    )
}

/// Refuses settings that somebody wrote down for an algorithm that does not use them; `told` is all that
/// it is told.
///
/// # Errors
/// For the first of them; the message names the algorithms that use it.
pub(crate) fn refuse_unused<'s>(
    algorithm: &Entry,
    mut written: impl Iterator<Item = &'s Setting>,
    told: &Settings,
) -> Result<()> {
    match written.find(|setting| !(algorithm.takes(setting) && setting.matters(told))) {
        Some(setting) => Err(EngineError::bad(unused(algorithm, setting))),
        None => Ok(()),
    }
}

fn unused(algorithm: &Entry, setting: &Setting) -> Message {
    let (name, key) = (algorithm.name, setting.name);
    if let Some((other, value)) = setting.only_with.filter(|_| algorithm.takes(setting)) {
        let other = other.name;
        return (
            format!("'{name}' does not use '{key}' with this {other}"),
            format!("'{key}' belongs to {other} = {value}"),
        )
            .into();
    }
    let users: Vec<&str> = setting.users().map(|entry| entry.name).collect();
    let verb = if users.len() == 1 { "does" } else { "do" };
    (format!("'{name}' does not use '{key}'"), format!("{} {verb}", enumerate(&users, "and"))).into()
}

#[cfg(test)]
mod tests {
    use throng::loss::Preference;

    use super::*;

    fn refusal(name: &str, written: &[&str], distance: &str) -> Option<String> {
        let told = Settings::default().with("distance", distance).unwrap();
        let written = written.iter().map(|name| Setting::find(name).unwrap());
        let refused = refuse_unused(find_algorithm(name).unwrap(), written, &told);
        refused.err().map(|error| error.to_string())
    }

    #[test]
    fn unused_settings_are_refused_with_the_names_of_those_that_use_them() {
        let of = |name: &str, setting: &str| refusal(name, &[setting], "3").unwrap();
        let expected = "'forest' does not use 'distance'; agglomerative and sequential do";
        assert_eq!(of("forest", "distance"), expected);
        assert_eq!(of("sequential", "shrink"), "'sequential' does not use 'shrink'; agglomerative does");
        let blocks = of("flash", "block_rows");
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
        let start =
            "'expansion' does not guarantee k-anonymity (notion = \"k\"). Algorithms that do: auto, flash, ";
        let end = "'expansion' guarantees 1k, k1, kk and global-1k: set notion in [privacy] or --notion";
        assert!(refused.starts_with(start) && refused.ends_with(end), "{refused}");
    }

    #[test]
    fn aggregates_are_for_searches_that_can_bound_them() {
        let refused = |name: &str, mean: Mean, preference: f64| {
            let preference = Preference::new(preference).unwrap();
            let refused = refuse_aggregate(find_algorithm(name).unwrap(), Aggregate { mean, preference });
            refused.err().map(|error| error.to_string())
        };
        assert_eq!(refused("flash", Mean::Largest, 0.3), None);
        assert_eq!(refused("cut-search", Mean::Arithmetic, 0.3), None);
        let cut = refused("cut-search", Mean::Largest, 0.3).unwrap();
        assert!(
            cut.starts_with(
                "'cut-search' cannot minimise by mean = \"largest\"; algorithms that can: auto, "
            ),
            "{cut}"
        );
        let local = refused("mondrian", Mean::Arithmetic, 0.3).unwrap();
        assert!(local.starts_with("'mondrian' cannot minimise by suppress_or_generalise; "), "{local}");
    }

    #[test]
    fn what_is_used_and_what_nobody_wrote_pass() {
        assert_eq!(refusal("flash", &[], "4"), None);
        let written = ["distance", "epsilon", "block_rows"];
        assert_eq!(refusal("sequential", &written, "4"), None);
        assert_eq!(
            refusal("sequential", &written, "3").unwrap(),
            "'sequential' does not use 'epsilon' with this distance; 'epsilon' belongs to distance = 4"
        );
    }
}
