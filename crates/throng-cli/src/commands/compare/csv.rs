//! A comparison as comma-separated text for other programs.

use throng::loss;
use throng_engine::compare::{Comparison, Ending, Trial};

use super::setting;

/// What a line says before the measures.
const HEAD: [&str; 24] = [
    "sweep",
    "minimised",
    "contender",
    "algorithm",
    "settings",
    "notion",
    "k",
    "quasi_identifiers",
    "outcome",
    "reason",
    "best_k",
    "optimal",
    "seconds",
    "lattice_nodes",
    "checked_nodes",
    "projected_nodes",
    "achieved_k",
    "suppressed_rows",
    "levels",
    "degree",
    "mean_neighbours",
    "mean_matches",
    "rows_below_k_matches",
    "best",
];

/// Every trial a line, every measure a column.
pub(super) fn csv(compared: &Comparison) -> String {
    let mut head = HEAD.to_vec();
    head.extend(loss::measures().iter().map(|measure| measure.name()));
    head.extend(compared.classifiers.iter().map(|classifier| classifier.name()));
    let mut text = head.join(",") + "\n";
    for (sweep, trials) in [("k", &compared.by_k), ("quasi_identifiers", &compared.by_quasi_count)] {
        for trial in trials {
            let best = if sweep == "k" { group(compared, trial) } else { "" };
            let accuracies = compared.classifiers.iter().map(|&classifier| trial.accuracy(classifier));
            let mut cells = line(sweep, trial, best);
            cells.extend(accuracies.map(|share| share.map_or(String::new(), |share| share.to_string())));
            text.push_str(&cells.join(","));
            text.push('\n');
        }
    }
    text
}

/// The group that the trial's contender is the best of.
fn group<'a>(compared: &'a Comparison, trial: &Trial) -> &'a str {
    let of_trial = |best: &&throng_engine::compare::LeastLoss| {
        best.of.len() > 1 && (&best.measure, &best.contender) == (&trial.measure, &trial.contender)
    };
    compared.best.iter().find(of_trial).map_or("", |best| &best.name)
}

/// The settings in force, with spaces between them.
fn settings(trial: &Trial) -> String {
    let settings: Vec<String> = trial.settings.iter().map(setting).collect();
    settings.join(" ")
}

/// No cell needs quotes: they are numbers and names of ours, and a contender's has no comma.
fn line(sweep: &str, trial: &Trial, best: &str) -> Vec<String> {
    let (outcome, reason, best_k) = match trial.ending {
        Ending::Found => ("found", "", String::new()),
        Ending::Infeasible { best_k } => ("infeasible", "", best_k.to_string()),
        Ending::Stopped { reason } => ("stopped", reason.name(), String::new()),
    };
    let found = trial.found.as_ref();
    let levels: Vec<String> = found.iter().flat_map(|f| f.levels.values()).map(|l| l.to_string()).collect();
    let settings = settings(trial);
    let names = [sweep, &trial.measure, &trial.contender, &trial.algorithm, &settings, &trial.notion];
    let mut cells: Vec<String> = names.map(str::to_owned).to_vec();
    cells.extend([trial.k.to_string(), trial.quasi_identifiers.to_string()]);
    cells.extend([outcome.to_owned(), reason.to_owned(), best_k]);
    cells.extend([trial.optimal.to_string(), trial.seconds.to_string(), trial.lattice_nodes.to_string()]);
    cells.extend([trial.checked_nodes, trial.projected_nodes].map(|nodes| nodes.to_string()));
    cells.push(found.map_or(String::new(), |found| found.achieved_k.to_string()));
    cells.push(found.map_or(String::new(), |found| found.suppressed_rows.to_string()));
    cells.push(levels.join(" "));
    cells.extend(match found.and_then(|found| found.crowds.as_ref()) {
        None => [const { String::new() }; 4],
        Some(crowds) => [
            crowds.degree.to_string(),
            crowds.mean_neighbours.to_string(),
            crowds.mean_matches.to_string(),
            crowds.rows_below_k_matches.to_string(),
        ],
    });
    cells.push(best.to_owned());
    let measure = |name| trial.measured(name).map_or(String::new(), |value| value.to_string());
    cells.extend(loss::measures().iter().map(|loss| measure(loss.name())));
    cells
}
