//! A comparison as plots: figures 4 to 10 of the Improved Greedy paper, 2 and 3 of
//! *k-Anonymization Revisited*, 4 and 5 of the SpatialDistance paper.

use std::path::{Path, PathBuf};

use indicatif::HumanCount;

use throng::algorithm::Family;
use throng_engine::compare::{Comparison, Ending, LeastLoss, Trial};
use throng_engine::error::Result;
use throng_engine::output::sink::{Made, make_directory_of, write_text_of};

use throng_report::plot::{Plot, Series};

/// From this ratio of the largest k to the smallest on, k is drawn on a logarithmic scale.
const WIDE: f64 = 10.0;

/// What is drawn against what.
#[derive(Clone, Copy)]
struct Figure<'c> {
    quantity: Quantity<'c>,
    sweep: PlotSweep,
    /// The measure that the searches minimised.
    minimised: &'c str,
    /// Whether only the best variant of each algorithm is drawn.
    only_best: bool,
}

#[derive(Clone, Copy)]
enum Quantity<'c> {
    Time,
    Loss(&'c str),
    /// 1 − NCP, as the SpatialDistance paper defines it.
    Utility,
    Level,
    Nodes,
}

#[derive(Clone, Copy)]
enum PlotSweep {
    K,
    QuasiCount,
}

/// Draws every figure that the comparison of a table has data for; files of earlier plots are replaced.
pub(super) fn write(compared: &Comparison, table: &Path, directory: &Path) -> Result<Vec<PathBuf>> {
    make_directory_of(table, directory)?;
    let figures = compared.measures.iter().flat_map(|measure| figures(compared, measure));
    figures
        .filter(|figure| !figure.trials(compared).is_empty())
        .map(|figure| {
            let path = directory.join(figure.file(compared));
            write_text_of(table, &path, Made::Plot, &figure.plot(compared).to_svg())?;
            Ok(path)
        })
        .collect()
}

fn figures<'c>(compared: &Comparison, minimised: &'c str) -> Vec<Figure<'c>> {
    let mut by_k = vec![Quantity::Time];
    // The level has a figure of its own.
    if !["iloss", "level"].contains(&minimised) {
        by_k.push(Quantity::Loss(minimised));
    }
    if minimised == "ncp" {
        by_k.push(Quantity::Utility);
    }
    let mut by_count = vec![Quantity::Time];
    if uses_lattice(compared) {
        by_k.extend([Quantity::Loss("iloss"), Quantity::Level, Quantity::Nodes]);
        by_count.push(Quantity::Nodes);
    } else if minimised == "iloss" {
        by_k.push(Quantity::Loss("iloss"));
    }
    let figure = |quantity, sweep, only_best| Figure { quantity, sweep, minimised, only_best };
    let mut figures: Vec<Figure<'c>> =
        by_k.into_iter().map(|drawn| figure(drawn, PlotSweep::K, false)).collect();
    if compared.best.iter().any(|best| best.measure == minimised && best.of.len() > 1) {
        figures.push(figure(Quantity::Loss(minimised), PlotSweep::K, true));
    }
    figures.extend(by_count.into_iter().map(|drawn| figure(drawn, PlotSweep::QuasiCount, false)));
    figures
}

/// Whether levels and nodes are anything to draw.
fn uses_lattice(compared: &Comparison) -> bool {
    let mut trials = compared.by_k.iter().chain(&compared.by_quasi_count);
    trials.any(|trial| trial.family == Family::FullDomain.name())
}

