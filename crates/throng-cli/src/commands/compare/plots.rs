//! A comparison as plots: the figures 4 to 10 of the Improved Greedy paper.

use std::fs;
use std::path::{Path, PathBuf};

use throng_engine::compare::{Comparison, Ending, Trial};
use throng_engine::error::{EngineError, Result};
use throng_engine::sink::write_text;

use crate::plot::{Plot, Series};

/// What is drawn against what.
#[derive(Clone, Copy)]
struct Figure {
    quantity: Quantity,
    sweep: Sweep,
}

#[derive(Clone, Copy)]
enum Quantity {
    Time,
    Loss(&'static str),
    Level,
    Nodes,
}

#[derive(Clone, Copy)]
enum Sweep {
    K,
    QuasiCount,
}

/// Draws every figure that the comparison has data for; files of earlier plots are replaced.
pub(super) fn write(compared: &Comparison, directory: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(directory).map_err(|cause| EngineError::Io {
        path: directory.to_owned(),
        action: "cannot make the directory",
        cause,
    })?;
    let figures = figures(compared).into_iter().filter(|figure| !figure.sweep.trials(compared).is_empty());
    figures
        .map(|figure| {
            let path = directory.join(format!("{}{}.svg", figure.quantity.file(), figure.sweep.suffix()));
            write_text(&path, &figure.plot(compared).to_svg())?;
            Ok(path)
        })
        .collect()
}

fn figures(compared: &Comparison) -> Vec<Figure> {
    let mut by_k = vec![Quantity::Time];
    // The level has a figure of its own.
    if !["iloss", "level"].contains(&compared.measure) {
        by_k.push(Quantity::Loss(compared.measure));
    }
    by_k.push(Quantity::Loss("iloss"));
    by_k.extend([Quantity::Level, Quantity::Nodes]);
    let by_count = [Quantity::Time, Quantity::Nodes];
    let figure = |sweep: Sweep| move |quantity: Quantity| Figure { quantity, sweep };
    by_k.into_iter().map(figure(Sweep::K)).chain(by_count.map(figure(Sweep::QuasiCount))).collect()
}

impl Figure {
    fn plot(self, compared: &Comparison) -> Plot {
        let trials = self.sweep.trials(compared);
        let mut series: Vec<Series> = Vec::new();
        for trial in trials {
            let point = (self.sweep.x(trial), self.quantity.of(trial).unwrap_or(f64::NAN));
            match series.iter_mut().find(|series| series.name == trial.algorithm) {
                Some(line) => line.points.push(point),
                None => series.push(Series { name: trial.algorithm.to_owned(), points: vec![point] }),
            }
        }
        let fixed = match self.sweep {
            Sweep::K => format!("{} quasi-identifiers", compared.heights.len()),
            Sweep::QuasiCount => format!("k = {}", trials.first().map_or(0, |trial| trial.k)),
        };
        Plot {
            title: format!("{} against {} ({fixed})", self.quantity.title(), self.sweep.label()),
            x_label: self.sweep.label().to_owned(),
            y_label: self.quantity.label().to_owned(),
            log_y: matches!(self.quantity, Quantity::Time | Quantity::Nodes),
            series,
        }
    }
}

impl Quantity {
    /// What a search that was stopped would have taken is not known.
    fn of(self, trial: &Trial) -> Option<f64> {
        let finished = !matches!(trial.ending, Ending::Stopped { .. });
        match self {
            Quantity::Time => finished.then_some(1000.0 * trial.seconds),
            Quantity::Nodes => finished.then_some(trial.counted_nodes() as f64),
            Quantity::Loss(measure) => trial.measure(measure),
            Quantity::Level => trial.measure("level"),
        }
    }

    fn title(self) -> String {
        match self {
            Quantity::Time => "Search time".to_owned(),
            Quantity::Loss(measure) => format!("Loss ({measure})"),
            Quantity::Level => "Level of generalisation".to_owned(),
            Quantity::Nodes => "Nodes checked".to_owned(),
        }
    }

    fn label(self) -> &'static str {
        match self {
            Quantity::Time => "milliseconds",
            Quantity::Loss(measure) => measure,
            Quantity::Level => "sum of the levels",
            Quantity::Nodes => "nodes, whole or in part",
        }
    }

    fn file(self) -> String {
        match self {
            Quantity::Time => "time".to_owned(),
            Quantity::Loss(measure) => format!("loss-{measure}"),
            Quantity::Level => "level".to_owned(),
            Quantity::Nodes => "nodes".to_owned(),
        }
    }
}

impl Sweep {
    fn trials(self, compared: &Comparison) -> &[Trial] {
        match self {
            Sweep::K => &compared.by_k,
            Sweep::QuasiCount => &compared.by_quasi_count,
        }
    }

    fn x(self, trial: &Trial) -> f64 {
        match self {
            Sweep::K => trial.k as f64,
            Sweep::QuasiCount => trial.quasi_identifiers as f64,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Sweep::K => "k",
            Sweep::QuasiCount => "number of quasi-identifiers",
        }
    }

    /// What the names of its files end in.
    fn suffix(self) -> &'static str {
        match self {
            Sweep::K => "",
            Sweep::QuasiCount => "-by-quasi-identifiers",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    fn trial(algorithm: &'static str, k: u64, ending: Ending) -> Trial {
        Trial {
            algorithm,
            k,
            quasi_identifiers: 3,
            ending,
            optimal: false,
            seconds: 0.5,
            lattice_nodes: 8,
            checked_nodes: 4,
            projected_nodes: 2,
            found: None,
        }
    }

    fn compared(by_k: Vec<Trial>) -> Comparison {
        Comparison {
            rows: 9,
            distinct_tuples: 9,
            max_suppressed_rows: 0,
            measure: "iloss",
            repeats: 1,
            heights: Map::new(),
            by_k,
            by_quasi_count: Vec::new(),
        }
    }

    #[test]
    fn a_line_for_each_algorithm_with_gaps_where_it_was_stopped() {
        let stopped = Ending::Stopped { reason: "time limit" };
        let none = Ending::Infeasible { best_k: 1 };
        let compared = compared(vec![
            trial("a", 2, none),
            trial("b", 2, stopped),
            trial("a", 5, none),
            trial("b", 5, none),
        ]);
        let plot = |quantity| Figure { quantity, sweep: Sweep::K }.plot(&compared);
        let time = plot(Quantity::Time);
        assert_eq!(time.series[0].points, [(2.0, 500.0), (5.0, 500.0)]);
        assert!(time.series[1].points[0].1.is_nan());
        assert_eq!(time.series[1].points[1], (5.0, 500.0));
        assert_eq!(plot(Quantity::Nodes).series[0].points[0].1, 6.0);
        assert!(plot(Quantity::Loss("iloss")).series.iter().all(|line| line.points[0].1.is_nan()));
    }

    #[test]
    fn only_what_was_compared_is_drawn_and_iloss_once() {
        let directory = tempfile::tempdir().unwrap();
        let compared = compared(vec![trial("a", 2, Ending::Infeasible { best_k: 1 })]);
        let paths = write(&compared, &directory.path().join("new")).unwrap();
        let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["time.svg", "loss-iloss.svg", "level.svg", "nodes.svg"]);
        assert!(paths.iter().all(|path| path.exists()));
    }
}
