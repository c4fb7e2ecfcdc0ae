//! Rows that several threads read, shown in order on a thread of its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use arrow::array::ArrayRef;
use rayon::ThreadPoolBuilder;
use throng_tables::threads;

use super::{Observers, spelled_out};
use crate::error::{EngineError, Result};
use crate::input::source::{PartRows, Parted, Source};

/// Batches that may wait until they are looked at.
const WAITING: usize = 16;
/// Bytes of parts whose turn has not come that may wait: who reads on then waits until it has.
const EARLY_BYTES: usize = 64 << 20;
/// How often who waits looks whether all are stopped.
const LOOK: Duration = Duration::from_millis(20);
/// Threads that are of use: columns are looked at side by side.
const MOST_THREADS: usize = 4;
/// Places of a table that a sample is taken from, as [`Source::scan_spread`] does.
const PLACES: usize = 32;

/// Which columns of some rows are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Those that are looked at in every row.
    Rest,
    /// Those that are looked at in the rows of a sample.
    Sample,
    /// Both.
    All,
}

/// What is told of a part.
enum Note {
    Rows(usize, Shown, Vec<ArrayRef>),
    End(usize),
}

/// Whose turn it is, and how much waits for its own.
///
/// The part whose turn it is never waits, and parts are begun in order: so somebody always goes on, until all are
/// stopped.
struct Turns {
    state: Mutex<Turn>,
    moved: Condvar,
    stopped: Arc<AtomicBool>,
}

#[derive(Default)]
struct Turn {
    part: usize,
    early_bytes: usize,
    /// Nobody looks any more.
    is_over: bool,
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until some rows of a part may be held, which are noted.
    fn hold(&self, part: usize, bytes: usize) {
        let mut turn = self.lock();
        while part > turn.part && turn.early_bytes > EARLY_BYTES && !turn.is_over {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            (turn, _) = self.moved.wait_timeout(turn, LOOK).unwrap_or_else(PoisonError::into_inner);
        }
        turn.early_bytes += bytes;
    }

    /// Says that some rows are held no more.
    fn release(&self, bytes: usize) {
        self.lock().early_bytes -= bytes;
        self.moved.notify_all();
    }

    fn next(&self, part: usize) {
        self.lock().part = part;
        self.moved.notify_all();
    }
}

/// Tells those who read that nobody looks any more.
struct EndOnDrop(Arc<Turns>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.moved.notify_all();
    }
}

fn bytes_of(cells: &[ArrayRef]) -> usize {
    cells.iter().map(|cells| cells.get_array_memory_size()).sum()
}

/// Takes rows from threads, and shows them in order.
pub(crate) struct Delivery {
    source: Source,
    counted: Vec<usize>,
    /// The columns that are shown, by what is.
    columns: [Vec<usize>; 3],
    /// Rows of each part that the sample has; nothing if it has no rows of it.
    samples: Vec<Option<u64>>,
    /// The parts with the columns that are looked at in every row, with all columns, and with those of the sample alone.
    parts: [Parted; 3],
    sender: SyncSender<Note>,
    turns: Arc<Turns>,
    thread: JoinHandle<()>,
}

impl Delivery {
    /// Starts to show the rows of parts of which `counted` is counted.
    ///
    /// # Errors
    /// If the table cannot be read, or the system gives no thread.
    pub(crate) fn start(
        source: &Source,
        counted: &[usize],
        parts: &Parted,
        observers: Observers,
        stopped: &Arc<AtomicBool>,
    ) -> Result<Delivery> {
        let samples = samples(source, parts, observers.sampled_rows());
        let columns = [Shown::Rest, Shown::All, Shown::Sample].map(|shown| observers.columns(shown));
        let open = |read: Vec<usize>, coded: &[usize]| parts.with_columns(source, &read, coded);
        let parts = [
            open(observers.beside(counted, Shown::Rest), counted)?,
            open(observers.beside(counted, Shown::All), counted)?,
            open(columns[2].clone(), &[])?,
        ];
        let (sender, receiver) = sync_channel(WAITING);
        let failed = |cause: String| {
            EngineError::Data(format!("cannot start a thread to examine rows: {cause}").into())
        };
        let looking = rayon::current_num_threads().min(MOST_THREADS);
        // Not the threads that read: these may wait for what is looked at.
        let pool =
            ThreadPoolBuilder::new().num_threads(looking).thread_name(|_| "observer".to_owned()).build();
        let pool = pool.map_err(|cause| failed(cause.to_string()))?;
        let turns = Turns { state: Mutex::default(), moved: Condvar::new(), stopped: Arc::clone(stopped) };
        let turns = Arc::new(turns);
        let looked = EndOnDrop(Arc::clone(&turns));
        let work = move || pool.install(|| show_in_order(receiver, observers, &looked.0));
        let thread = threads::start("observer", work)?;
        Ok(Delivery {
            source: source.clone(),
            counted: counted.to_vec(),
            columns,
            samples,
            parts,
            sender,
            turns,
            thread,
        })
    }

