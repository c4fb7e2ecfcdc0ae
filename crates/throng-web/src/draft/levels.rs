//! The hierarchies of a draft: how many values each level has, how many people are alone at it, and how it is made.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use throng::taxonomy::{Taxonomy, ValueId, to_text};
use throng_engine::error::{EngineError, Result};
use throng_engine::init::build_hierarchy;
use throng_engine::input::source::Source;
use throng_engine::job::{HierarchySpec, Job, Role};
use throng_engine::progress::Quiet;

use super::tree::{self, Change};
use super::{Looked, Said, said};
use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::write_whole;
use crate::rows::first_rows;
use crate::store::Draft;
use crate::words;

/// Rows that are shown at each level.
const EXAMPLES: usize = 3;

/// Lines of a tree that are shown.
const MOST_LINES: usize = 300;

/// One level.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    pub(crate) values: usize,
    /// The share of the rows whose value no other row has.
    pub(crate) alone: f64,
    /// What the first rows show at it, for whoever turned the switch.
    pub(crate) examples: Vec<String>,
}

/// A line of the tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Branch {
    pub(crate) label: String,
    pub(crate) level: usize,
    /// From the top.
    pub(crate) depth: usize,
    pub(crate) rows: u64,
}

/// What a page shows of a quasi-identifier.
#[derive(Clone, Debug)]
pub(crate) struct ColumnLevels {
    pub(crate) name: String,
    /// How it is generalised, in a word of the form.
    pub(crate) builder: &'static str,
    pub(crate) weight: f64,
    pub(crate) rows: u64,
    pub(crate) levels: Vec<Level>,
    /// The tree, for whoever turned the switch, and how many lines it lacks.
    pub(crate) tree: Vec<Branch>,
    pub(crate) hidden_lines: usize,
    pub(crate) can_undo: bool,
    pub(crate) failure: Option<Failure>,
}

/// Names of the quasi-identifiers, in the order of the job.
pub(crate) fn quasi(job: &Job) -> Vec<String> {
    let known = job.columns.named().filter(|(_, column)| column.role == Role::Quasi);
    known.map(|(name, _)| name.to_owned()).collect()
}

/// The levels of all quasi-identifiers.
pub(crate) async fn look_at(
    app: Arc<App>,
    place: PathBuf,
    job: Job,
    shows: bool,
) -> Result<Vec<ColumnLevels>> {
    let counted = app.counts.columns(&place, &job, &quasi(&job)).await?;
    let (names, first) = if shows { first(&job).await? } else { (Vec::new(), Vec::new()) };
    let columns = counted.into_iter().map(|(name, column)| {
        let values: Vec<&str> = column.values.iter().map(String::as_str).collect();
        let place = names.iter().position(|known| *known == name);
        let cells = first.iter().filter_map(|row| row.get(place?).cloned()).collect();
        describe(&job, name, &values, &column.rows, shows.then_some(cells))
    });
    Ok(columns.collect())
}

/// The names of all columns, and the first rows.
async fn first(job: &Job) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let source = Source::open(&job.input, &job.csv)?;
    let mut rows = first_rows(&source).await?;
    rows.truncate(EXAMPLES);
    Ok((source.columns().to_vec(), rows))
}

/// The levels of a column; with its groups and the first `cells`, if these are shown.
fn describe(
    job: &Job,
    name: String,
    values: &[&str],
    rows: &[u64],
    cells: Option<Vec<String>>,
) -> ColumnLevels {
    let column = job.columns.get(&name);
    let spec = column.and_then(|column| column.hierarchy.clone());
    let mut told = ColumnLevels {
        builder: builder(spec.as_ref()),
        weight: column.and_then(|column| column.weight).unwrap_or(1.0),
        rows: rows.iter().sum(),
        levels: Vec::new(),
        tree: Vec::new(),
        hidden_lines: 0,
        can_undo: false,
        failure: None,
        name,
    };
    let taxonomy = match &spec {
        Some(spec) => spec.build(&told.name, values).map_err(EngineError::from),
        None => Taxonomy::flat(values).map_err(EngineError::from),
    };
    match taxonomy {
        Ok(taxonomy) => told.count(&taxonomy, values, rows, cells.as_deref()),
        Err(error) => told.failure = Some(Failure::from(error)),
    }
    told
}

