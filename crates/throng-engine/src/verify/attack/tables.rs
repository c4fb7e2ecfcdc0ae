//! The two tables that an adversary has, as the core attacks them.

use throng::attack::{Attack, FewestPersons, attack, fewest_persons};
use throng::consistency::{Reading, Released};
use throng::taxonomy::{ANY, Leaves, Scheme, Taxonomy};

use super::foreign::Foreign;
use crate::address::Address;
use crate::dictionary::Dictionary;
use crate::encode::{encode_any, rows_by_code};
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::memory::Budget;
use crate::plan::OpenJob;
use crate::prepare::{EncodedColumn, EncodedTable, LookedAt, Numbered};
use crate::progress::Progress;
use crate::verify::linkage::{find_columns, open_release};
use crate::wording::Message;

/// An original and a released table, each counted by itself.
pub(crate) struct TwoTables {
    pub(super) original: EncodedTable,
    pub(super) released_rows: u64,
    release: Source,
    released: Released,
    /// The labels of each quasi-identifier of the release.
    labels: Vec<Dictionary>,
    /// The sensitive columns of the release, as they are spelled.
    spelled: Vec<SpelledColumn>,
}

/// A sensitive column of the release: the text of each code, and the code of each tuple.
struct SpelledColumn {
    column: LookedAt,
    texts: Dictionary,
    codes: Vec<u32>,
}

impl TwoTables {
    pub(crate) async fn read(
        opened: &OpenJob,
        released: &Address,
        sensitive: &[String],
        progress: &dyn Progress,
    ) -> Result<TwoTables> {
        progress.phase("read");
        let original = EncodedTable::read_unrequired(opened, &[], progress).await?.for_reading();
        let release = open_release(&opened.job, &original, released)?;
        let names = original.quasi().chain(sensitive.iter().map(String::as_str));
        let columns = find_columns(&original, &release, names)?;
        let encoded = encode_any(&release, &columns, Budget::default(), progress).await?;
        let quasi = original.quasi().len();
        let (mut columns, mut labels) = (encoded.columns, encoded.dictionaries);
        let told = |name: &String| original.roles.sensitive(name).cloned().unwrap_or_default();
        let looked_at = sensitive.iter().map(|name| LookedAt::sensitive(name, &told(name)));
        let cells = columns.split_off(quasi).into_iter().zip(labels.split_off(quasi));
        let spelled: Vec<SpelledColumn> = looked_at
            .zip(cells)
            .map(|(column, (codes, texts))| SpelledColumn { column, texts, codes })
            .collect();
        let sensitive = spelled.iter().map(|cells| cells.column.values(&cells.texts, &cells.codes)).collect();
        Ok(TwoTables {
            original,
            released_rows: encoded.rows,
            release,
            released: Released { columns, weights: encoded.weights, sensitive },
            labels,
            spelled,
        })
    }

    pub(super) fn released(&self) -> &Released {
        &self.released
    }