    /// The rows of a part to count, as they are taken; what is looked at beside them is shown.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub(crate) fn rows(&self, part: usize) -> Result<PartRows> {
        let is_text = self.source.format().is_text();
        match self.samples[part] {
            None => self.rows_of(part, Shown::Rest, 0),
            // What is decoded of text beside the sample costs less than to read it twice.
            Some(most) if most == u64::MAX || is_text => self.rows_of(part, Shown::All, most),
            Some(most) => {
                self.show_sample(part, most)?;
                self.rows_of(part, Shown::Rest, 0)
            }
        }
    }

    fn rows_of(&self, part: usize, shown: Shown, most: u64) -> Result<PartRows> {
        let (counted, schema) = (self.counted.len(), self.source.schema());
        let [rest, all, _] = self.columns.clone();
        let (sender, turns) = (self.sender.clone(), Arc::clone(&self.turns));
        let mut taken = 0;
        let rows = self.parts[usize::from(shown == Shown::All)].rows(part)?;
        Ok(Box::new(rows.inspect(move |batch| {
            let Ok(batch) = batch else { return };
            let (shown, columns) = match shown == Shown::All && taken < most {
                true => (Shown::All, &all),
                false => (Shown::Rest, &rest),
            };
            taken += batch.num_rows() as u64;
            if !columns.is_empty() {
                let cells = spelled_out(&schema, columns, &batch.columns()[counted..counted + columns.len()]);
                turns.hold(part, bytes_of(&cells));
                // Who looks is gone only if the run failed, which is said where it did.
                let _ = sender.send(Note::Rows(part, shown, cells));
            }
        })))
    }

    /// Shows the first rows of a part, of columns that are stored by themselves.
    fn show_sample(&self, part: usize, most: u64) -> Result<()> {
        let mut taken = 0;
        for batch in self.parts[2].rows(part)? {
            if taken >= most {
                break;
            }
            let batch = batch?;
            taken += batch.num_rows() as u64;
            self.turns.hold(part, bytes_of(batch.columns()));
            let _ = self.sender.send(Note::Rows(part, Shown::Sample, batch.columns().to_vec()));
        }
        Ok(())
    }

    /// Says that all rows of a part were taken.
    pub(crate) fn end(&self, part: usize) {
        let _ = self.sender.send(Note::End(part));
    }

    /// Waits until all was looked at.
    ///
    /// # Errors
    /// If somebody who looks has died.
    pub(crate) fn finish(self) -> Result<()> {
        drop(self.sender);
        let died = |_| EngineError::Data("examining rows stopped unexpectedly".into());
        self.thread.join().map_err(died)
    }
}

/// The rows of each part that a sample has.
fn samples(source: &Source, parts: &Parted, rows: Option<u64>) -> Vec<Option<u64>> {
    let count = parts.starts().len();
    let Some(rows) = rows else { return vec![None; count] };
    if source.expected_rows().is_some_and(|expected| expected <= rows) {
        return vec![Some(u64::MAX); count];
    }
    let mut samples = vec![None; count];
    let places = count.min(PLACES);
    for place in 0..places {
        samples[place * count / places] = Some(rows.div_ceil(places as u64));
    }
    samples
}

/// What was told of a part before its turn.
#[derive(Default)]
struct Early {
    rows: Vec<(Shown, Vec<ArrayRef>)>,
    is_over: bool,
}

fn show_in_order(notes: Receiver<Note>, mut observers: Observers, turns: &Turns) {
    let mut next = 0;
    let mut early: BTreeMap<usize, Early> = BTreeMap::new();
    let mut show = |shown, cells: Vec<ArrayRef>| {
        observers.show(shown, &cells);
        turns.release(bytes_of(&cells));
    };
    for note in notes {
        match note {
            Note::Rows(part, shown, cells) if part == next => show(shown, cells),
            Note::Rows(part, shown, cells) => early.entry(part).or_default().rows.push((shown, cells)),
            Note::End(part) => early.entry(part).or_default().is_over = true,
        }
        while let Some(part) = early.get_mut(&next) {
            part.rows.drain(..).for_each(|(shown, cells)| show(shown, cells));
            if !part.is_over {
                break;
            }
            early.remove(&next);
            next += 1;
            turns.next(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_is_early_waits_and_who_has_the_turn_does_not() {
        let stopped = Arc::default();
        let turns = Turns { state: Mutex::default(), moved: Condvar::new(), stopped: Arc::clone(&stopped) };
        turns.hold(0, EARLY_BYTES);
        turns.hold(1, 1);
        turns.hold(0, 1);
        thread::scope(|scope| {
            let early = scope.spawn(|| {
                turns.hold(1, 1);
                turns.lock().part
            });
            thread::sleep(LOOK);
            turns.next(1);
            assert_eq!(early.join().unwrap(), 1);
        });
        turns.release(EARLY_BYTES);
        turns.hold(2, EARLY_BYTES);
        stopped.store(true, Ordering::Relaxed);
        turns.hold(3, 1);
    }
}
