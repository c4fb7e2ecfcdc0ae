//! A comparison as text for people.

use indicatif::HumanCount;

use throng::algorithm::{BLOCK_ROWS, Family};
use throng::wording::count_nodes;
use throng_engine::compare::{Comparison, Crowds, Ending, Trial};

use super::setting;
use crate::grid::grid;
use crate::report::section;

const NONE: &str = "–";

/// The comparison as aligned text.
pub(super) fn text(compared: &Comparison) -> String {
    let mut sections = vec![about(compared)];
    sections.extend(settings_in_force(compared));
    for measure in &compared.measures {
        let of_measure = |trials: &[Trial]| -> Vec<Trial> {
            trials.iter().filter(|trial| trial.measure == *measure).cloned().collect()
        };
        let minimised = match compared.measures.len() {
            1 => String::new(),
            _ => format!(", minimising {measure}"),
        };
        let (by_k, by_count) = (of_measure(&compared.by_k), of_measure(&compared.by_quasi_count));
        let columns = columns(compared, measure);
        if !by_k.is_empty() {
            let title = format!("By k, with all {} quasi-identifiers{minimised}", compared.heights.len());
            sections.push(section(&title, &table(&by_k, "k", |trial| trial.k, &columns)));
        }
        sections.extend(summary(compared, &by_k, measure));
        if let Some(first) = by_count.first() {
            let title = format!("By the number of quasi-identifiers, k = {}{minimised}", first.k);
            let count = |trial: &Trial| trial.quasi_identifiers as u64;
            sections.push(section(&title, &table(&by_count, "qi", count, &columns)));
        }
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
    let without: Vec<String> = compared
        .without_hierarchies
        .iter()
        .map(|(name, way)| format!("{name} ({})", way.as_str().unwrap_or(NONE)))
        .collect();
    let without = match without.is_empty() {
        true => String::new(),
        false => format!("without hierarchies: {}\n", without.join(", ")),
    };
    format!(
        "{} rows, {} distinct tuples, at most {} rows suppressed\n\
         quasi-identifiers (heights): {}\n{without}\
         minimised: {}{}; {times}",
        HumanCount(compared.rows),
        HumanCount(compared.distinct_tuples as u64),
        HumanCount(compared.max_suppressed_rows),
        heights.join(", "),
        compared.measures.join(", "),
        compared.aggregate.as_ref().map(|of| format!(" ({})", of.text())).unwrap_or_default(),
    )
}

/// Each contender that has settings, with them. Blocks depend on k, and have a column in the tables.
fn settings_in_force(compared: &Comparison) -> Option<String> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for trial in compared.by_k.iter().chain(&compared.by_quasi_count) {
        let is_of_blocks = |key: &str| [BLOCK_ROWS.name, "blocks"].contains(&key);
        let settings = trial.settings.iter().filter(|(key, _)| !is_of_blocks(key));
        let settings: Vec<String> = settings.map(setting).collect();
        if !settings.is_empty() && rows.iter().all(|row| row[0] != trial.contender) {
            rows.push(vec![trial.contender.clone(), settings.join(" ")]);
        }
    }
    (!rows.is_empty()).then(|| section("Settings in force", &grid(&rows, 2)))
}

/// What is shown of a trial; nothing where it does not apply.
type Cell<'c> = dyn Fn(&Trial) -> Option<String> + 'c;

struct TextColumn<'c> {
    head: String,
    cell: Box<Cell<'c>>,
}

fn column<'c>(head: &str, cell: impl Fn(&Trial) -> Option<String> + 'c) -> TextColumn<'c> {
    TextColumn { head: head.to_owned(), cell: Box::new(cell) }
}

/// The objective, and beside it the other measures that were asked for; iloss if none were.
fn columns<'c>(compared: &'c Comparison, objective: &'c str) -> Vec<TextColumn<'c>> {
    let mut measures = vec![objective];
    measures.extend(compared.measures.iter().map(String::as_str).filter(|&measure| measure != objective));
    if measures == [objective] && objective != "iloss" {
        measures.push("iloss");
    }
    let measured = |name: &'c str| column(name, move |trial| trial.measured(name).map(number));
    let count = |count: u64| HumanCount(count).to_string();
    let mut columns = vec![column("ms", |trial| Some(milliseconds(trial.seconds)))];
    columns.extend(measures.into_iter().map(measured));
    columns.extend(compared.classifiers.iter().map(|&classifier| {
        column(classifier.name(), move |trial| {
            trial.accuracy(classifier).map(|share| format!("{:.2} %", 100.0 * share))
        })
    }));
    columns.extend([
        column("blocks", blocks),
        column("level", |trial| trial.measured("level").filter(|_| uses_lattice(trial)).map(number)),
        column("lattice", |trial| uses_lattice(trial).then(|| lattice(trial))),
        column("checked", move |trial| uses_lattice(trial).then(|| count(trial.checked_nodes))),
        column("in part", move |trial| uses_lattice(trial).then(|| count(trial.projected_nodes))),
        column("neighbours", |trial| crowds(trial).map(|crowds| format!("{:.1}", crowds.mean_neighbours))),
        column("below k matches", move |trial| {
            crowds(trial).map(|crowds| count(crowds.rows_below_k_matches))
        }),
        column("k reached", move |trial| reached(trial).map(count)),
        column("suppressed", move |trial| Some(count(trial.found.as_ref()?.suppressed_rows))),
        column("optimal", |trial| Some(ending(trial))),
    ]);
    columns
}

