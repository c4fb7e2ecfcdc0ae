//! The original table as the third adversary knows it.

use rustc_hash::FxHashMap;
use throng::attack::{Known, Links, attack_knowing};
use throng::table::Table;

use super::known::{Draw, KnownValues};
use super::tables::TwoTables;
use crate::columns::find_column;
use crate::dictionary::Dictionary;
use crate::encode::{encode, rows_by_code};
use crate::error::Result;
use crate::prepare::EncodedColumn;
use crate::progress::{Progress, refuse_cancelled};
use crate::verify::linkage::codes::Codes;

/// Original rows by their quasi-identifiers and the value that she knows them to have, if she does.
pub(super) struct Informed {
    table: Table,
    known: Known,
    /// The first row of each tuple, from 1.
    first_rows: Vec<u64>,
    pub(super) known_rows: u64,
}

/// The rows of a tuple, and the first of them.
#[derive(Clone, Copy)]
struct Rows {
    count: u32,
    first: u64,
}

impl Informed {
    /// Reads the column of the original, and draws the rows whose value she knows.
    ///
    /// # Errors
    /// Bad input; a column that is not sensitive, or not in a table; more rows than have a value.
    pub(super) async fn read(
        tables: &TwoTables,
        known: &KnownValues,
        sensitive: &[String],
        progress: &dyn Progress,
    ) -> Result<Informed> {
        let place = known.place_in(sensitive)?;
        let source = &tables.original.source;
        let position = find_column(source, source.columns(), &known.column)?;
        let column = encode(source, &[position], progress).await?;
        let (values, shown) = tables.values_in_both(place, &column.dictionaries[0]);
        let rows = rows_by_code(values.len(), &column.columns[0], &column.weights);
        let with_value = values.iter().zip(rows).filter(|(value, _)| value.is_some()).map(|(_, rows)| rows);
        let draw = known.draw(with_value.sum())?;
        let known_rows = draw.wanted();
        let dictionary = column.dictionaries.into_iter().next().expect("one column");
        let tuples = count_tuples(tables, (position, dictionary, values.as_slice()), draw, progress).await?;
        Ok(Informed::new(tuples, tables.original.attributes.len(), shown, known_rows))
    }

    fn new(
        tuples: Vec<(Vec<u32>, Option<u32>, Rows)>,
        attributes: usize,
        shown: Vec<Option<u32>>,
        known_rows: u64,
    ) -> Informed {
        let columns =
            (0..attributes).map(|a| tuples.iter().map(|(leaves, ..)| leaves[a]).collect()).collect();
        let table = Table::new(columns, tuples.iter().map(|(.., rows)| rows.count).collect());
        let of_originals = tuples.iter().map(|(_, value, _)| *value).collect();
        let first_rows = tuples.iter().map(|(.., rows)| rows.first).collect();
        Informed { table, known: Known { of_originals, shown }, first_rows, known_rows }
    }

    /// What she links of those whose value she does not know.
    ///
    /// # Errors
    /// A label that stands for nothing.
    pub(super) fn attack(&self, tables: &TwoTables) -> Result<Links> {
        Ok(attack_knowing(&self.table, tables.readings()?, tables.released(), &self.known))
    }

    /// The first row of a tuple, and how many more there are.
    pub(super) fn rows_of(&self, tuple: usize) -> (u64, u64) {
        (self.first_rows[tuple], u64::from(self.table.weights()[tuple]) - 1)
    }
}

/// Counts the original rows by their leaves and known value, in the order of these. The column is its position, its
/// spellings and the value of each.
async fn count_tuples(
    tables: &TwoTables,
    (position, dictionary, values): (usize, Dictionary, &[Option<u32>]),
    mut draw: Draw,
    progress: &dyn Progress,
) -> Result<Vec<(Vec<u32>, Option<u32>, Rows)>> {
    let (source, attributes) = (&tables.original.source, &tables.original.attributes);
    let changed = || source.bad("the file changed while it was being read");
    let columns = attributes.iter().map(|a| a.column).chain([position]).collect();
    let dictionaries = attributes.iter().map(|a| a.dictionary.clone()).chain([dictionary]).collect();
    let mut codes = Codes::open(source, columns, dictionaries).await?;
    let (mut tuples, mut row) = (FxHashMap::<(Vec<u32>, Option<u32>), Rows>::default(), 0);
    loop {
        refuse_cancelled(progress)?;
        let at_hand = codes.fill().await?;
        if at_hand == 0 {
            break;
        }
        for _ in 0..at_hand {
            row += 1;
            let leaf = |(a, attribute): (usize, &EncodedColumn)| {
                attribute.leaves.get(codes.code(a) as usize).copied().ok_or_else(changed)
            };
            let leaves: Vec<u32> = attributes.iter().enumerate().map(leaf).collect::<Result<_>>()?;
            let code = codes.code(attributes.len()) as usize;
            let value = (*values.get(code).ok_or_else(changed)?).filter(|_| draw.takes(row));
            tuples.entry((leaves, value)).or_insert(Rows { count: 0, first: row }).count += 1;
            codes.advance();
        }
    }
    let mut tuples: Vec<_> =
        tuples.into_iter().map(|((leaves, value), rows)| (leaves, value, rows)).collect();
    tuples.sort_unstable_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    Ok(tuples)
}
