//! A recoding of a file over the tuples of a table.

use throng::cut::Cut;
use throng::problem::Problem;
use throng::recoding::{Local, Recoding};
use throng::regions::{Region, place};
use throng::release::Release;
use throng::taxonomy::{ANY, ValueId};
use throng::verify::{Failing, Verdict, failing, verify};
use throng::wording::quoted;

use super::labels::Reader;
use super::{ColumnCut, ColumnLevel, Decided, LocalClasses, SavedRecoding};
use crate::error::{EngineError, Result};
use crate::job::KeptHierarchy;
use crate::prepare::{EncodedColumn, EncodedTable};

/// A table as a recoding file generalises it.
pub(crate) struct RecodedTable {
    /// The recoding; what fails is suppressed by it.
    pub(crate) recoding: Recoding,
    /// Tuples of which the file says nothing: they are suppressed, too.
    pub(crate) left_out: Vec<usize>,
    /// What fails each requirement, before anything but those is suppressed.
    pub(crate) failing: Vec<Failing>,
    /// Rows of which the file says nothing.
    pub(crate) uncovered_rows: u64,
    /// Where the first of them is, by its row, if one column is to blame: a value that the file does not know.
    pub(crate) unknown: Option<(String, u64)>,
}

impl RecodedTable {
    /// The release, of which nothing is judged.
    pub(crate) fn release(&self, problem: &Problem) -> Release {
        self.recoding.apply(problem).without_tuples(&self.left_out)
    }

    /// Whether all that it must satisfy holds, within the rows that may be suppressed.
    pub(crate) fn holds(&self, problem: &Problem) -> bool {
        matches!(verify(&self.release(problem)), Verdict::Safe(_))
    }
}

/// For each attribute whether something is known of each leaf.
type KnownLeaves = Vec<Option<Vec<bool>>>;

impl SavedRecoding {
    /// Generalises a table.
    ///
    /// # Errors
    /// What is no recoding of its quasi-identifiers.
    pub(crate) fn recode(&self, prepared: &EncodedTable, problem: &Problem) -> Result<RecodedTable> {
        match &self.recoding {
            Decided::Levels(levels) => self.recode_levels(levels, prepared, problem),
            Decided::Cuts(cuts) => self.recode_cuts(cuts, prepared, problem),
            Decided::Classes(classes) => recode_classes(classes, prepared, problem),
        }
    }

    fn recode_levels(
        &self,
        levels: &[ColumnLevel],
        prepared: &EncodedTable,
        problem: &Problem,
    ) -> Result<RecodedTable> {
        let mut node = problem.lattice().raw();
        let mut known: KnownLeaves = Vec::new();
        for (a, column) in prepared.attributes.iter().enumerate() {
            let of = levels.iter().find(|of| of.column == column.name).ok_or_else(|| lacking(column))?;
            let height = column.taxonomy.height();
            if of.level > height {
                return Err(EngineError::bad(format!(
                    "the recoding uses its level {}, but the highest is {height}",
                    of.level
                ))
                .in_column(&column.name));
            }
            let lattice = problem.lattice();
            let allowed = usize::from(lattice.floors()[a])..=usize::from(lattice.heights()[a]);
            if !allowed.contains(&of.level) {
                return Err(EngineError::bad(format!(
                    "the recoding uses its level {}, but min_level and max_level allow {} to {}",
                    of.level,
                    allowed.start(),
                    allowed.end()
                ))
                .in_column(&column.name));
            }
            node = node.with(a, of.level);
            known.push(self.known_at(column, of.level));
        }
        let columns = prepared.attributes.iter().enumerate();
        let columns =
            columns.map(|(a, column)| column.taxonomy.level_values(node.level(a)).to_vec()).collect();
        Ok(recoded(Recoding::FullDomain(node), columns, &known, prepared, problem))
    }

    /// Which leaves a label of an automatic hierarchy is known for, at a level.
    fn known_at(&self, column: &EncodedColumn, level: usize) -> Option<Vec<bool>> {
        let taxonomy = &column.taxonomy;
        let saved = self.columns.iter().find(|of| of.name == column.name)?;
        let Some(KeptHierarchy::Labels { labels, .. }) = &saved.built else { return None };
        if level == 0 || level == taxonomy.height() {
            return None;
        }
        let is_shown = |value: ValueId| {
            let label = taxonomy.label(value);
            label == ANY || labels.iter().any(|kept| kept.label == label)
        };
        Some(taxonomy.level_values(level).iter().map(|&value| is_shown(value)).collect())
    }

    fn recode_cuts(
        &self,
        cuts: &[ColumnCut],
        prepared: &EncodedTable,
        problem: &Problem,
    ) -> Result<RecodedTable> {
        let (mut found, mut known): (Vec<Cut>, KnownLeaves) = (Vec::new(), Vec::new());
        for (a, column) in prepared.attributes.iter().enumerate() {
            let of = cuts.iter().find(|of| of.column == column.name).ok_or_else(|| lacking(column))?;
            let (cut, below) = cut_through(of, column)?;
            refuse_other_levels(&cut, a, column, problem)?;
            found.push(cut);
            known.push((!of.others).then_some(below));
        }
        let columns = found.iter().map(|cut| cut.leaf_values().to_vec()).collect();
        Ok(recoded(Recoding::Cut(found), columns, &known, prepared, problem))
    }
}

