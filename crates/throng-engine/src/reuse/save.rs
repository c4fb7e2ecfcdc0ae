//! A recoding file of a release.

use std::collections::BTreeSet;
use std::path::Path;

use throng::notion::Notion;
use throng::privacy::ParameterValue;
use throng::recoding::Recoding;
use throng::release::Release;
use throng::taxonomy::{ANY, Closure, Notation, Taxonomy, ValueId};
use throng::wording::quoted;

use super::digest::digest;
use super::labels::spell_leaf;
use super::{
    ColumnCut, ColumnLevel, Decided, FORMAT, LocalClasses, Regions, SavedColumn, SavedRecoding, VERSION,
};
use crate::error::{EngineError, Result};
use crate::job::{
    Column, HierarchySpec, Job, KeptHierarchy, KeptLabel, Privacy, Role, RowOrder, Shown, relative,
};
use crate::prepare::{EncodedColumn, EncodedTable};

/// The parameter that names the table of a population.
const POPULATION: &str = "population";

/// Refuses a local recoding that rows other than its own could not be placed by; others never are.
///
/// # Errors
/// If records are generalised one by one, or a class does not show which values it stands for.
pub(crate) fn refuse_unsaveable(job: &Job, is_local: bool) -> Result<()> {
    if !is_local || job.output.recoding.is_none() {
        return Ok(());
    }
    if job.privacy.notion != Notion::K {
        return Err(EngineError::bad((
            format!(
                "this recoding cannot be saved: {} generalises records one by one, so there are no classes for other records",
                job.privacy.notion.text()
            ),
            "with notion = \"k\" there are",
        )));
    }
    let shows = |column: &Column| column.hierarchy.as_ref().and_then(HierarchySpec::numbers).copied();
    let mut shown = job.columns.named().filter_map(|(name, column)| Some((name, shows(column)?.shown)));
    match shown.find(|(_, shown)| *shown != Shown::Range) {
        None => Ok(()),
        Some((name, shown)) => Err(EngineError::bad((
            format!(
                "this recoding cannot be saved: the {} of a class does not say which values it stands for",
                shown.name()
            ),
            "a range does",
        ))
        .in_column(name)),
    }
}

/// The text of the file of a release's recoding. `release` is as it will be written, and `regions` are those of its
/// classes, if it is local.
///
/// # Errors
/// If the file could not give the same release again.
pub(crate) fn save(
    job: &Job,
    prepared: &EncodedTable,
    release: &Release,
    regions: Regions<'_>,
) -> Result<String> {
    let target = job.output.recoding.as_deref().unwrap_or(Path::new(""));
    let decided = decide(prepared, release, regions);
    let shown = ShownValues::from_release(release);
    refuse_hidden(prepared, &shown)?;
    let columns = prepared.roles.columns().iter().map(|(name, _)| name);
    let columns = columns.map(|name| column(job, prepared, name, &shown, target)).collect::<Result<_>>()?;
    let saved = SavedRecoding {
        format: FORMAT.to_owned(),
        version: VERSION,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        columns,
        csv: job.csv.clone(),
        privacy: privacy(job, target)?,
        search: crate::job::Search { time_limit: None, start: None, threads: None, ..job.search.clone() },
        suppressed: job.output.suppressed,
        // Anyone who knows the seed of an order can undo it.
        order: match job.output.order {
            RowOrder::Shuffle { .. } => RowOrder::Shuffle { seed: None },
            other => other,
        },
        encoding: job.output.encoding.clone(),
        recoding: decided,
    };
    saved.refuse_unlike(job, prepared, release)?;
    saved.to_json()
}

/// Refuses values that are shown as numbers: in another delivery they would be those of others.
fn refuse_hidden(prepared: &EncodedTable, shown: &ShownValues) -> Result<()> {
    let hidden = prepared.attributes.iter().enumerate().filter(|(_, column)| column.is_hidden());
    let mut shown =
        hidden.filter(|(a, column)| shown.0[*a].iter().any(|&value| value != column.taxonomy.root()));
    match shown.next() {
        None => Ok(()),
        Some((_, column)) => Err(EngineError::bad((
            "this recoding cannot be saved: its values look as if they name people and are released as numbers, which stand for different people in every delivery",
            "leave it out (role = \"identifier\"), or give it a hierarchy file",
        ))
        .in_column(&column.name)),
    }
}

/// The values of each attribute that released rows show.
struct ShownValues(Vec<BTreeSet<ValueId>>);