impl Figure<'_> {
    fn trials(self, compared: &Comparison) -> Vec<&Trial> {
        let trials = match self.sweep {
            PlotSweep::K => &compared.by_k,
            PlotSweep::QuasiCount => &compared.by_quasi_count,
        };
        trials.iter().filter(|trial| trial.measure == self.minimised).collect()
    }

    /// The lines to draw: the name of each, and the contender that it shows.
    fn lines(self, compared: &Comparison) -> Vec<(String, String)> {
        if self.only_best {
            let best = compared.best.iter().filter(|best| best.measure == self.minimised);
            let line = |best: &LeastLoss| {
                (self.line_name(compared, &best.name, &best.contender), best.contender.clone())
            };
            return best.map(line).collect();
        }
        let mut lines: Vec<(String, String)> = Vec::new();
        for trial in self.trials(compared) {
            let contender = &trial.contender;
            if lines.iter().all(|(_, known)| known != contender) {
                lines.push((self.line_name(compared, contender, contender), contender.clone()));
            }
        }
        lines
    }

    /// The name of a contender's line, which says so if blocks came from the job.
    fn line_name(self, compared: &Comparison, name: &str, contender: &str) -> String {
        let mut trials = self.trials(compared).into_iter().filter(|trial| trial.contender == contender);
        let unnamed =
            !name.contains("block_rows") && trials.any(|trial| trial.settings.contains_key("blocks"));
        if unnamed { format!("{name}, in blocks") } else { name.to_owned() }
    }

    /// Whether the name of the quantity is that of the measure that was minimised.
    fn names_minimised(self) -> bool {
        match self.quantity {
            Quantity::Loss(measure) => measure == self.minimised,
            Quantity::Utility => self.minimised == "ncp",
            _ => false,
        }
    }

    fn plot(self, compared: &Comparison) -> Plot {
        let trials = self.trials(compared);
        let point = |trial: &Trial| (self.sweep.x(trial), self.quantity.value_in(trial).unwrap_or(f64::NAN));
        let line = |(name, contender): (String, String)| {
            let shown = trials.iter().filter(|trial| trial.contender == contender);
            Series { name, points: shown.map(|trial| point(trial)).collect(), ..Series::default() }
        };
        let fixed = match self.sweep {
            PlotSweep::K => format!("{} quasi-identifiers", compared.heights.len()),
            PlotSweep::QuasiCount => format!("k = {}", trials.first().map_or(0, |trial| trial.k)),
        };
        let mut fixed = format!("{} rows, {fixed}", HumanCount(compared.rows));
        if compared.measures.len() > 1 && !self.names_minimised() {
            fixed.push_str(&format!(", minimising {}", self.minimised));
        }
        let against = if self.only_best { "of the best variants, against" } else { "against" };
        let xs = || trials.iter().map(|trial| self.sweep.x(trial));
        let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
        Plot {
            title: format!("{} {against} {} ({fixed})", self.quantity.title(), self.sweep.label()),
            x_label: self.sweep.label().to_owned(),
            y_label: self.quantity.label().to_owned(),
            log_x: matches!(self.sweep, PlotSweep::K) && high >= WIDE * low,
            log_y: matches!(self.quantity, Quantity::Time | Quantity::Nodes),
            series: self.lines(compared).into_iter().map(line).collect(),
        }
    }

    /// With several measures, the one that was minimised is in every name.
    fn file(self, compared: &Comparison) -> String {
        let mut name = match self.quantity {
            Quantity::Loss(measure) if self.only_best => format!("best-{measure}"),
            quantity => quantity.file(),
        };
        if compared.measures.len() > 1 && !self.names_minimised() {
            name.push_str(&format!("-minimising-{}", self.minimised));
        }
        format!("{name}{}.svg", self.sweep.suffix())
    }
}

impl<'c> Quantity<'c> {
    /// What a search that was stopped would have taken is not known.
    fn value_in(self, trial: &Trial) -> Option<f64> {
        let finished = !matches!(trial.ending, Ending::Stopped { .. });
        match self {
            Quantity::Time => finished.then_some(1000.0 * trial.seconds),
            Quantity::Nodes => finished.then_some(trial.counted_nodes() as f64),
            Quantity::Loss(measure) => trial.measured(measure),
            Quantity::Utility => trial.measured("ncp").map(|loss| 1.0 - loss),
            Quantity::Level => trial.measured("level"),
        }
    }

