//! Looks at columns while rows are counted, so that nobody has to read the table once more for that.
//!
//! An observer is shown the rows in the order of the table, however many threads read it: what it finds depends on the
//! table alone.

mod delivery;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::cast;
use arrow::datatypes::{DataType, SchemaRef};
use futures::future::try_join;
use futures::{StreamExt, TryStreamExt};

use crate::backend::again_if_lost;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::nodes::{
    JoinParts, LookingNodes, PartFindings, PartLook, PartLooks, TableLook, ToldNumbers, look_by_a_node,
    not_understood, or_cancelled,
};
use crate::progress::{Progress, refuse_cancelled};
pub(super) use delivery::{Delivery, Shown};

/// What an observer does with the next rows of its columns.
type Look = Box<dyn FnMut(&[ArrayRef]) + Send>;

/// Somebody who looks at columns of a table.
pub(crate) struct Observer {
    columns: Vec<usize>,
    /// Rows after which it has seen enough; they are from all over a table that has more.
    most_rows: u64,
    rows: u64,
    look: Look,
    by_nodes: Option<ByNodes>,
}

/// How nodes take the same look.
enum ByNodes {
    /// Each part by itself.
    Parts(PartLook, Box<dyn JoinParts>),
    /// One of them, which tells what it found.
    One(TableLook, Box<dyn FnOnce(Told) -> Option<()> + Send>),
}

/// What a node told of a table.
type Told = serde_json::Value;

impl Observer {
    /// Looks at all rows.
    pub(crate) fn of_all_rows(
        columns: Vec<usize>,
        look: impl FnMut(&[ArrayRef]) + Send + 'static,
    ) -> Observer {
        Observer { columns, most_rows: u64::MAX, rows: 0, look: Box::new(look), by_nodes: None }
    }

    /// Looks at so many rows at most.
    pub(crate) fn of_sample(
        columns: Vec<usize>,
        most_rows: u64,
        look: impl FnMut(&[ArrayRef]) + Send + 'static,
    ) -> Observer {
        Observer { columns, most_rows, rows: 0, look: Box::new(look), by_nodes: None }
    }

    /// The same, which nodes can do part by part.
    pub(crate) fn or_by_parts(self, look: PartLook, join: impl JoinParts + 'static) -> Observer {
        Observer { by_nodes: Some(ByNodes::Parts(look, Box::new(join))), ..self }
    }

    /// The same, which one node can do for all.
    pub(crate) fn or_by_a_node(
        self,
        look: TableLook,
        take: impl FnOnce(Told) -> Option<()> + Send + 'static,
    ) -> Observer {
        Observer { by_nodes: Some(ByNodes::One(look, Box::new(take))), ..self }
    }

    fn is_of_sample(&self) -> bool {
        self.most_rows < u64::MAX
    }

    /// Looks at the next rows of its columns.
    pub(crate) fn add(&mut self, columns: &[ArrayRef]) {
        if self.rows < self.most_rows {
            (self.look)(columns);
            self.rows += columns.first().map_or(0, |cells| cells.len() as u64);
        }
    }