impl ShownValues {
    fn from_release(release: &Release) -> ShownValues {
        let released = || (0..release.parts()).filter(|&part| !release.is_suppressed(part));
        let of = |a: usize| released().map(|part| release.value(part, a)).collect();
        ShownValues((0..release.problem().attributes().len()).map(of).collect())
    }

    /// Those of a taxonomy.
    fn of_tree(&self, a: usize, taxonomy: &Taxonomy) -> Vec<ValueId> {
        self.0[a].iter().copied().filter(|&value| (value as usize) < taxonomy.values().len()).collect()
    }
}

fn decide(prepared: &EncodedTable, release: &Release, regions: Regions<'_>) -> Decided {
    let attributes = || prepared.attributes.iter().enumerate();
    let names = || prepared.quasi().map(str::to_owned);
    match release.recoding() {
        Recoding::FullDomain(node) => {
            let level = |(a, column): (usize, String)| ColumnLevel { column, level: node.level(a) };
            Decided::Levels(names().enumerate().map(level).collect())
        }
        Recoding::Cut(cuts) => {
            let shown = ShownValues::from_release(release);
            let cut = |(a, column): (usize, &EncodedColumn)| {
                let (taxonomy, all) = (&column.taxonomy, cuts[a].values());
                // A hierarchy that does not depend on the table has a cut for all of its values; of others only what
                // is shown may be told, but for a cell `*` of the table: it stays what it is, and would be read as the top.
                let others = is_given(column, prepared);
                let is_leaf = |value: ValueId| (value as usize) < taxonomy.leaf_total();
                let is_told = |value: &ValueId| match others {
                    true => !is_leaf(*value),
                    false => {
                        shown.0[a].contains(value) && !(is_leaf(*value) && taxonomy.label(*value) == ANY)
                    }
                };
                let labels = all.into_iter().filter(is_told).map(|value| taxonomy.label(value).to_owned());
                ColumnCut { column: column.name.clone(), labels: labels.collect(), others }
            };
            Decided::Cuts(attributes().map(cut).collect())
        }
        Recoding::Local(_) => {
            let label = |a: usize, closure: &Closure| {
                let taxonomy = &prepared.attributes[a].taxonomy;
                match closure {
                    Closure::Value(value) if (*value as usize) < taxonomy.leaf_total() => {
                        spell_leaf(taxonomy.label(*value))
                    }
                    Closure::Value(value) => taxonomy.label(*value).to_owned(),
                    Closure::Made(leaves) => taxonomy.describe(leaves).label,
                }
            };
            let class = |region: &Vec<Closure>| {
                region.iter().enumerate().map(|(a, closure)| label(a, closure)).collect()
            };
            let labels = regions.unwrap_or_default().iter().map(class).collect();
            Decided::Classes(LocalClasses { columns: names().collect(), labels })
        }
    }
}

/// Whether the hierarchy of a column is in a file, or there is none.
fn is_given(column: &EncodedColumn, prepared: &EncodedTable) -> bool {
    let mut quasi = prepared.roles.quasi().filter(|(_, name, _)| *name == column.name);
    quasi.next().is_some_and(|(.., quasi)| matches!(quasi.hierarchy, None | Some(HierarchySpec::File(_))))
}

/// A column of the table, without values that the job lists.
fn column(
    job: &Job,
    prepared: &EncodedTable,
    name: &str,
    shown: &ShownValues,
    target: &Path,
) -> Result<SavedColumn> {
    let said = job.columns.get(name).or(job.columns.rest());
    let mut column = said.cloned().unwrap_or_else(|| Column::new(Role::Other));
    let (sha256, listed) =
        digest(name, &column)?.map_or((None, false), |(hash, listed)| (Some(hash), listed));
    if listed {
        column.order = None;
        column.hierarchy = column.hierarchy.filter(|spec| !matches!(spec, HierarchySpec::Groups(_)));
    }
    if let Some(HierarchySpec::File(file)) = &mut column.hierarchy {
        file.path = relative(&file.path, target)?.into();
    }
    let found = prepared.attributes.iter().enumerate().find(|(_, column)| column.name == name);
    let built = found.and_then(|(a, encoded)| keep(a, encoded, &column, shown));
    if let Some((_, encoded)) = found {
        let decimal = match encoded.spelled {
            Notation::Plain => None,
            Notation::Point => Some('.'),
            Notation::Comma => Some(','),
        };
        column.decimal = column.decimal.or(decimal);
    }
    Ok(SavedColumn { name: name.to_owned(), column, sha256, listed, built })
}