fn builder(spec: Option<&HierarchySpec>) -> &'static str {
    match spec {
        None => "none",
        Some(HierarchySpec::File(_)) => "file",
        Some(HierarchySpec::Mask(_)) => "mask",
        Some(HierarchySpec::Intervals { .. }) => "intervals",
        Some(HierarchySpec::Dates { .. }) => "dates",
        Some(HierarchySpec::Groups(_)) => "groups",
        Some(HierarchySpec::Auto { .. }) => "auto",
        Some(_) => "class",
    }
}

impl ColumnLevels {
    fn count(&mut self, taxonomy: &Taxonomy, values: &[&str], rows: &[u64], cells: Option<&[String]>) {
        let leaf_of =
            |cell: &String| (0..taxonomy.leaf_total() as ValueId).find(|&leaf| taxonomy.label(leaf) == cell);
        let shown: Vec<Option<ValueId>> = cells.unwrap_or_default().iter().map(leaf_of).collect();
        let mut of_leaf = vec![0_u64; taxonomy.leaf_total()];
        let mut by_label: std::collections::BTreeMap<&str, u64> =
            values.iter().copied().zip(rows.iter().copied()).collect();
        for (leaf, rows) in of_leaf.iter_mut().enumerate() {
            *rows = by_label.remove(taxonomy.label(leaf as ValueId)).unwrap_or_default();
        }
        let mut of_value = vec![0_u64; taxonomy.values().len()];
        for level in 0..=taxonomy.height() {
            let mut found: std::collections::BTreeMap<ValueId, u64> = std::collections::BTreeMap::new();
            for (leaf, rows) in of_leaf.iter().enumerate() {
                *found.entry(taxonomy.generalise(leaf as ValueId, level)).or_default() += rows;
            }
            let alone: u64 = found.values().filter(|rows| **rows == 1).sum();
            found.iter().for_each(|(value, rows)| of_value[*value as usize] = *rows);
            self.levels.push(Level {
                values: taxonomy.level_size(level),
                alone: alone as f64 / self.rows.max(1) as f64,
                examples: shown.iter().map(|leaf| at_level(taxonomy, *leaf, level)).collect(),
            });
        }
        if cells.is_some() {
            (self.tree, self.hidden_lines) = lines(taxonomy, &of_value);
        }
    }
}

/// What a value is shown as at a level; nothing of one that is not there.
fn at_level(taxonomy: &Taxonomy, leaf: Option<ValueId>, level: usize) -> String {
    leaf.map_or_else(|| "–".to_owned(), |leaf| taxonomy.label(taxonomy.generalise(leaf, level)).to_owned())
}

/// The tree from its top, as far as it is shown.
fn lines(taxonomy: &Taxonomy, rows: &[u64]) -> (Vec<Branch>, usize) {
    let children = children(taxonomy);
    let mut found = Vec::new();
    let mut open = vec![(taxonomy.root(), 0)];
    while let Some((value, depth)) = open.pop() {
        if found.len() == MOST_LINES {
            return (found, taxonomy.values().len() - MOST_LINES);
        }
        let level = taxonomy.values()[value as usize].level;
        let label = taxonomy.label(value).to_owned();
        found.push(Branch { label, level, depth, rows: rows[value as usize] });
        open.extend(children[value as usize].iter().rev().map(|&child| (child, depth + 1)));
    }
    (found, 0)
}

/// The values right below each value, in the order of their first leaves.
fn children(taxonomy: &Taxonomy) -> Vec<Vec<ValueId>> {
    let values = taxonomy.values();
    let mut children: Vec<Vec<ValueId>> = vec![Vec::new(); values.len()];
    let mut placed = vec![false; values.len()];
    for leaf in 0..taxonomy.leaf_total() as ValueId {
        let mut value = leaf;
        while value != taxonomy.root() && !placed[value as usize] {
            placed[value as usize] = true;
            let parent = values[value as usize].parent;
            children[parent as usize].push(value);
            value = parent;
        }
    }
    children
}

/// Changes how a column is generalised, as a form says.
pub(crate) async fn change(
    app: &Arc<App>,
    looked: &Looked,
    mut job: Job,
    name: &str,
    form: &Said,
) -> Answer<Job> {
    let mut column = job.columns.get(name).cloned().ok_or_else(|| Failure::bad(words::NO_SUCH_COLUMN))?;
    match said(form, "change").unwrap_or_default() {
        "weight" => {
            let weight: f64 = said(form, "weight").and_then(|text| text.parse().ok()).unwrap_or(1.0);
            column.weight = (weight != 1.0).then_some(weight);
        }
        "build" => {
            tree::remember(&looked.place, name, column.hierarchy.as_ref())?;
            column.hierarchy = build(app, looked, &job, name, form).await?;
        }
        "undo" => column.hierarchy = tree::undo(&looked.place, name)?,
        other => {
            let change = Change::from_form(other, form)?;
            let file = edit(app, looked, &job, name, &change).await?;
            column.hierarchy = Some(HierarchySpec::File(file.into()));
        }
    }
    job.columns.set(name, column);
    job.validate()?;
    Ok(job)
}

