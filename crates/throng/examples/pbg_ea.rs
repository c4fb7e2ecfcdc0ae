//! The experiments of docs/experiments/pbg-ea.md: `pbg_ea TABLE HIERARCHIES [SETS]` prints a line of comma-separated
//! values for every search.
//!
//! TABLE is Adult with `;` between cells, HIERARCHIES a folder with one file a quasi-identifier, SETS how many of the sets of
//! objectives are searched; all unless said.

#![allow(clippy::print_stdout)] // what it is for

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use throng::frontier::{Boxes, Evolution, Front, Objective, Reference, Walk, exact, front_walk, pbg_ea};
use throng::privacy::{DistinctL, KAnonymity};
use throng::problem::Problem;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::table::{Carried, Table};
use throng::{loss, taxonomy};

const QUASI: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class"];

/// Names of objectives, and the sides of boxes. The paper's are 1 where it does not say otherwise; `cm` is a
/// share of the rows here, and has a side of less than a row.
const SETS: [(&[&str], &[f64]); 11] = [
    (&["k", "glm"], &[1.0, 1.0]),
    (&["k", "l", "glm"], &[1.0, 1.0, 1.0]),
    (&["sk", "glm"], &[1.0, 1.0]),
    (&["sk", "sl", "glm"], &[1.0, 1.0, 1.0]),
    (&["k", "glm", "cm"], &[1.0, 1.0, 1e-5]),
    (&["k", "glm"], &[5.0, 100.0]),
    (&["k", "glm"], &[10.0, 1_000.0]),
    (&["k", "glm"], &[50.0, 10_000.0]),
    (&["k", "l", "glm"], &[5.0, 2.0, 100.0]),
    (&["k", "l", "glm"], &[10.0, 4.0, 1_000.0]),
    (&["k", "l", "glm"], &[50.0, 6.0, 10_000.0]),
];

const SEEDS: u64 = 20;

/// The paper's number of evaluated nodes, by objectives (Table 2(b)).
const OF_PAPER: [(&[&str], u64); 5] = [
    (&["k", "glm"], 916),
    (&["k", "l", "glm"], 946),
    (&["sk", "glm"], 1_136),
    (&["sk", "sl", "glm"], 1_197),
    (&["k", "glm", "cm"], 1_073),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (table, hierarchies, sets) = match &arguments[..] {
        [table, hierarchies] => (table, hierarchies, SETS.len()),
        [table, hierarchies, first] => (table, hierarchies, first.parse()?),
        _ => return Err("pbg_ea TABLE HIERARCHIES [SETS]".into()),
    };
    println!("{COLUMNS}");
    for (at, (names, sides)) in SETS.into_iter().take(sets).enumerate() {
        let problem = problem(Path::new(table), Path::new(hierarchies), names)?;
        let objectives: Vec<Objective> = names.iter().map(|name| objective(name)).collect();
        let boxes = Boxes::build(sides).map_err(|side| format!("a side of {side}"))?;
        let search = Search { names, sides, problem: &problem, objectives: &objectives, boxes };
        // The paper counts looks for the first sets alone; what more looks bring is asked where all sets are.
        let of_paper = OF_PAPER.get(at).filter(|_| sets == SETS.len());
        search.run_all(of_paper.map(|(_, nodes)| *nodes));
    }
    Ok(())
}

const COLUMNS: &str = "objectives,epsilon,method,seed,nodes,evaluated,front,boxes,ce,ce_mean,ce_squared,ce_range,rr,\
                       hypervolume";

/// A line of [`SETS`], with its table.
struct Search<'p> {
    names: &'p [&'p str],
    sides: &'p [f64],
    problem: &'p Problem,
    objectives: &'p [Objective],
    boxes: Boxes,
}

impl Search<'_> {
    /// Every search of the page, for all seeds.
    fn run_all(&self, of_paper: Option<u64>) {
        let fine = Boxes::fine(self.objectives.len());
        let whole = exact(self.problem, self.objectives, fine, None, &Unobserved);
        let errors = Errors::new(&whole, self.objectives, &self.boxes);
        self.print(
            "exact",
            0,
            &errors,
            &exact(self.problem, self.objectives, self.boxes.clone(), None, &Unobserved),
        );
        for seed in 1..=SEEDS {
            let evolved = self.evolved(seed, 100);
            self.print("pbg-ea", seed, &errors, &evolved);
            self.print("front-walk", seed, &errors, &self.walked(seed, evolved.evaluated_nodes));
            let Some(most) = of_paper else { continue };
            self.print("front-walk-as-paper", seed, &errors, &self.walked(seed, most));
            // More generations, as long as they look at no more nodes than the paper's 100 did.
            let more = (110..400).step_by(10).map(|generations| self.evolved(seed, generations));
            let last = more.take_while(|front| front.evaluated_nodes <= most).last();
            self.print("pbg-ea-as-paper", seed, &errors, &last.unwrap_or(evolved));
        }
    }

    fn evolved(&self, seed: u64, generations: usize) -> Front {
        let evolution = Evolution { seed, generations, ..Evolution::default() };
        pbg_ea(self.problem, self.objectives, self.boxes.clone(), evolution, None, &Unobserved)
    }

    fn walked(&self, seed: u64, nodes: u64) -> Front {
        let walk = Walk { nodes, seed };
        front_walk(self.problem, self.objectives, self.boxes.clone(), walk, None, &Unobserved)
    }

    fn print(&self, method: &str, seed: u64, errors: &Errors, front: &Front) {
        let sides: Vec<String> = self.sides.iter().map(f64::to_string).collect();
        let found: Vec<Vec<f64>> = front.points.iter().map(|point| point.values.clone()).collect();
        let [ce, mean, squared, range] = errors.errors(&found);
        println!(
            "{},{},{method},{seed},{},{},{},{},{ce},{mean},{squared},{range},{},{}",
            self.names.join("+"),
            sides.join("+"),
            self.problem.lattice().size(),
            front.evaluated_nodes,
            found.len(),
            errors.reference.boxes(),
            errors.reference.representation_ratio(&found),
            errors.reference.hypervolume(&found),
        );
    }
}