    fn title(self) -> String {
        match self {
            Quantity::Time => "Search time".to_owned(),
            Quantity::Loss(measure) => format!("Loss ({measure})"),
            Quantity::Utility => "Utility (1 − ncp)".to_owned(),
            Quantity::Level => "Level of generalisation".to_owned(),
            Quantity::Nodes => "Nodes checked".to_owned(),
        }
    }

    fn label(self) -> &'c str {
        match self {
            Quantity::Time => "milliseconds",
            Quantity::Loss(measure) => measure,
            Quantity::Utility => "1 − ncp",
            Quantity::Level => "sum of the levels",
            Quantity::Nodes => "nodes, whole or in part",
        }
    }

    fn file(self) -> String {
        match self {
            Quantity::Time => "time".to_owned(),
            Quantity::Loss(measure) => format!("loss-{measure}"),
            Quantity::Utility => "utility-ncp".to_owned(),
            Quantity::Level => "level".to_owned(),
            Quantity::Nodes => "nodes".to_owned(),
        }
    }
}

impl PlotSweep {
    fn x(self, trial: &Trial) -> f64 {
        match self {
            PlotSweep::K => trial.k as f64,
            PlotSweep::QuasiCount => trial.quasi_identifiers as f64,
        }
    }

    fn label(self) -> &'static str {
        match self {
            PlotSweep::K => "k",
            PlotSweep::QuasiCount => "number of quasi-identifiers",
        }
    }

    /// What the names of its files end in.
    fn suffix(self) -> &'static str {
        match self {
            PlotSweep::K => "",
            PlotSweep::QuasiCount => "-by-quasi-identifiers",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use throng_engine::compare::{JudgedRecoding, StopReason};

    use super::*;

    fn trial(contender: &str, k: u64, ending: Ending) -> Trial {
        Trial {
            contender: contender.to_owned(),
            algorithm: "flash".to_owned(),
            family: "full-domain".to_owned(),
            settings: Map::new(),
            notion: "k".to_owned(),
            measure: "iloss".to_owned(),
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

    fn local(contender: &str, ending: Ending) -> Trial {
        Trial { family: "local".to_owned(), ..trial(contender, 2, ending) }
    }

    fn compared(by_k: Vec<Trial>) -> Comparison {
        Comparison {
            rows: 9,
            distinct_tuples: 9,
            max_suppressed_rows: 0,
            measures: vec!["iloss".to_owned()],
            aggregate: None,
            classifiers: Vec::new(),
            repeats: 1,
            heights: Map::new(),
            without_hierarchies: Map::new(),
            by_k,
            best: Vec::new(),
            by_quasi_count: Vec::new(),
        }
    }

    fn names(compared: &Comparison) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let table = tempfile::NamedTempFile::new().unwrap();
        let paths = write(compared, table.path(), &directory.path().join("new")).unwrap();
        assert!(paths.iter().all(|path| path.exists()));
        paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    fn figure(quantity: Quantity<'_>) -> Figure<'_> {
        Figure { quantity, sweep: PlotSweep::K, minimised: "iloss", only_best: false }
    }

    #[test]
    fn a_line_for_each_contender_with_gaps_where_it_was_stopped() {
        let stopped = Ending::Stopped { reason: StopReason::TimeLimit };
        let none = Ending::Infeasible { best_k: 1 };
        let compared = compared(vec![
            trial("a", 2, none),
            trial("b", 2, stopped),
            trial("a", 5, none),
            trial("b", 5, none),
        ]);
        let plot = |quantity| figure(quantity).plot(&compared);
        let time = plot(Quantity::Time);
        assert_eq!(time.series[0].points, [(2.0, 500.0), (5.0, 500.0)]);
        assert!(time.series[1].points[0].1.is_nan() && !time.log_x);
        assert_eq!(time.series[1].points[1], (5.0, 500.0));
        assert_eq!(plot(Quantity::Nodes).series[0].points[0].1, 6.0);
        assert!(plot(Quantity::Loss("iloss")).series.iter().all(|line| line.points[0].1.is_nan()));
    }

    #[test]
    fn a_wide_range_of_k_is_drawn_on_a_logarithmic_scale() {
        let none = Ending::Infeasible { best_k: 1 };
        for (largest, expected) in [(19, false), (20, true)] {
            let compared = compared(vec![trial("a", 2, none), trial("a", largest, none)]);
            assert_eq!(figure(Quantity::Time).plot(&compared).log_x, expected);
        }
    }

    #[test]
    fn only_what_was_compared_is_drawn_and_iloss_once() {
        let none = Ending::Infeasible { best_k: 1 };
        let on_the_lattice = compared(vec![trial("a", 2, none)]);
        assert_eq!(names(&on_the_lattice), ["time.svg", "loss-iloss.svg", "level.svg", "nodes.svg"]);
        let local = Trial { measure: "lm".to_owned(), ..local("a", none) };
        let local = Comparison { measures: vec!["lm".to_owned()], ..compared(vec![local]) };
        assert_eq!(names(&local), ["time.svg", "loss-lm.svg"]);
    }

    #[test]
    fn ncp_has_a_figure_of_utility_and_blocks_of_the_job_are_named() {
        let found = JudgedRecoding {
            achieved_k: 2,
            suppressed_rows: 0,
            levels: Map::new(),
            crowds: None,
            measures: Map::from_iter([("ncp".to_owned(), json!(0.25))]),
            accuracies: Vec::new(),
        };
        let of = |contender| Trial {
            measure: "ncp".to_owned(),
            settings: Map::from_iter([("block_rows".to_owned(), json!(9)), ("blocks".to_owned(), json!(3))]),
            found: Some(found.clone()),
            ..local(contender, Ending::Found)
        };
        let exact = Trial { settings: Map::new(), ..of("a") };
        let trials = vec![exact, of("b"), of("b:block_rows=9")];
        let compared = Comparison { measures: vec!["ncp".to_owned()], ..compared(trials) };
        assert_eq!(names(&compared), ["time.svg", "loss-ncp.svg", "utility-ncp.svg"]);
        let plot = Figure { minimised: "ncp", ..figure(Quantity::Utility) }.plot(&compared);
        let names: Vec<&str> = plot.series.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["a", "b, in blocks", "b:block_rows=9"]);
        assert_eq!(plot.series[0].points, [(2.0, 0.75)]);
    }

    #[test]
    fn several_measures_have_figures_of_their_own_and_so_have_the_best_variants() {
        let none = Ending::Infeasible { best_k: 1 };
        let of = |contender, measure: &str| Trial { measure: measure.to_owned(), ..local(contender, none) };
        let trials = ["lm", "entropy"].iter().flat_map(|measure| [of("a", measure), of("b", measure)]);
        let best = |name: &str, contender: &str, of: &[&str]| LeastLoss {
            name: name.to_owned(),
            measure: "lm".to_owned(),
            contender: contender.to_owned(),
            of: of.iter().map(|&name| name.to_owned()).collect(),
        };
        let compared = Comparison {
            measures: vec!["lm".to_owned(), "entropy".to_owned()],
            best: vec![best("best(a)", "b", &["a", "b"])],
            ..compared(trials.collect())
        };
        let expected = [
            "time-minimising-lm.svg",
            "loss-lm.svg",
            "best-lm.svg",
            "time-minimising-entropy.svg",
            "loss-entropy.svg",
        ];
        assert_eq!(names(&compared), expected);
        let drawn = Figure { only_best: true, minimised: "lm", ..figure(Quantity::Loss("lm")) };
        let names: Vec<String> = drawn.plot(&compared).series.into_iter().map(|line| line.name).collect();
        assert_eq!(names, ["best(a)"]);
        assert!(drawn.plot(&compared).title.starts_with("Loss (lm) of the best variants, against k"));
    }
}