    /// Reads the columns, and nothing else, to look at them.
    ///
    /// # Errors
    /// If the table cannot be opened, or the run was cancelled. A row that cannot be read ends the look at a sample: whoever
    /// reads it next says what is wrong with it.
    pub(crate) async fn read(&mut self, source: &Source, progress: &dyn Progress) -> Result<()> {
        if self.columns.is_empty() {
            return Ok(());
        }
        let mut batches = match self.is_of_sample() {
            true => source.scan_spread(&self.columns, self.most_rows).await?,
            false => source.scan(&self.columns).await?,
        };
        while self.rows < self.most_rows
            && let Some(batch) = batches.next().await
        {
            refuse_cancelled(progress)?;
            match batch {
                Ok(batch) => self.add(batch.columns()),
                Err(error) if self.is_of_sample() && !matches!(error, EngineError::Interrupted) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Those who look at the same table.
pub(super) struct Observers {
    observers: Vec<Observer>,
}

impl Observers {
    /// Those who want to see something.
    pub(super) fn new(observers: Vec<Observer>) -> Observers {
        let observers = observers.into_iter().filter(|observer| !observer.columns.is_empty()).collect();
        Observers { observers }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.observers.is_empty()
    }

    /// Those of a sample that is less than all of so many rows, and the others.
    pub(super) fn split_off_samples(self, rows: u64) -> (Observers, Observers) {
        let is_less = |observer: &Observer| observer.most_rows < rows;
        let (samples, observers) = self.observers.into_iter().partition(is_less);
        (Observers { observers: samples }, Observers { observers })
    }

    /// Has everybody read what they look at apart from the count: all rows once for all who look at them, and a sample by
    /// itself.
    ///
    /// # Errors
    /// As of [`Observer::read`].
    pub(super) async fn read(self, source: &Source, progress: &dyn Progress) -> Result<()> {
        let (samples, mut rest) = self.split_off_samples(u64::MAX);
        for mut observer in samples.observers {
            observer.read(source, progress).await?;
        }
        if rest.is_empty() {
            return Ok(());
        }
        let mut batches = source.scan(&rest.columns(Shown::Rest)).await?;
        while let Some(batch) = batches.next().await {
            refuse_cancelled(progress)?;
            rest.show(Shown::Rest, batch?.columns());
        }
        Ok(())
    }

    /// The rows of the sample that is looked at, if one is.
    fn sampled_rows(&self) -> Option<u64> {
        self.observers.iter().map(|observer| observer.most_rows).filter(|&rows| rows < u64::MAX).max()
    }

    /// The columns that are looked at: in every row, or in those of the sample, or both, in this order.
    fn columns(&self, shown: Shown) -> Vec<usize> {
        let in_all = self.observers.iter().filter(|observer| !observer.is_of_sample());
        let in_sample = self.observers.iter().filter(|observer| observer.is_of_sample());
        let chosen: Vec<&Observer> = match shown {
            Shown::Rest => in_all.collect(),
            Shown::Sample => in_sample.collect(),
            Shown::All => in_all.chain(in_sample).collect(),
        };
        chosen.into_iter().flat_map(|observer| observer.columns.iter().copied()).collect()
    }

    /// Columns that are counted, and behind them those that are looked at.
    pub(super) fn beside(&self, counted: &[usize], shown: Shown) -> Vec<usize> {
        counted.iter().copied().chain(self.columns(shown)).collect()
    }

    /// Shows the next rows of the columns that [`columns`](Observers::columns) names.
    pub(super) fn show(&mut self, shown: Shown, cells: &[ArrayRef]) {
        let mut taken = Range { start: 0, end: 0 };
        for in_sample in [false, true] {
            if matches!((shown, in_sample), (Shown::Rest, true) | (Shown::Sample, false)) {
                continue;
            }
            for observer in self.observers.iter_mut().filter(|one| one.is_of_sample() == in_sample) {
                taken = taken.end..taken.end + observer.columns.len();
                observer.add(&cells[taken.clone()]);
            }
        }
    }
}

/// Shows a table to those who look at it, and counts nothing.
///
/// # Errors
/// As of [`Observer::read`].
pub(crate) async fn observe(
    source: &Source,
    observers: Vec<Observer>,
    progress: &dyn Progress,
) -> Result<()> {
    Observers::new(observers).read(source, progress).await
}

/// Has nodes look at a table of theirs.
///
/// # Errors
/// If they cannot read it, or the run was cancelled.
pub(crate) async fn observe_by_nodes(
    nodes: &dyn LookingNodes,
    observers: Vec<Observer>,
    progress: &dyn Progress,
) -> Result<()> {
    let (mut looks, mut joins, mut by_one) = (PartLooks::new(), Vec::new(), Vec::new());
    for Observer { columns, by_nodes, .. } in Observers::new(observers).observers {
        match by_nodes.expect("whoever looks at a table of nodes says how they do") {
            ByNodes::Parts(look, join) => {
                looks.push((look, columns));
                joins.push(join);
            }
            ByNodes::One(look, take) => by_one.push((look, take)),
        }
    }
    let by_one = async {
        for (look, take) in by_one {
            take(look_by_a_node(nodes, &look, progress).await?).ok_or_else(not_understood)?;
        }
        Ok(())
    };
    let by_parts = async {
        let mut joined = BTreeSet::new();
        let look = again_if_lost(async || join_parts(nodes, &looks, &mut joins, &mut joined).await);
        or_cancelled(look, progress).await
    };
    try_join(by_one, by_parts).await?;
    joins.into_iter().for_each(JoinParts::finish);
    Ok(())
}

/// Joins what nodes tell of all parts but those that were `joined` before.
async fn join_parts(
    nodes: &dyn LookingNodes,
    looks: &PartLooks,
    joins: &mut [Box<dyn JoinParts>],
    joined: &mut BTreeSet<u32>,
) -> Result<()> {
    if looks.is_empty() {
        return Ok(());
    }
    let mut parts = nodes.look_at_parts(looks)?;
    while let Some(PartFindings { part, numbers }) = parts.try_next().await? {
        if joined.insert(part) {
            let mut told = ToldNumbers::new(&numbers);
            let all = joins.iter_mut().try_for_each(|join| join.join(part, &mut told));
            all.filter(|()| told.next().is_none()).ok_or_else(not_understood)?;
        }
    }
    Ok(())
}

/// Cells as the schema has them, where text may have come as places in lists of values because it is counted, too.
pub(super) fn spelled_out(schema: &SchemaRef, columns: &[usize], cells: &[ArrayRef]) -> Vec<ArrayRef> {
    let spelled = |(&column, cells): (&usize, &ArrayRef)| {
        let wanted = schema.field(column).data_type();
        match cells.data_type() {
            DataType::Dictionary(..) if cells.data_type() != wanted => {
                cast(cells, wanted).unwrap_or_else(|_| Arc::clone(cells))
            }
            _ => Arc::clone(cells),
        }
    };
    columns.iter().zip(cells).map(spelled).collect()
}

#[cfg(test)]
mod tests;