/// What is kept of a hierarchy that was built from the data.
fn keep(a: usize, encoded: &EncodedColumn, column: &Column, shown: &ShownValues) -> Option<KeptHierarchy> {
    let taxonomy = &encoded.taxonomy;
    match column.hierarchy.as_ref()? {
        HierarchySpec::Mask(_) | HierarchySpec::Prefix => {
            Some(KeptHierarchy::Mask { length: taxonomy.height() })
        }
        HierarchySpec::Auto { .. } => {
            let label = |value: ValueId| KeptLabel {
                label: taxonomy.label(value).to_owned(),
                level: taxonomy.values()[value as usize].level,
            };
            let values = shown.of_tree(a, taxonomy).into_iter().filter(|&value| value != taxonomy.root());
            let labels = values.map(label).collect();
            Some(KeptHierarchy::Labels { height: taxonomy.height(), labels })
        }
        _ => None,
    }
}

/// What is required, with files named from where the recoding will be.
fn privacy(job: &Job, target: &Path) -> Result<Privacy> {
    let mut privacy = job.privacy.clone();
    for require in &mut privacy.require {
        let Some(path) = require.population().map(|population| population.to_path_buf()) else { continue };
        let path = ParameterValue::Text(relative(&path, target)?);
        require.parameters.insert(POPULATION.to_owned(), path);
    }
    Ok(privacy)
}

impl SavedRecoding {
    /// The text of a recoding file that says the same.
    ///
    /// # Errors
    /// A path that is not Unicode.
    pub fn to_json(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self).map(|text| format!("{text}\n"));
        text.map_err(|error| EngineError::Data(format!("the recoding cannot be written: {error}").into()))
    }

    /// Refuses to be saved if it would not give the same release of the same table.
    fn refuse_unlike(&self, job: &Job, prepared: &EncodedTable, release: &Release) -> Result<()> {
        let is_given = |column: &SavedColumn| column.built.is_none();
        let is_sure = match &self.recoding {
            Decided::Levels(_) => self.columns.iter().all(is_given),
            Decided::Cuts(cuts) => cuts.iter().all(|cut| cut.others),
            Decided::Classes(_) => false,
        };
        if is_sure {
            return Ok(());
        }
        let problem = release.problem();
        let again = prepared.again(&self.keeping_job(job))?;
        let again_problem = again.problem(job.privacy.k, problem.max_suppressed_rows, problem.objective)?;
        let found = self.recode(&again, &again_problem)?.release(&again_problem);
        match first_unlike(release, &found) {
            None => Ok(()),
            Some(a) => Err(EngineError::bad(
                "this recoding cannot be saved: the column's released labels do not say which other \
                 values belong to them; write its hierarchy to a file (`throng hierarchy build`, \
                 `throng init`)",
            )
            .in_column(&prepared.attributes[a].name)),
        }
    }

    /// The job with what is kept of its hierarchies.
    fn keeping_job(&self, job: &Job) -> Job {
        let mut job = job.clone();
        job.kept = self.kept();
        for saved in self.columns.iter().filter(|saved| saved.column.decimal.is_some()) {
            if let Some(mut column) = job.columns.get(&saved.name).cloned() {
                column.decimal = saved.column.decimal;
                job.columns.set(&saved.name, column);
            }
        }
        job
    }
}

/// The first attribute in which two releases of the same tuples differ.
fn first_unlike(one: &Release, other: &Release) -> Option<usize> {
    let attributes = one.problem().attributes().len();
    if one.parts() != other.parts() {
        return Some(0);
    }
    let differs = |part: usize| {
        let label = |release: &Release, a: usize| release.label(a, release.value(part, a)).to_owned();
        let differ = (0..attributes).find(|&a| label(one, a) != label(other, a));
        match (one.is_suppressed(part), other.is_suppressed(part)) {
            (true, true) => None,
            (false, false) => differ,
            _ => Some(differ.unwrap_or(0)),
        }
    };
    (0..one.parts()).find_map(differs)
}

/// Names a recoding that cannot be made into classes that stand by themselves.
pub(crate) fn unsettled(algorithm: &str) -> EngineError {
    EngineError::bad(format!(
        "this recoding cannot be saved: however much they are widened, the classes of {} do not say where \
            rows go",
        quoted(algorithm)
    ))
}