    /// The values of a sensitive column, by numbers that are the same in both tables for all spellings of one: of each
    /// text that the original has, and of each released tuple; none where it is missing.
    pub(super) fn values_in_both(
        &self,
        place: usize,
        original: &Dictionary,
    ) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
        let SpelledColumn { column, texts, codes } = &self.spelled[place];
        let (united, [of_release, of_original]) = texts.united(original);
        let shown: Vec<u32> = codes.iter().map(|&code| of_release[code as usize]).collect();
        (column.values(&united, &of_original), column.values(&united, &shown))
    }

    /// What both adversaries learn.
    ///
    /// # Errors
    /// A label that stands for nothing.
    pub(super) fn attack(&self) -> Result<Attack> {
        Ok(attack(self.original.table(), self.readings()?, &self.released))
    }

    /// The persons in the class that has fewest; none if persons are not counted.
    ///
    /// # Errors
    /// A label that stands for nothing.
    pub(crate) fn fewest_persons(&self) -> Result<Option<FewestPersons>> {
        Ok(fewest_persons(self.original.table(), self.readings()?, &self.released))
    }

    /// What the labels of each quasi-identifier stand for.
    ///
    /// # Errors
    /// A label that stands for nothing.
    pub(super) fn readings(&self) -> Result<Vec<Reading>> {
        let hierarchies = self.original.roles.quasi().map(|(_, _, quasi)| quasi.hierarchy.is_some());
        let columns = self.original.attributes.iter().zip(&self.labels).zip(hierarchies).enumerate();
        let readings = columns.map(|(a, ((attribute, labels), has))| match attribute.is_hidden() {
            true => self.understand_numbers(a, attribute, labels, has),
            false => self.understand(attribute, labels, has),
        });
        readings.collect()
    }

    fn understand(
        &self,
        attribute: &EncodedColumn,
        labels: &Dictionary,
        has_hierarchy: bool,
    ) -> Result<Reading> {
        let leaf_with = |text: &str| attribute.leaf_with(text);
        let foreign = Foreign::new(attribute);
        let read =
            |label: &str| foreign.read(label).or_else(|| attribute.taxonomy.read_set(label, leaf_with));
        let reading = Reading::new(&attribute.taxonomy, labels.values(), leaf_with, read);
        reading.map_err(|code| self.explain(attribute, labels.first_row(code as u32), has_hierarchy))
    }

    /// The same for a column of people. An adversary does not know which number is whose, but how many rows each value
    /// has: a number that more rows have stands for another. What a set or group of numbers stands for nobody can say.
    fn understand_numbers(
        &self,
        a: usize,
        attribute: &EncodedColumn,
        labels: &Dictionary,
        has_hierarchy: bool,
    ) -> Result<Reading> {
        let table = self.original.table();
        let rows = rows_by_code(attribute.taxonomy.leaf_total(), table.column(a), table.weights());
        let of_label = rows_by_code(labels.len(), &self.released.columns[a], &self.released.weights);
        let with_rows = |least: u64| -> Leaves {
            Leaves::Set(attribute.numbered_leaves().filter(|&leaf| rows[leaf as usize] >= least).collect())
        };
        let leaf_with = |text: &str| attribute.leaf_with(text);
        let foreign = Foreign::new(attribute);
        let read = |label: &str| match attribute.numbered(label) {
            Some(Numbered::Value(_)) => labels.code(label).map(|code| with_rows(of_label[code as usize])),
            Some(_) => Some(with_rows(0)),
            None => foreign.read(label).or_else(|| attribute.taxonomy.read_set(label, leaf_with)),
        };
        let reading = Reading::new(&without_numbers(attribute), labels.values(), leaf_with, read);
        reading.map_err(|code| self.explain(attribute, labels.first_row(code as u32), has_hierarchy))
    }

    fn explain(&self, attribute: &EncodedColumn, row: u64, has_hierarchy: bool) -> EngineError {
        let why: Message = if attribute.taxonomy.scheme() != Scheme::Tree {
            "the released value is not a range or set of the original's values".into()
        } else if has_hierarchy {
            (
                "the released value is not in the hierarchy, so it covers nothing",
                "is this the release's hierarchy?",
            )
                .into()
        } else {
            (
                "the released value is not a value of the original, a range of numbers, a set or '*', \
                  and the column has no hierarchy",
                "name that of the release (--qi COLUMN=HIERARCHY, or in a job \
                                            file)",
            )
                .into()
        };
        self.release.bad_at(row, why).in_column(&attribute.name)
    }
}

/// The leaves of a column without its own numbers, which are not those of the release.
fn without_numbers(attribute: &EncodedColumn) -> Taxonomy {
    let leaf = |leaf: u32| match attribute.taxonomy.label(leaf) {
        label if attribute.numbered(label).is_some() => format!("\u{0}{leaf}"),
        label => label.to_owned(),
    };
    let rows: Vec<[String; 2]> =
        (0..attribute.taxonomy.leaf_total() as u32).map(|at| [leaf(at), ANY.to_owned()]).collect();
    Taxonomy::from_rows(&rows).expect("the leaves of a taxonomy differ")
}
