//! A comparison as text for people, and as CSV for other programs.

use indicatif::HumanCount;

use throng::loss;
use throng_engine::compare::{Comparison, Ending, Trial};

use crate::grid::grid;
use crate::report::section;

/// The comparison as aligned text.
pub(super) fn text(compared: &Comparison) -> String {
    let mut sections = vec![about(compared)];
    let quasi = compared.heights.len();
    if !compared.by_k.is_empty() {
        let title = format!("By k, with all {quasi} quasi-identifiers");
        sections.push(section(&title, &table(compared, &compared.by_k, "k", |trial| trial.k)));
    }
    if let Some(first) = compared.by_quasi_count.first() {
        let title = format!("By the number of quasi-identifiers, k = {}", first.k);
        let count = |trial: &Trial| trial.quasi_identifiers as u64;
        sections.push(section(&title, &table(compared, &compared.by_quasi_count, "qi", count)));
    }
    sections.join("\n\n") + "\n"
}

fn about(compared: &Comparison) -> String {
    let heights: Vec<String> =
        compared.heights.iter().map(|(name, height)| format!("{name} ({height})")).collect();
    let times = match compared.repeats {
        1 => "timed once".to_owned(),
        repeats => format!("median time of {repeats}"),
    };
    format!(
        "{} rows, {} distinct tuples, at most {} rows suppressed\n\
         quasi-identifiers (heights): {}\n\
         minimised: {}; {times}",
        HumanCount(compared.rows),
        HumanCount(compared.distinct_tuples as u64),
        HumanCount(compared.max_suppressed_rows),
        heights.join(", "),
        compared.measure,
    )
}

/// The objective, and iloss beside it.
fn shown_measures(compared: &Comparison) -> Vec<&'static str> {
    let mut names = vec![compared.measure];
    if compared.measure != "iloss" {
        names.push("iloss");
    }
    names
}

fn table(compared: &Comparison, trials: &[Trial], sweep: &str, value: impl Fn(&Trial) -> u64) -> String {
    let measures = shown_measures(compared);
    let mut head = vec!["algorithm", sweep, "ms"];
    head.extend(&measures);
    head.extend(["level", "lattice", "checked", "in part", "k reached", "suppressed", "optimal"]);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    let mut last = None;
    for trial in trials {
        if last.is_some_and(|last| last != value(trial)) {
            rows.push(Vec::new());
        }
        last = Some(value(trial));
        rows.push(row(trial, value(trial), &measures));
    }
    grid(&rows, 1)
}

fn row(trial: &Trial, value: u64, measures: &[&str]) -> Vec<String> {
    let mut cells = vec![trial.algorithm.to_owned(), value.to_string(), milliseconds(trial.seconds)];
    let shown = measures.iter().chain(&["level"]);
    cells.extend(shown.map(|name| trial.measure(name).map_or("–".to_owned(), number)));
    let lattice = u64::try_from(trial.lattice_nodes).map_or_else(
        |_| format!("{:.2e}", trial.lattice_nodes as f64),
        |nodes| HumanCount(nodes).to_string(),
    );
    cells.push(lattice);
    cells.extend([trial.checked_nodes, trial.projected_nodes].map(|nodes| HumanCount(nodes).to_string()));
    let found = trial.found.as_ref();
    let counts = [found.map(|found| found.achieved_k), found.map(|found| found.suppressed_rows)];
    cells.extend(counts.map(|count| count.map_or("–".to_owned(), |count| HumanCount(count).to_string())));
    cells.push(ending(trial));
    cells
}

/// Whether the optimum is proven, or why there is no proof.
fn ending(trial: &Trial) -> String {
    match trial.ending {
        Ending::Found if trial.optimal => "yes".to_owned(),
        Ending::Found => "no".to_owned(),
        Ending::Infeasible { best_k } => format!("infeasible: k is at most {}", HumanCount(best_k)),
        Ending::Stopped { reason } => format!("stopped: {reason}"),
    }
}

/// Three digits that tell.
fn milliseconds(seconds: f64) -> String {
    let milliseconds = 1000.0 * seconds;
    match milliseconds {
        ms if ms < 10.0 => format!("{ms:.2}"),
        ms if ms < 100.0 => format!("{ms:.1}"),
        ms => HumanCount(ms.round() as u64).to_string(),
    }
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 && (0.0..1e15).contains(&value) {
        HumanCount(value as u64).to_string()
    } else if value.abs() >= 100.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.4}")
    }
}

/// The comparison as comma-separated text: every trial a line, every measure a column.
pub(super) fn csv(compared: &Comparison) -> String {
    let mut head = vec!["sweep", "algorithm", "k", "quasi_identifiers", "outcome", "reason", "best_k"];
    head.extend(["optimal", "seconds", "lattice_nodes", "checked_nodes", "projected_nodes"]);
    head.extend(["achieved_k", "suppressed_rows", "levels"]);
    head.extend(loss::measures().iter().map(|measure| measure.name()));
    let mut text = head.join(",") + "\n";
    for (sweep, trials) in [("k", &compared.by_k), ("quasi_identifiers", &compared.by_quasi_count)] {
        for trial in trials {
            text.push_str(&line(sweep, trial).join(","));
            text.push('\n');
        }
    }
    text
}

/// No cell needs quotes: they are numbers and names of ours.
fn line(sweep: &str, trial: &Trial) -> Vec<String> {
    let (outcome, reason, best_k) = match trial.ending {
        Ending::Found => ("found", "", String::new()),
        Ending::Infeasible { best_k } => ("infeasible", "", best_k.to_string()),
        Ending::Stopped { reason } => ("stopped", reason, String::new()),
    };
    let found = trial.found.as_ref();
    let levels: Vec<String> = found.iter().flat_map(|f| f.levels.values()).map(|l| l.to_string()).collect();
    let mut cells: Vec<String> = [sweep, trial.algorithm].map(str::to_owned).to_vec();
    cells.extend([trial.k.to_string(), trial.quasi_identifiers.to_string()]);
    cells.extend([outcome.to_owned(), reason.to_owned(), best_k]);
    cells.extend([trial.optimal.to_string(), trial.seconds.to_string(), trial.lattice_nodes.to_string()]);
    cells.extend([trial.checked_nodes, trial.projected_nodes].map(|nodes| nodes.to_string()));
    cells.push(found.map_or(String::new(), |found| found.achieved_k.to_string()));
    cells.push(found.map_or(String::new(), |found| found.suppressed_rows.to_string()));
    cells.push(levels.join(" "));
    let measure = |name| trial.measure(name).map_or(String::new(), |value| value.to_string());
    cells.extend(loss::measures().iter().map(|loss| measure(loss.name())));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.000_123, 0.045_6, 1.234_56].map(milliseconds), ["0.12", "45.6", "1,235"]);
        assert_eq!([7.0, 0.25, 336.548_7].map(number), ["7", "0.2500", "336.5"]);
    }
}
