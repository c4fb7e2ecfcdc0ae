//! The three tables: the original, the control group, and the release that both are held against.

use throng::privacy::folded;

use super::meaning::{ColumnNature, Meanings};
use crate::address::Address;
use crate::columns::find_column;
use crate::encode::{Encoded, encode_any};
use crate::error::Result;
use crate::input::source::Source;
use crate::memory::Budget;
use crate::plan::OpenJob;
use crate::prepare::EncodedTable;
use crate::progress::Progress;
use crate::verify::linkage::{find_columns, open_release};

/// Each with its quasi-identifiers first, and then its sensitive columns.
pub(super) struct ThreeTables {
    prepared: EncodedTable,
    pub(super) quasi: usize,
    pub(super) original: Rows,
    pub(super) control: Rows,
    pub(super) released: Rows,
    /// Whether spellings of a sensitive column count, by its place.
    exact: Vec<bool>,
}

/// The rows of a table, alike ones together.
pub(super) struct Rows {
    pub(super) encoded: Encoded,
    /// Rows before each tuple, and all.
    starts: Vec<u64>,
}

impl Rows {
    fn new(encoded: Encoded) -> Rows {
        let mut starts = vec![0];
        starts.extend(encoded.weights.iter().scan(0, |sum, &rows| {
            *sum += u64::from(rows);
            Some(*sum)
        }));
        Rows { encoded, starts }
    }

    /// All rows.
    pub(super) fn total(&self) -> u64 {
        *self.starts.last().expect("there is an end")
    }

    pub(super) fn tuples(&self) -> usize {
        self.encoded.weights.len()
    }

    /// The tuple of a row, where they stand in the order of their tuples.
    pub(super) fn tuple_of(&self, row: u64) -> usize {
        self.starts.partition_point(|&start| start <= row) - 1
    }

    /// The rows before a tuple.
    pub(super) fn start(&self, tuple: usize) -> u64 {
        self.starts[tuple]
    }

    pub(super) fn code(&self, column: usize, tuple: usize) -> u32 {
        self.encoded.columns[column][tuple]
    }

    pub(super) fn text(&self, column: usize, tuple: usize) -> &str {
        self.encoded.dictionaries[column].value(self.code(column, tuple))
    }
}

impl ThreeTables {
    /// Reads them.
    ///
    /// # Errors
    /// Bad input; a column that one of them lacks.
    pub(super) async fn read(
        opened: &OpenJob,
        released: &Address,
        control: &Address,
        sensitive: &[String],
        progress: &dyn Progress,
    ) -> Result<ThreeTables> {
        let prepared = EncodedTable::read_unrequired(opened, &[], progress).await?.for_reading();
        let names = || prepared.quasi().chain(sensitive.iter().map(String::as_str));
        let by_name = |source: &Source| -> Result<Vec<usize>> {
            names().map(|name| find_column(source, source.columns(), name)).collect()
        };
        let columns = by_name(&prepared.source)?;
        let original = encode_any(&prepared.source, &columns, Budget::default(), progress).await?;
        let group = opened.job.tables.open(control, &opened.job.csv)?;
        let columns = by_name(&group)?;
        let control = encode_any(&group, &columns, Budget::default(), progress).await?;
        if control.rows == 0 {
            return Err(group.bad(("there are no data rows", "a control group has people")));
        }
        let release = open_release(&opened.job, &prepared, released)?;
        let columns = find_columns(&prepared, &release, names())?;
        let released = encode_any(&release, &columns, Budget::default(), progress).await?;
        let exact = |name: &String| prepared.roles.sensitive(name).is_some_and(|told| told.exact);
        let (quasi, exact) = (prepared.quasi().count(), sensitive.iter().map(exact).collect());
        let [original, control, released] = [original, control, released].map(Rows::new);
        Ok(ThreeTables { quasi, original, control, released, exact, prepared })
    }

    /// How many columns there are.
    pub(super) fn columns(&self) -> usize {
        self.released.encoded.columns.len()
    }

    /// What the released cells of each column stand for.
    pub(super) fn meanings(&self) -> Vec<Meanings<'_>> {
        let quasi = self.prepared.attributes.iter().map(ColumnNature::Quasi);
        let sensitive = self.exact.iter().map(|&exact| ColumnNature::Sensitive { exact });
        let columns = self.released.encoded.dictionaries.iter().zip(quasi.chain(sensitive));
        columns.map(|(labels, nature)| Meanings::new(labels.values(), nature)).collect()
    }

    /// A sensitive value as it is compared; empty if it is missing.
    pub(super) fn compared<'t>(&self, column: usize, text: &'t str) -> std::borrow::Cow<'t, str> {
        match self.exact[column - self.quasi] {
            true => text.into(),
            false => folded(text),
        }
    }
}
