//! Progress bars for runs that take a while.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use throng_engine::progress::Progress;

use crate::interrupt;
use crate::log::Log;

/// How long a run lasts before it draws anything.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

const SPINNER: &str = "{spinner} {prefix} {msg} {elapsed}";
const BAR: &str = "{spinner} {prefix} [{bar:30}] {percent}% {msg} {elapsed}";

/// Shows a run's progress on standard error, and stops it at an interruption.
pub(crate) struct ProgressBars {
    /// Nothing when nobody watches.
    drawing: Option<Mutex<Drawing>>,
    log: Option<Arc<Log>>,
}

/// One line, which changes with the phase.
struct Drawing {
    started: Instant,
    phase: &'static str,
    /// Rows of the input, as far as they are known.
    rows: u64,
    bar: Option<ProgressBar>,
}

impl ProgressBars {
    /// Progress that is drawn only if `visible`; either way an interruption stops the run.
    pub(crate) fn new(visible: bool, log: Option<Arc<Log>>) -> ProgressBars {
        interrupt::catch();
        let drawing = Drawing { started: Instant::now(), phase: "", rows: 0, bar: None };
        ProgressBars { drawing: visible.then(|| Mutex::new(drawing)), log }
    }

    fn count(&self, number: u64, of: &str) {
        if let Some(log) = &self.log {
            log.count(number, of);
        }
    }

    fn draw(&self, change: impl FnOnce(&mut Drawing)) {
        if let Some(drawing) = &self.drawing {
            change(&mut drawing.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for ProgressBars {
    fn drop(&mut self) {
        if let Some(log) = &self.log {
            log.end();
        }
        self.draw(Drawing::clear);
    }
}

impl Drawing {
    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn start(&mut self, phase: &'static str) {
        self.clear();
        self.phase = phase;
        self.bar();
    }

    /// The bar of the phase, once the run has lasted long enough to want one.
    fn bar(&mut self) -> Option<&ProgressBar> {
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            self.bar = Some(spinner(self.phase));
        }
        self.bar.as_ref()
    }

    fn count(&mut self, message: impl FnOnce() -> String) {
        if let Some(bar) = self.bar() {
            bar.set_message(message());
        }
    }

    fn measure(&mut self, done: u64, total: u64) {
        if let Some(bar) = self.bar()
            && total > 0
        {
            if bar.length().is_none() {
                bar.set_style(style(BAR));
            }
            bar.set_length(total);
            bar.set_position(done.min(total));
        }
    }
}

impl Progress for ProgressBars {
    fn phase(&self, name: &'static str) {
        if let Some(log) = &self.log {
            log.phase(name);
        }
        self.draw(|drawing| drawing.start(name));
    }

    fn rows_read(&self, rows: u64) {
        self.count(rows, "rows read");
        self.draw(|drawing| {
            drawing.rows = rows;
            drawing.count(|| format!("{} rows", HumanCount(rows)));
        });
    }

    fn bytes_read(&self, bytes: u64, total: u64) {
        self.draw(|drawing| drawing.measure(bytes, total));
    }

    /// How many nodes a search will check is not known, so this is a count and no bar.
    fn nodes_checked(&self, checked: u64, total: u64) {
        self.count(checked, "nodes checked");
        self.draw(|drawing| drawing.count(|| checked_nodes(checked, total)));
    }

    fn search_advanced(&self, done: u64, total: u64) {
        self.draw(|drawing| drawing.measure(done, total));
    }

    fn rows_written(&self, rows: u64) {
        self.count(rows, "rows written");
        self.draw(|drawing| {
            drawing.measure(rows, drawing.rows);
            drawing.count(|| format!("{} rows", HumanCount(rows)));
        });
    }

    fn cancelled(&self) -> bool {
        interrupt::is_set()
    }
}

fn checked_nodes(checked: u64, total: u64) -> String {
    match total {
        u64::MAX => format!("{} nodes checked", HumanCount(checked)),
        _ => format!("{} nodes checked, lattice of {}", HumanCount(checked), HumanCount(total)),
    }
}

fn spinner(phase: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(style(SPINNER));
    bar.set_prefix(phase);
    bar.enable_steady_tick(TICK);
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are ours")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(age: Duration) -> Drawing {
        let started = Instant::now().checked_sub(age).expect("the machine runs for longer");
        Drawing { started, phase: "read", rows: 0, bar: None }
    }

    #[test]
    fn short_runs_draw_nothing() {
        let mut drawing = drawing(Duration::ZERO);
        drawing.start("read");
        drawing.measure(1, 2);
        assert!(drawing.bar.is_none());
    }

    #[test]
    fn long_runs_draw_how_far_they_are() {
        let mut drawing = drawing(PATIENCE);
        drawing.start("read");
        drawing.measure(5, 20);
        let bar = drawing.bar.as_ref().expect("a bar");
        assert_eq!((bar.position(), bar.length()), (5, Some(20)));
        assert_eq!(bar.prefix(), "read");
        drawing.start("search");
        let bar = drawing.bar.as_ref().expect("a bar");
        assert_eq!((bar.prefix().as_str(), bar.length()), ("search", None));
    }

    #[test]
    fn huge_lattices_have_no_number() {
        assert_eq!(checked_nodes(1_200, 12_960), "1,200 nodes checked, lattice of 12,960");
        assert_eq!(checked_nodes(7, u64::MAX), "7 nodes checked");
    }
}