fn uses_lattice(trial: &Trial) -> bool {
    trial.family == Family::FullDomain.name()
}

/// How many blocks the table was cut into before the search.
fn blocks(trial: &Trial) -> Option<String> {
    let number = |key: &str| Some(HumanCount(trial.settings.get(key)?.as_u64()?));
    Some(format!("{} of ≤ {}", number("blocks")?, number(BLOCK_ROWS.name)?))
}

fn crowds(trial: &Trial) -> Option<&Crowds> {
    trial.found.as_ref()?.crowds.as_ref()
}

/// The largest k for which the release has the notion that was asked for.
fn reached(trial: &Trial) -> Option<u64> {
    let found = trial.found.as_ref()?;
    Some(found.crowds.as_ref().map_or(found.achieved_k, |crowds| crowds.degree))
}

/// The trials below each other, in groups of the same `value`; without columns that are empty.
fn table(trials: &[Trial], sweep: &str, value: impl Fn(&Trial) -> u64, columns: &[TextColumn<'_>]) -> String {
    let shown = columns.iter().filter(|column| trials.iter().any(|trial| (column.cell)(trial).is_some()));
    let shown: Vec<&TextColumn<'_>> = shown.collect();
    let mut head = vec!["algorithm".to_owned(), sweep.to_owned()];
    head.extend(shown.iter().map(|column| column.head.clone()));
    let mut rows = vec![head];
    let mut last = None;
    for trial in trials {
        if last.is_some_and(|last| last != value(trial)) {
            rows.push(Vec::new());
        }
        last = Some(value(trial));
        let mut row = vec![trial.contender.clone(), value(trial).to_string()];
        row.extend(shown.iter().map(|column| (column.cell)(trial).unwrap_or_else(|| NONE.to_owned())));
        rows.push(row);
    }
    grid(&rows, 1)
}

/// Each contender's loss at each k, and below them the best variants; only if there are variants.
fn summary(compared: &Comparison, trials: &[Trial], measure: &str) -> Option<String> {
    let groups: Vec<_> =
        compared.best.iter().filter(|best| best.measure == measure && best.of.len() > 1).collect();
    let first_k = trials.first()?.k;
    let mut head = vec![format!("{measure} at k ="), String::new()];
    head.extend(columns_of(trials, &trials[0].contender).map(|trial| trial.k.to_string()));
    let losses = |name: &str, winner: &str, contender: &str| {
        let losses = columns_of(trials, contender).map(|trial| trial.measured(measure));
        let losses = losses.map(|loss| loss.map_or(NONE.to_owned(), number));
        [name.to_owned(), winner.to_owned()].into_iter().chain(losses).collect::<Vec<_>>()
    };
    let contenders = trials.iter().filter(|trial| trial.k == first_k);
    let mut rows = vec![head];
    rows.extend(contenders.map(|trial| losses(&trial.contender, "", &trial.contender)));
    rows.push(Vec::new());
    rows.extend(groups.iter().map(|best| losses(&best.name, &best.contender, &best.contender)));
    (!groups.is_empty()).then(|| section(&format!("Loss ({measure})"), &grid(&rows, 2)))
}

fn columns_of<'a>(trials: &'a [Trial], contender: &'a str) -> impl Iterator<Item = &'a Trial> {
    trials.iter().filter(move |trial| trial.contender == contender)
}

/// Whether the optimum is proven, or why there is no proof.
fn ending(trial: &Trial) -> String {
    match trial.ending {
        Ending::Found if trial.optimal => "yes".to_owned(),
        Ending::Found => "no".to_owned(),
        Ending::Infeasible { best_k } => format!("infeasible: k is at most {}", HumanCount(best_k)),
        Ending::Stopped { reason } => format!("stopped: {}", reason.name()),
    }
}

fn lattice(trial: &Trial) -> String {
    count_nodes(trial.lattice_nodes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.000_123, 0.045_6, 1.234_56].map(milliseconds), ["0.12", "45.6", "1,235"]);
        assert_eq!([7.0, 0.25, 336.548_7].map(number), ["7", "0.2500", "336.5"]);
    }
}
