//! The values of columns that were kept as they were, counted in both files.

use futures::StreamExt;

use super::{TablePair, places};
use throng_engine::dictionary::{Dictionary, as_text, is_textual, try_each};
use throng_engine::error::{EngineError, Result};
use throng_engine::input::source::Source;
use throng_engine::job::Role;
use throng_engine::profile::mentions_somebody;
use throng_engine::progress::{Progress, refuse_cancelled};

/// Columns of more values are not counted: they would fill the memory, and nobody could look at them.
const MOST_VALUES: usize = 100_000;
/// Values that are so few can be listed, the most frequent first.
const FEW: usize = 50;

/// What was counted of a column.
pub(super) struct KeptCounts {
    pub(super) name: String,
    /// Nothing if there are too many values.
    values: Option<Values>,
}

struct Values {
    dictionary: Dictionary,
    before: Vec<u64>,
    after: Vec<u64>,
}

impl KeptCounts {
    /// How many values the original has, and the release; nothing if they are too many.
    pub(super) fn distinct(&self) -> Option<(u64, u64)> {
        let present = |rows: &[u64]| rows.iter().filter(|&&rows| rows > 0).count() as u64;
        self.values.as_ref().map(|values| (present(&values.before), present(&values.after)))
    }

    /// Released cells that mention people; nothing if there are too many values.
    pub(super) fn mentions(&self) -> Option<u64> {
        let Values { dictionary, after, .. } = self.values.as_ref()?;
        let mentioning = dictionary.values().zip(after).filter(|(value, _)| mentions_somebody(value));
        Some(mentioning.map(|(_, rows)| rows).sum())
    }

    /// Whether all values can be listed.
    pub(super) fn is_few(&self) -> bool {
        self.distinct().is_some_and(|(_, after)| after as usize <= FEW)
    }

    /// Each value that the release has, with its share of the rows before and after; the most frequent first.
    pub(super) fn shares(&self) -> Vec<(&str, f64, f64)> {
        let Some(Values { dictionary, before, after }) = &self.values else { return Vec::new() };
        let sum = |rows: &[u64]| rows.iter().sum::<u64>().max(1) as f64;
        let (all_before, all_after) = (sum(before), sum(after));
        let mut shares: Vec<(&str, f64, f64)> = (dictionary.values().zip(before).zip(after))
            .filter(|(_, after)| **after > 0)
            .map(|((value, &b), &a)| (value, b as f64 / all_before, a as f64 / all_after))
            .collect();
        shares.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(b.0)));
        shares
    }

    /// The row of the release at which there is more of a value than the original has.
    pub(super) fn surplus(&self) -> Option<u64> {
        let Values { dictionary, before, after } = self.values.as_ref()?;
        let surplus = (0..after.len()).filter(|&code| after[code] > before[code]);
        surplus.map(|code| dictionary.first_row(code as u32)).min()
    }
}

/// Counts all released columns that are not quasi-identifiers and have no pseudonyms.
pub(super) async fn count(pair: &TablePair, progress: &dyn Progress) -> Result<Vec<KeptCounts>> {
    let kept = [Role::Sensitive, Role::Target, Role::Other];
    let names: Vec<String> = kept
        .iter()
        .flat_map(|&role| pair.prepared.roles.with_role(role))
        .map(|(_, name)| name.to_owned())
        .collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut counters: Vec<Option<(Dictionary, Vec<u64>)>> = vec![Some(Default::default()); names.len()];
    scan(&pair.original, &places(pair.original.columns(), &names), &mut counters, progress).await?;
    let before: Vec<Vec<u64>> =
        counters.iter().map(|one| one.as_ref().map(|(_, rows)| rows.clone()).unwrap_or_default()).collect();
    let mut before = before;
    for (at, name) in names.iter().enumerate() {
        let (Some(coded), Some((dictionary, rows))) = (pair.prepared.roles.coded(name), &mut counters[at])
        else {
            continue;
        };
        // What is compared with the release is what should have become of the original.
        let (replaced, codes) = coded.released(dictionary, &pair.original, name);
        let mut of_replaced = vec![0; replaced.len()];
        codes.iter().zip(&before[at]).for_each(|(&code, rows)| of_replaced[code as usize] += rows);
        before[at] = of_replaced;
        (*rows, *dictionary) = (vec![0; replaced.len()], replaced);
    }
    counters.iter_mut().flatten().for_each(|(_, rows)| rows.fill(0));
    scan(&pair.released, &places(&pair.released_names, &names), &mut counters, progress).await?;
    // Of dates that were moved at random nobody can say what should have become of them.
    for (at, name) in names.iter().enumerate() {
        if pair.prepared.roles.shifted(name).is_some() {
            counters[at] = None;
        }
    }
    let counted = names.into_iter().zip(counters).zip(before).map(|((name, counter), mut before)| {
        let values = counter.map(|(dictionary, after)| {
            before.resize(after.len(), 0);
            Values { dictionary, before, after }
        });
        KeptCounts { name, values }
    });
    Ok(counted.collect())
}

async fn scan(
    source: &Source,
    columns: &[usize],
    counters: &mut [Option<(Dictionary, Vec<u64>)>],
    progress: &dyn Progress,
) -> Result<()> {
    let mut batches = source.scan(columns).await?;
    let mut rows = 0u32;
    while let Some(batch) = batches.next().await {
        refuse_cancelled(progress)?;
        let batch = batch?;
        for (counter, array) in counters.iter_mut().zip(batch.columns()) {
            let Some((dictionary, counts)) = counter.as_mut() else { continue };
            // A column without text, a list or bytes for example, is kept but cannot be counted.
            let text = if is_textual(array.data_type()) { as_text(array) } else { None };
            let counted = text.ok_or(()).and_then(|text| {
                let mut row = rows;
                try_each(&text, |value| {
                    row = row.saturating_add(1);
                    let code = dictionary.intern(value, row).ok_or(())? as usize;
                    counts.resize(counts.len().max(code + 1), 0);
                    counts[code] += 1;
                    Ok(())
                })
            });
            if counted.is_err() || dictionary.len() > MOST_VALUES {
                *counter = None;
            }
        }
        rows = rows.saturating_add(u32::try_from(batch.num_rows()).map_err(|_| too_large())?);
    }
    Ok(())
}

fn too_large() -> EngineError {
    EngineError::Data("a batch has too many rows".into())
}