/// Refuses a cut with values below or above the levels at which the column may be released.
fn refuse_other_levels(cut: &Cut, a: usize, column: &EncodedColumn, problem: &Problem) -> Result<()> {
    let (lattice, taxonomy) = (problem.lattice(), &column.taxonomy);
    let allowed = usize::from(lattice.floors()[a])..=usize::from(lattice.heights()[a]);
    let is_allowed = |leaf: u32| {
        let value = cut.leaf_values()[leaf as usize];
        allowed.clone().any(|level| taxonomy.generalise(leaf, level) == value)
    };
    // What becomes of values that nobody has is of no account.
    let mut leaves = problem.table().column(a).to_vec();
    leaves.sort_unstable();
    leaves.dedup();
    if leaves.into_iter().all(is_allowed) {
        return Ok(());
    }
    Err(EngineError::bad((
        "the recoding has values of other levels of it",
        format!("by min_level and max_level they may be from {} to {}", allowed.start(), allowed.end()),
    ))
    .in_column(&column.name))
}

fn lacking(column: &EncodedColumn) -> EngineError {
    EngineError::bad(format!("the recoding says nothing about the quasi-identifier {}", quoted(&column.name)))
        .about_column(&column.name)
}

/// The cut of labels, in which other leaves stay as they are, and which leaves are below a label or `*`.
fn cut_through(of: &ColumnCut, column: &EncodedColumn) -> Result<(Cut, Vec<bool>)> {
    let (taxonomy, reader) = (&column.taxonomy, Reader::new(column));
    // A label that no value of this table has is no part of its cut.
    let mut chosen: Vec<ValueId> = of.labels.iter().filter_map(|label| reader.value(label)).collect();
    let is_below = |leaf: ValueId| taxonomy.ancestors(leaf).any(|value| chosen.contains(&value));
    let mut below: Vec<bool> = (0..taxonomy.leaf_total() as ValueId).map(is_below).collect();
    chosen.extend((0..).zip(&below).filter(|(_, below)| !**below).map(|(leaf, _)| leaf));
    // A cell `*` of the table shows nothing that the file would have to know.
    let leaves = 0..taxonomy.leaf_total() as ValueId;
    below.iter_mut().zip(leaves).for_each(|(below, leaf)| *below |= taxonomy.label(leaf) == ANY);
    let cut = Cut::new(taxonomy, &chosen).map_err(|error| {
        EngineError::bad(format!("the recoding has no cut for it: {error}")).in_column(&column.name)
    })?;
    Ok((cut, below))
}

/// A recoding by leaves: `columns` has the value of each.
fn recoded(
    recoding: Recoding,
    columns: Vec<Vec<ValueId>>,
    known: &KnownLeaves,
    prepared: &EncodedTable,
    problem: &Problem,
) -> RecodedTable {
    let table = problem.table();
    let is_known = |tuple: usize| {
        let mut columns = known.iter().enumerate().filter_map(|(a, known)| Some((a, known.as_ref()?)));
        columns.all(|(a, known)| known[table.column(a)[tuple] as usize])
    };
    let left_out: Vec<usize> = (0..table.tuples()).filter(|&tuple| !is_known(tuple)).collect();
    let shown = columns
        .iter()
        .enumerate()
        .map(|(a, values)| table.column(a).iter().map(|&leaf| values[leaf as usize]).collect());
    let raw = Recoding::Local(Local::new(shown.collect()));
    let unknown = first_unknown(known, prepared);
    finish(recoding, &raw, left_out, unknown, problem)
}

/// The first row with a value that no label is known for, and its column.
fn first_unknown(known: &KnownLeaves, prepared: &EncodedTable) -> Option<(String, u64)> {
    let columns =
        prepared.attributes.iter().zip(known).filter_map(|(column, known)| Some((column, known.as_ref()?)));
    let rows = columns.flat_map(|(column, known)| {
        let codes = (0..).zip(&column.leaves).filter(|(_, leaf)| !known[**leaf as usize]);
        codes.map(|(code, _)| (column.dictionary.first_row(code), column.name.clone()))
    });
    rows.min().map(|(row, name)| (name, row))
}

fn recode_classes(
    classes: &LocalClasses,
    prepared: &EncodedTable,
    problem: &Problem,
) -> Result<RecodedTable> {
    let readers: Vec<Reader<'_>> = prepared.attributes.iter().map(Reader::new).collect();
    let place_of = |column: &EncodedColumn| {
        classes.columns.iter().position(|name| *name == column.name).ok_or_else(|| lacking(column))
    };
    let places: Vec<usize> = prepared.attributes.iter().map(place_of).collect::<Result<_>>()?;
    // A label that no value of this table has covers none of its rows.
    let region = |labels: &Vec<String>| -> Option<Region> {
        let columns = readers.iter().zip(&places);
        columns.map(|(reader, &at)| reader.read(labels.get(at)?)).collect()
    };
    let regions: Vec<Region> = classes.labels.iter().filter_map(region).collect();
    let placed = place(problem, &regions);
    let tuples = 0..problem.table().tuples();
    let uncovered: Vec<usize> = tuples.filter(|&tuple| placed.is_uncovered(tuple)).collect();
    let raw = placed.first_recoding(problem, &regions);
    let mut found = finish(placed.recoding(problem, &regions), &raw, Vec::new(), None, problem);
    found.uncovered_rows = rows_of(problem, &uncovered);
    Ok(found)
}

fn finish(
    recoding: Recoding,
    raw: &Recoding,
    left_out: Vec<usize>,
    unknown: Option<(String, u64)>,
    problem: &Problem,
) -> RecodedTable {
    let failing = failing(&raw.apply(problem).without_tuples(&left_out));
    let uncovered_rows = rows_of(problem, &left_out);
    RecodedTable { recoding, left_out, failing, uncovered_rows, unknown }
}

fn rows_of(problem: &Problem, tuples: &[usize]) -> u64 {
    tuples.iter().map(|&tuple| u64::from(problem.table().weights()[tuple])).sum()
}
