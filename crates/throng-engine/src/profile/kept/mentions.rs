//! Cells of kept columns that mention somebody.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::ArrayRef;
use arrow::datatypes::FieldRef;
use rayon::prelude::*;

use super::open;
use crate::dictionary::{as_text, try_each};
use crate::encode::Observer;
use crate::input::source::Source;
use crate::nodes::{JoinParts, PartLook, ToldNumbers};
use crate::profile::free_text::mentions_somebody;

/// Cells of columns that mention somebody; every row is looked at.
pub(crate) struct Mentions {
    columns: Vec<usize>,
    fields: Vec<FieldRef>,
    counts: Arc<Mutex<Vec<u64>>>,
}

impl Mentions {
    pub(crate) fn new(source: &Source, columns: Vec<usize>) -> Mentions {
        let fields = columns.iter().map(|&at| Arc::clone(&source.schema().fields()[at])).collect();
        let counts = Arc::new(Mutex::new(vec![0; columns.len()]));
        Mentions { columns, fields, counts }
    }

    /// Those of a part of a table, which will be [told](Self::tell).
    pub(crate) fn of_part(fields: Vec<FieldRef>, columns: &[usize]) -> Mentions {
        let counts = Arc::new(Mutex::new(vec![0; columns.len()]));
        Mentions { columns: columns.to_vec(), fields, counts }
    }

    /// Tells what was counted of a part.
    pub(crate) fn tell(&self, numbers: &mut Vec<u64>) {
        numbers.extend_from_slice(&self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Who counts them.
    pub(crate) fn observer(&self) -> Observer {
        let (fields, counts) = (self.fields.clone(), Arc::clone(&self.counts));
        let count = |(field, cells): (&FieldRef, &ArrayRef)| -> u64 {
            open::open(field, cells).iter().map(|cells| count_in(&cells.cells)).sum()
        };
        let looked = Observer::of_all_rows(self.columns.clone(), move |columns| {
            let found: Vec<u64> = fields.par_iter().zip(columns).map(count).collect();
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
        });
        looked.or_by_parts(PartLook::Mentions, JoinedMentions(Arc::clone(&self.counts)))
    }

    /// The columns, and how many cells of each mention somebody.
    pub(crate) fn counted(&self) -> Vec<(usize, u64)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        self.columns.iter().copied().zip(counts.iter().copied()).collect()
    }
}

/// Mentions in parts that were counted by others.
struct JoinedMentions(Arc<Mutex<Vec<u64>>>);

impl JoinParts for JoinedMentions {
    fn join(&mut self, _: u32, told: &mut ToldNumbers<'_>) -> Option<()> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter_mut().try_for_each(|count| told.next().map(|found| *count += found))
    }

    fn finish(self: Box<Self>) {}
}

fn count_in(cells: &ArrayRef) -> u64 {
    let Some(text) = as_text(cells) else { return 0 };
    let mut count = 0;
    let each = try_each(&text, |cell| {
        count += u64::from(std::str::from_utf8(cell).is_ok_and(mentions_somebody));
        Ok::<(), std::convert::Infallible>(())
    });
    let Ok(()) = each;
    count
}