/// What a builder makes of the column's values; it is refused here if it cannot.
async fn build(
    app: &Arc<App>,
    looked: &Looked,
    job: &Job,
    name: &str,
    form: &Said,
) -> Answer<Option<HierarchySpec>> {
    let list = |key: &str| {
        let words = said(form, key).unwrap_or_default().split([',', ' ', ';']).map(str::trim);
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let quoted =
        |words: String| words.split(", ").map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
    let text = match said(form, "builder").unwrap_or_default() {
        "none" => return Ok(None),
        "mask" => "mask = \"right\"".to_owned(),
        "intervals" => format!("intervals = [{}]", list("widths")),
        "dates" => format!("dates = [{}]", quoted(list("units"))),
        "auto" => return suggest(app, looked, name).await,
        _ => return Err(Failure::bad(words::NO_SUCH_BUILDER)),
    };
    // The job's own spelling, so that its own messages say what is wrong.
    let text = format!(
        "input = 'a'\noutput = 'b.csv'\n[privacy]\nk = 2\n[columns]\nx = {{ role = 'quasi', hierarchy = {{ {text} }} }}"
    );
    let spec =
        Job::parse(&text, FilePath::new(""))?.columns.get("x").and_then(|column| column.hierarchy.clone());
    let (mut tried, name) = (job.clone(), name.to_owned());
    let mut column = tried.columns.get(&name).cloned().ok_or_else(|| Failure::bad(words::NO_SUCH_COLUMN))?;
    column.hierarchy = spec.clone();
    tried.columns.set(name.clone(), column);
    let (asked, place) = (Arc::clone(app), looked.place.clone());
    let columns = app.engine.look(move || look_at(asked, place, tried, false)).await?;
    match columns.into_iter().find(|column| column.name == name).and_then(|column| column.failure) {
        Some(failure) => Err(failure),
        None => Ok(spec),
    }
}

async fn suggest(app: &Arc<App>, looked: &Looked, name: &str) -> Answer<Option<HierarchySpec>> {
    let Draft { table, csv, .. } = looked.draft.clone();
    let wanted = name.to_owned();
    let taxonomy = app.engine.look(move || async move {
        let source = Source::open(&table, &csv)?;
        let at = source.columns().iter().position(|column| *column == wanted);
        let at = at.ok_or_else(|| source.bad("the table no longer has this column"))?;
        build_hierarchy(&source, at, 5, &Quiet).await
    });
    Ok(Some(HierarchySpec::File(write(looked, name, &taxonomy.await?)?.into())))
}

/// Writes a hierarchy beside the draft's job.
fn write(looked: &Looked, name: &str, taxonomy: &Taxonomy) -> Answer<PathBuf> {
    let file = tree::place(&looked.place, name)?;
    write_whole(&file, to_text(taxonomy).as_bytes())?;
    Ok(file)
}

/// Changes one thing in the tree of a column, whatever it was made by.
async fn edit(app: &Arc<App>, looked: &Looked, job: &Job, name: &str, change: &Change) -> Answer<PathBuf> {
    let (job, wanted) = (job.clone(), name.to_owned());
    let (asked, place) = (Arc::clone(app), looked.place.clone());
    let taxonomy = app.engine.look(move || async move {
        let counted = asked.counts.columns(&place, &job, std::slice::from_ref(&wanted)).await?;
        let counted = counted.first().ok_or_else(|| EngineError::bad(words::NO_SUCH_COLUMN))?;
        let values: Vec<&str> = counted.1.values.iter().map(String::as_str).collect();
        match job.columns.get(&wanted).and_then(|column| column.hierarchy.as_ref()) {
            Some(spec) => Ok(spec.build(&wanted, &values)?),
            None => Ok(Taxonomy::flat(&values)?),
        }
    });
    let changed = change.apply(&taxonomy.await?)?;
    let spec = looked
        .job
        .as_ref()
        .and_then(|job| job.columns.get(name))
        .and_then(|column| column.hierarchy.as_ref());
    tree::remember(&looked.place, name, spec)?;
    write(looked, name, &changed)
}
