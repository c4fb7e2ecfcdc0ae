//! What columns show that are released as they are: one bounded look, before anything is searched for.
//!
//! Up to a million rows from all over the table are looked at; of a smaller table, all. Names of columns and counts leave
//! this module, never a value.

mod extremes;
mod first;
mod mentions;
mod open;
mod order;
mod watched;

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::free_text::FreeText;
use super::looks::ColumnLook;
use crate::coding::NumberCoding;
use crate::dictionary::is_textual;
use crate::encode::Observer;
use crate::error::Result;
use crate::input::source::Source;
use crate::nodes::TableLook;
use crate::progress::Progress;
pub(crate) use mentions::Mentions;
use watched::WatchedColumns;

/// Rows that are looked at.
const MOST_ROWS: u64 = 1 << 20;

/// What a look at kept columns found.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptLook {
    /// Rows that were looked at.
    pub rows: u64,
    /// The columns that could be read as text, and what others hold.
    pub columns: Vec<KeptColumn>,
    /// Rows that no other agrees with in all kept columns, those left aside that tell nearly every row by themselves;
    /// and how many columns these are.
    pub unique_together: (u64, usize),
    /// Positions of the columns by which the rows are sorted.
    pub sorted: Vec<usize>,
}

/// A column that is released as it is, or a field in one.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptColumn {
    /// The position of the column in the table.
    pub at: usize,
    /// What it is called: by the name of the column, and of the field in it (`contact.phone`).
    pub name: String,
    /// What its values look like, if that is people.
    pub look: Option<ColumnLook>,
    /// Whether its values are those of people, by their look or by its name.
    pub is_personal: bool,
    /// Whether people typed it.
    pub text: Option<FreeText>,
    /// Rows with a value.
    pub known_rows: u64,
    /// Its values.
    pub distinct: u64,
    /// Rows with a value that no other row has.
    pub unique_rows: u64,
    /// Rows with its least number, and with its greatest.
    pub extreme_rows: Option<(u64, u64)>,
}

impl KeptColumn {
    /// Whether nearly every row has a value of its own.
    pub fn is_nearly_unique(&self) -> bool {
        10 * self.unique_rows >= 9 * self.known_rows
    }
}

/// Looks at the columns `kept`; whether rows are sorted by it is watched of the columns `ordered`.
///
/// # Errors
/// If the table cannot be opened, or the run was cancelled. A row that cannot be read ends the look: whoever reads it
/// next says what is wrong with it.
pub async fn look_at_kept(
    source: &Source,
    kept: &[usize],
    ordered: &[usize],
    progress: &dyn Progress,
) -> Result<KeptLook> {
    let watch = KeptWatch::new(source, kept, ordered);
    watch.observer().read(source, progress).await?;
    Ok(watch.finish())
}

/// A look at kept columns, while others read them.
pub(crate) struct KeptWatch {
    columns: Vec<usize>,
    look: TableLook,
    watch: Arc<Mutex<WatchedColumns>>,
    /// What a node found that looked at the table.
    found: Arc<Mutex<Option<KeptLook>>>,
}

impl KeptWatch {
    /// As [`look_at_kept`] has them.
    pub(crate) fn new(source: &Source, kept: &[usize], ordered: &[usize]) -> KeptWatch {
        let schema = source.schema();
        let is_text = |at: &&usize| is_textual(schema.field(**at).data_type());
        let ordered: Vec<usize> = ordered.iter().filter(is_text).copied().collect();
        let mut columns: Vec<usize> = kept.iter().chain(&ordered).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let watch = Arc::new(Mutex::new(WatchedColumns::new(&schema, &columns, kept, &ordered)));
        let look = TableLook::Kept { kept: kept.to_vec(), ordered };
        KeptWatch { columns, look, watch, found: Arc::default() }
    }

    /// The same where the numbers of columns at these positions are released as others: extremes are counted of these.
    /// (A cluster releases no such columns, so no node is told.)
    pub(crate) fn with_codings(self, codings: &[(usize, NumberCoding)]) -> KeptWatch {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner).set_codings(codings);
        self
    }

    /// Who looks.
    pub(crate) fn observer(&self) -> Observer {
        let (watch, found) = (Arc::clone(&self.watch), Arc::clone(&self.found));
        let looked = Observer::of_sample(self.columns.clone(), MOST_ROWS, move |columns| {
            watch.lock().unwrap_or_else(PoisonError::into_inner).take(columns);
        });
        looked.or_by_a_node(self.look.clone(), move |told| {
            let told = serde_json::from_value(told).ok()?;
            *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
            Some(())
        })
    }

    /// What was found.
    pub(crate) fn finish(&self) -> KeptLook {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner).take();
        found.unwrap_or_else(|| self.watch.lock().unwrap_or_else(PoisonError::into_inner).finish())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::progress::Quiet;

    async fn look(header: &str, rows: u64, row: impl Fn(u64) -> String) -> KeptLook {
        let mut text = format!("{header}\n");
        (0..rows).for_each(|at| writeln!(text, "{}", row(at)).unwrap());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let source = Source::open(&path, &Default::default()).unwrap();
        let all: Vec<usize> = (0..source.columns().len()).collect();
        look_at_kept(&source, &all, &all, &Quiet).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn orders_and_extremes_are_seen() {
        let row = |at: u64| format!("{},{},{},{}", at, at * 7_919 % 500, 100 - at / 10, at % 3);
        let found = look("id,mixed,falling,few", 500, row).await;
        assert_eq!(found.sorted, [0, 2]);
        assert_eq!(found.columns[0].extreme_rows, Some((1, 1)));
        assert_eq!(found.columns[3].extreme_rows, Some((167, 166)));
        assert!(found.columns[0].is_nearly_unique() && !found.columns[3].is_nearly_unique());
        assert_eq!(found.unique_together, (0, 2), "of what is not unique by itself");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn many_answers_are_like_nobody_elses() {
        let row =
            |at: u64| (0..20).map(move |q| (at * (q + 3) % 7).to_string() + &(at / (q + 1) % 2).to_string());
        let header: Vec<String> = (0..20).map(|q| format!("q{q}")).collect();
        let found = look(&header.join(","), 300, |at| row(at).collect::<Vec<_>>().join(",")).await;
        assert!(found.unique_together.0 > 150, "{}", found.unique_together.0);
        assert_eq!(found.unique_together.1, 20);
        assert!(found.sorted.is_empty());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_column_of_few_values_is_sorted_only_if_each_has_a_stretch() {
        let found = look("ill", 200, |at| if at < 120 { "flu" } else { "hiv" }.to_owned()).await;
        assert_eq!(found.sorted, [0]);
        let found = look("ill", 200, |at| if at < 199 { "flu" } else { "hiv" }.to_owned()).await;
        assert!(found.sorted.is_empty(), "one row at the end says nothing");
    }
}
