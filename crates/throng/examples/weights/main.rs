//! Identical records as one tuple with a count, next to the same table record by record.
//!
//! The papers' texts take one record after the other; the tables here hold distinct tuples with
//! weights. Each algorithm runs on both forms of ART, of samples of Adult and of CMC, over ten seeds,
//! and the losses of both are printed as a Markdown table. Adult and CMC are looked for beside the
//! repository, in `../shared/data`. `docs/experiments/weights.md` has the figures.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

mod data;

use data::Data;
use throng::algorithm::{Settings, find};
use throng::loss;
use throng::notion::Notion;
use throng::problem::Problem;
use throng::random::Random;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::table::Table;

/// Tables of each data set.
const SEEDS: u64 = 10;

/// Rows of ART and of the samples of Adult, as in *k-Anonymization Revisited*.
const ROWS: usize = 5000;

/// An algorithm with its settings.
struct Method {
    label: &'static str,
    algorithm: &'static str,
    settings: Settings,
    notion: Notion,
}

fn methods() -> [Method; 7] {
    let agglomerative = |label, distance, shrink| Method {
        label,
        algorithm: "agglomerative",
        settings: Settings::default()
            .with("distance", distance)
            .and_then(|settings| settings.with("shrink", shrink))
            .expect("declared"),
        notion: Notion::K,
    };
    let other = |label, algorithm, notion| Method { label, algorithm, settings: Settings::default(), notion };
    [
        agglomerative("agglomerative, distance 1", "1", "false"),
        agglomerative("agglomerative, distance 3", "3", "false"),
        agglomerative("agglomerative, distance 3, shrink", "3", "true"),
        agglomerative("agglomerative, distance 4", "4", "false"),
        agglomerative("agglomerative, Nergiz–Clifton", "nergiz-clifton", "false"),
        other("forest", "forest", Notion::K),
        other("expansion, (k,k)", "expansion", Notion::KK),
    ]
}

/// The losses of one cell of the table, seed by seed.
#[derive(Default)]
struct Losses {
    weighted: Vec<f64>,
    by_record: Vec<f64>,
}

impl Losses {
    /// How much more the weighted form loses on average, in percent, and the standard error of it.
    fn difference_percent(&self) -> (f64, f64) {
        let pairs = self.weighted.iter().zip(&self.by_record);
        let differences: Vec<f64> = pairs.map(|(w, r)| 100.0 * (w / r - 1.0)).collect();
        let (mean, count) = (mean(&differences), differences.len() as f64);
        let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
        (mean, (squares / (count - 1.0) / count).sqrt())
    }

    /// Seeds for which the weighted form loses no more, but for rounding.
    fn no_worse(&self) -> usize {
        self.weighted.iter().zip(&self.by_record).filter(|(w, r)| **w <= **r + 1e-12).count()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn loss(data: &Data, table: Table, method: &Method, k: u64, measure: &str) -> f64 {
    let attributes = data.taxonomies.iter().map(|(name, t)| (name.clone(), t.clone(), 1.0)).collect();
    let requirement = Requirement::crowd(method.notion, k);
    let measure = loss::find(measure).expect("registered");
    let mut problem = Problem::new(table, attributes, requirement, 0, measure).expect("valid");
    problem.settings = method.settings.clone();
    let algorithm = find(method.algorithm).expect("registered");
    let Outcome::Found(recoding) = solve(&problem, algorithm, None, &Unobserved).outcome else {
        panic!("there are at least k rows")
    };
    measure.measure(&problem, &recoding.apply(&problem).tally())
}

/// A data set and the mean difference of each method on it.
struct Summary {
    name: &'static str,
    differences_percent: Vec<f64>,
}

/// Runs every method on both forms of one data set, whose table of a seed `draw` gives.
fn compare(name: &'static str, draw: impl Fn(u64) -> Data) -> Summary {
    let tables: Vec<Data> = (1..=SEEDS).map(draw).collect();
    let tuples: Vec<f64> = tables.iter().map(|data| data.weighted().tuples() as f64).collect();
    let rows = tables[0].rows.len();
    eprintln!("{name}: {rows} rows, {:.0} distinct tuples on average", mean(&tuples));
    let mut differences = vec![Vec::new(); methods().len()];
    for (measure, k) in ["entropy", "lm"].into_iter().flat_map(|m| [5, 10, 20].map(|k| (m, k))) {
        for (at, method) in methods().iter().enumerate() {
            let mut losses = Losses::default();
            for data in &tables {
                losses.weighted.push(loss(data, data.weighted(), method, k, measure));
                losses.by_record.push(loss(data, data.by_record(), method, k, measure));
            }
            let (difference, error) = losses.difference_percent();
            differences[at].push(difference);
            println!(
                "| {name} | {measure} | {k} | {} | {:.5} | {:.5} | {difference:+.2} ± {error:.2} % | {} of {SEEDS} |",
                method.label,
                mean(&losses.weighted),
                mean(&losses.by_record),
                losses.no_worse(),
            );
        }
    }
    Summary { name, differences_percent: differences.iter().map(|of| mean(of)).collect() }
}

fn summarise(found: &[Summary]) {
    let row = |first: &str, cells: Vec<String>| println!("| {first} | {} |", cells.join(" | "));
    println!();
    row("algorithm", found.iter().map(|of| of.name.to_owned()).collect());
    println!("|---|{}", "---:|".repeat(found.len()));
    for (at, method) in methods().iter().enumerate() {
        row(method.label, found.iter().map(|of| format!("{:+.2} %", of.differences_percent[at])).collect());
    }
}

fn main() {
    println!("| data | measure | k | algorithm | by weights | record by record | difference | no worse |");
    println!("|---|---|---:|---|---:|---:|---:|---:|");
    let mut found = vec![compare("ART", |seed| data::art(ROWS, seed))];
    let (adult, cmc) = (data::adult(), data::cmc());
    if adult.is_none() || cmc.is_none() {
        eprintln!("skipped: no ../shared/data");
    }
    found.extend(adult.map(|adult| compare("Adult", |seed| adult.sample(ROWS, &mut Random::new(seed)))));
    found.extend(cmc.map(|cmc| compare("CMC", |seed| cmc.sample(cmc.rows.len(), &mut Random::new(seed)))));
    summarise(&found);
}