/// The convergence error as printed, and readings of it that the page tries.
struct Errors {
    reference: Reference,
    /// The reference with each value as a share of the way from the least to the largest.
    in_ranges: Reference,
    ranges: Vec<(f64, f64)>,
}

impl Errors {
    fn new(whole: &Front, objectives: &[Objective], boxes: &Boxes) -> Errors {
        let points: Vec<Vec<f64>> = whole.points.iter().map(|point| point.values.clone()).collect();
        let values = |at: usize| points.iter().map(move |values| values[at]);
        let range =
            |at| (values(at).fold(f64::INFINITY, f64::min), values(at).fold(f64::NEG_INFINITY, f64::max));
        let ranges: Vec<(f64, f64)> = (0..objectives.len()).map(range).collect();
        let fine = Boxes::fine(objectives.len());
        Errors {
            reference: Reference::new(&points, objectives, boxes.clone()),
            in_ranges: Reference::new(&in_ranges(&points, &ranges), objectives, fine),
            ranges,
        }
    }

    /// The sum of distances, as printed; their mean; the sum of their squares; the sum by ranges.
    fn errors(&self, found: &[Vec<f64>]) -> [f64; 4] {
        let sum = self.reference.convergence_error(found);
        let squared = found.iter().map(|values| self.reference.distance(values).powi(2)).sum();
        let by_range = self.in_ranges.convergence_error(&in_ranges(found, &self.ranges));
        [sum, sum / found.len() as f64, squared, by_range]
    }
}

fn in_ranges(points: &[Vec<f64>], ranges: &[(f64, f64)]) -> Vec<Vec<f64>> {
    let share = |(value, (least, most)): (&f64, &(f64, f64))| (value - least) / (most - least);
    points.iter().map(|values| values.iter().zip(ranges).map(share).collect()).collect()
}

fn objective(name: &str) -> Objective {
    match name {
        "k" => Objective::K,
        "l" => Objective::L { column: 0 },
        "sk" => Objective::SpreadK,
        "sl" => Objective::SpreadL { column: 0 },
        measure => Objective::Loss(loss::find(measure).expect("a measure")),
    }
}

/// Adult with a suppression limit of 1 %; where `cm` is asked for, the salary class is its target and no
/// quasi-identifier.
fn problem(table: &Path, hierarchies: &Path, objectives: &[&str]) -> Result<Problem, Box<dyn Error>> {
    let text = std::fs::read_to_string(table)?;
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let columns = lines.next().ok_or("an empty table")?;
    let place = |name: &str| columns.iter().position(|column| *column == name).ok_or("a column is missing");
    let (sensitive, label) = (place("occupation")?, place("salary-class")?);
    let has_target = objectives.contains(&"cm");
    let quasi = &QUASI[..QUASI.len() - usize::from(has_target)];
    let mut attributes = Vec::new();
    let mut leaves: Vec<(usize, BTreeMap<String, u32>)> = Vec::new();
    for name in quasi {
        let tree = taxonomy::parse(&std::fs::read_to_string(hierarchies.join(format!("{name}.csv")))?)?;
        let labels = 0..tree.leaf_total() as u32;
        leaves.push((place(name)?, labels.map(|leaf| (tree.label(leaf).to_owned(), leaf)).collect()));
        attributes.push(((*name).to_owned(), tree, 1.0));
    }
    let mut codes: [BTreeMap<&str, u32>; 2] = Default::default();
    let mut tuples: BTreeMap<Vec<u32>, [Vec<u32>; 2]> = BTreeMap::new();
    let mut rows = 0;
    for row in lines {
        let leaf = |(a, leaf_of): &(usize, BTreeMap<String, u32>)| leaf_of.get(row[*a]).copied();
        let tuple: Option<Vec<u32>> = leaves.iter().map(leaf).collect();
        let values = tuples.entry(tuple.ok_or("a value is not in its hierarchy")?).or_default();
        for (at, column) in [sensitive, label].into_iter().enumerate() {
            let next = codes[at].len() as u32;
            values[at].push(*codes[at].entry(row[column]).or_insert(next));
        }
        rows += 1;
    }
    let columns = (0..quasi.len()).map(|a| tuples.keys().map(|tuple| tuple[a]).collect()).collect();
    let weights = tuples.values().map(|[values, _]| values.len() as u32).collect();
    let carried = |at: usize| -> Vec<Vec<u32>> { tuples.values().map(|values| values[at].clone()).collect() };
    let mut all = vec![Requirement::new(KAnonymity { k: 1 })];
    let mut table = Table::new(columns, weights);
    if has_target {
        table = table.with_carried(vec![Carried::from_codes("salary-class", &carried(1))]);
    } else if objectives.iter().any(|name| matches!(*name, "l" | "sl")) {
        table = table.with_carried(vec![Carried::from_codes("occupation", &carried(0))]);
    }
    if !table.carried().is_empty() {
        all.push(Requirement::new(DistinctL { l: 1, column: 0 }));
    }
    let glm = loss::find("glm").ok_or("a measure")?;
    let problem = Problem::new(table, attributes, all, rows / 100, glm)?;
    Ok(if has_target { problem.with_target(0) } else { problem })
}
