//! Original and released rows, side by side, counted.

use rustc_hash::FxHashMap;

use throng::table::Carried;
use throng::taxonomy::Leaves;

use super::codes::Codes;
use super::covers::LabelCovers;
use super::values::compare;
use crate::dictionary::Dictionary;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::prepare::EncodedTable;
use crate::progress::{Progress, refuse_cancelled};
use crate::wording::Message;

/// The distinct pairs of original and released tuples, in the order in which they were seen.
pub(super) struct RowPairs {
    /// For each quasi-identifier the leaves, then for each the released values, of each pair.
    pub(super) columns: Vec<Vec<u32>>,
    /// For each quasi-identifier the released values that are not of its taxonomy.
    pub(super) made: Vec<Vec<Leaves>>,
    /// Rows of each pair.
    pub(super) weights: Vec<u32>,
    /// For each sensitive column that is looked at, the values that the released rows of each pair have.
    pub(super) values: Vec<Carried>,
    /// The same by codes, which are not compared yet.
    seen: Vec<FxHashMap<(u32, u32), u32>>,
    index: FxHashMap<Box<[u32]>, u32>,
    rows: u64,
}

impl RowPairs {
    /// Reads both files; `quasi` are positions in the release, and so are those of `sensitive` columns, which have names.
    pub(super) async fn read(
        prepared: &EncodedTable,
        release: &Source,
        quasi: &[usize],
        sensitive: &[(usize, String)],
        progress: &dyn Progress,
    ) -> Result<RowPairs> {
        let columns = prepared.attributes.iter().map(|a| a.column).collect();
        let dictionaries = prepared.attributes.iter().map(|a| a.dictionary.clone()).collect();
        let mut originals = Codes::open(&prepared.source, columns, dictionaries).await?;
        let places: Vec<usize> = quasi.iter().copied().chain(sensitive.iter().map(|(at, _)| *at)).collect();
        let fresh = vec![Dictionary::default(); places.len()];
        let mut released = Codes::open(release, places, fresh).await?;
        let hierarchies = prepared.roles.quasi().map(|(_, _, quasi)| quasi.hierarchy.is_some());
        let mut covers: Vec<LabelCovers<'_>> =
            prepared.attributes.iter().zip(hierarchies).map(|(a, has)| LabelCovers::new(a, has)).collect();
        let mut pairs = RowPairs::new(covers.len(), sensitive.len());
        let read = loop {
            refuse_cancelled(progress)?;
            let rows = originals.fill().await?.min(released.fill().await?);
            let mut rest = 0..rows;
            let added = rest.try_for_each(|_| pairs.add(&mut covers, &mut originals, &mut released));
            if rows == 0 || added.is_err() {
                break added;
            }
            progress.rows_read(pairs.rows);
        };
        let counted = pairs.seen.iter().zip(sensitive).zip(quasi.len()..);
        let values = counted.map(|((seen, (_, name)), at)| {
            compare(prepared, name, released.dictionary(at), seen, pairs.weights.len())
        });
        let values = values.collect();
        // Where a row is missing, others do not fit either: the number of rows is the better reason.
        if originals.count_rows().await? != prepared.rows() {
            return Err(changed(&prepared.source));
        }
        refuse_other_rows(prepared.rows(), released.count_rows().await?, release)?;
        read.map_err(|unfit| match unfit {
            Unfit::Original => changed(&prepared.source),
            Unfit::Released { row, column, why } => release.bad_at(row, why).in_column(&column),
        })?;
        let made = covers.into_iter().map(LabelCovers::into_made).collect();
        Ok(RowPairs { made, values, ..pairs })
    }

    fn new(quasi: usize, sensitive: usize) -> RowPairs {
        RowPairs {
            values: Vec::new(),
            seen: vec![FxHashMap::default(); sensitive],
            columns: vec![Vec::new(); 2 * quasi],
            made: vec![Vec::new(); quasi],
            weights: Vec::new(),
            index: FxHashMap::default(),
            rows: 0,
        }
    }

    fn add(
        &mut self,
        covers: &mut [LabelCovers<'_>],
        originals: &mut Codes<'_>,
        released: &mut Codes<'_>,
    ) -> std::result::Result<(), Unfit> {
        self.rows += 1;
        let mut key = Vec::with_capacity(2 * covers.len());
        for (a, cover) in covers.iter().enumerate() {
            let leaf = cover.attribute().leaves.get(originals.code(a) as usize);
            key.push(*leaf.ok_or(Unfit::Original)?);
        }
        for (a, cover) in covers.iter_mut().enumerate() {
            let found = cover.find(key[a], released.code(a), released.value(a));
            key.push(found.map_err(|why| Unfit::Released {
                row: self.rows,
                column: cover.attribute().name.clone(),
                why,
            })?);
        }
        let pair = self.find_or_add(&key);
        self.weights[pair as usize] += 1;
        for (seen, column) in self.seen.iter_mut().zip(covers.len()..) {
            *seen.entry((pair, released.code(column))).or_default() += 1;
        }
        originals.advance();
        released.advance();
        Ok(())
    }

    fn find_or_add(&mut self, key: &[u32]) -> u32 {
        if let Some(&pair) = self.index.get(key) {
            return pair;
        }
        let pair = self.weights.len() as u32;
        self.index.insert(key.into(), pair);
        self.columns.iter_mut().zip(key).for_each(|(column, &value)| column.push(value));
        self.weights.push(0);
        pair
    }
}

/// A row that cannot be.
enum Unfit {
    /// The original has a value that it had not when it was read before.
    Original,
    /// A released value is not one of those that cover the original one.
    Released { row: u64, column: String, why: Message },
}

fn changed(source: &Source) -> EngineError {
    source.bad("the file changed while it was being read")
}

fn refuse_other_rows(original: u64, released: u64, release: &Source) -> Result<()> {
    if original == released {
        return Ok(());
    }
    let rows = if released == 1 { "row" } else { "rows" };
    Err(release.bad((
        format!("it has {released} {rows}, the original has {original}"),
        "a release is compared row by row, so none may be left out (suppressed = \"mask\" keeps them)",
    )))
}
