//! The experiments of docs/experiments/pbg-ea.md: `pbg_ea TABLE HIERARCHIES` prints a line of comma-separated
//! values for every search.
//!
//! TABLE is Adult with `;` between cells, HIERARCHIES a folder with one file a quasi-identifier.

#![allow(clippy::print_stdout)] // what it is for

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use throng::frontier::{Boxes, Evolution, Front, Objective, Walk, exact, front_walk, pbg_ea};
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
    let [table, hierarchies] = &arguments[..] else { return Err("pbg_ea TABLE HIERARCHIES".into()) };
    println!("objectives,epsilon,method,seed,nodes,evaluated,front,boxes,ce,rr");
    for (names, sides) in SETS {
        let problem = problem(Path::new(table), Path::new(hierarchies), names)?;
        let objectives: Vec<Objective> = names.iter().map(|name| objective(name)).collect();
        let boxes = Boxes::of(sides).map_err(|side| format!("a side of {side}"))?;
        let whole = exact(&problem, &objectives, Boxes::fine(names.len()), None, &Unobserved);
        let scale = Scale::new(&whole, &objectives, boxes.clone());
        let line = |method: &str, seed: u64, front: &Front| {
            let (ce, rr) = (scale.convergence_error(front), scale.representation_ratio(front));
            let sides: Vec<String> = sides.iter().map(f64::to_string).collect();
            println!(
                "{},{},{method},{seed},{},{},{},{},{ce},{rr}",
                names.join("+"),
                sides.join("+"),
                problem.lattice().size(),
                front.evaluated_nodes,
                front.points.len(),
                scale.marked.len()
            );
        };
        line("exact", 0, &exact(&problem, &objectives, boxes.clone(), None, &Unobserved));
        for seed in 1..=SEEDS {
            let evolution = Evolution { seed, ..Evolution::default() };
            let evolved = pbg_ea(&problem, &objectives, boxes.clone(), evolution, None, &Unobserved);
            line("pbg-ea", seed, &evolved);
            let walk = |nodes| {
                let walk = Walk { nodes, seed };
                front_walk(&problem, &objectives, boxes.clone(), walk, None, &Unobserved)
            };
            line("front-walk", seed, &walk(evolved.evaluated_nodes));
            let of_paper = OF_PAPER.iter().find(|(of, _)| *of == names).map_or(0, |(_, nodes)| *nodes);
            line("front-walk-as-paper", seed, &walk(of_paper));
            let longer = |generations| {
                let evolution = Evolution { seed, generations, ..Evolution::default() };
                pbg_ea(&problem, &objectives, boxes.clone(), evolution, None, &Unobserved)
            };
            // More generations, as long as they look at no more nodes than the paper's 100 did.
            let mut all = (100..400).step_by(10).map(longer);
            let first = all.next().expect("a hundred");
            let last = all.take_while(|front| front.evaluated_nodes <= of_paper).last();
            line("pbg-ea-as-paper", seed, &last.unwrap_or(first));
        }
    }
    Ok(())
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

/// What fronts are compared with: the whole one.
struct Scale {
    front: Vec<Vec<f64>>,
    largest: Vec<f64>,
    boxes: Boxes,
    /// Boxes of the whole front that no other of its boxes dominates, as bits.
    marked: BTreeSet<Vec<u64>>,
}

impl Scale {
    fn new(whole: &Front, objectives: &[Objective], boxes: Boxes) -> Scale {
        let front: Vec<Vec<f64>> = whole.points.iter().map(|point| point.values.clone()).collect();
        let largest = |at: usize| front.iter().map(|values| values[at]).fold(0.0, f64::max);
        let places: Vec<Vec<f64>> = front.iter().map(|values| boxes.place(values)).collect();
        let as_good = |a: &[f64], b: &[f64]| {
            let one = |((a, b), objective): ((&f64, &f64), &Objective)| match objective.more_is_better() {
                true => a >= b,
                false => a <= b,
            };
            a.iter().zip(b).zip(objectives).all(one)
        };
        let is_dominated =
            |place: &Vec<f64>| places.iter().any(|other| other != place && as_good(other, place));
        let marked = places.iter().filter(|place| !is_dominated(place)).map(|place| bits(place)).collect();
        Scale { largest: (0..objectives.len()).map(largest).collect(), front, boxes, marked }
    }

    /// The sum over all points of the distance to the nearest of the whole front, each value as a share of the
    /// largest there.
    fn convergence_error(&self, found: &Front) -> f64 {
        let distance = |a: &[f64], b: &[f64]| {
            let parts = a.iter().zip(b).zip(&self.largest);
            parts
                .map(|((a, b), largest)| ((a - b) / largest.max(f64::MIN_POSITIVE)).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let nearest = |values: &[f64]| {
            self.front.iter().map(|other| distance(values, other)).fold(f64::INFINITY, f64::min)
        };
        found.points.iter().map(|point| nearest(&point.values)).sum()
    }

    /// The share of the marked boxes that a point is in.
    fn representation_ratio(&self, found: &Front) -> f64 {
        let occupied: BTreeSet<Vec<u64>> =
            found.points.iter().map(|point| bits(&self.boxes.place(&point.values))).collect();
        self.marked.intersection(&occupied).count() as f64 / self.marked.len() as f64
    }
}

fn bits(place: &[f64]) -> Vec<u64> {
    place.iter().map(|side| side.to_bits()).collect()
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
