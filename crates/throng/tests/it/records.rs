//! Local searches against the exact optimum over all partitions of a small table's records, found by dynamic
//! programming over their subsets.

use throng::algorithm;
use throng::loss;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::random::Random;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::solve;
use throng::table::Table;
use throng::taxonomy::{Taxonomy, ranges, sets};
use throng::verify::{Verdict, verify};

const CASES: u64 = 300;

/// Most members of a set.
const MOST: u32 = 3;

/// What a column of numbers from 0 on generalises to.
enum Way {
    /// Groups of numbers that contain or exclude one another, as bits; the last has all.
    Tree(Vec<u32>),
    Ranges,
    Sets,
}

struct Column {
    way: Way,
    values: usize,
}

/// Rows of numbers.
struct Rows {
    columns: Vec<Column>,
    rows: Vec<Vec<u32>>,
    k: usize,
}

impl Column {
    fn random(random: &mut Random) -> Column {
        let values = 2 + random.index(5);
        let all = (1 << values) - 1;
        let way = match random.index(4) {
            0 => Way::Ranges,
            1 => Way::Sets,
            2 => Way::Tree(vec![all]),
            _ => {
                let cut = 1 + random.index(values - 1);
                let low = (1 << cut) - 1;
                Way::Tree(vec![low, all - low, all])
            }
        };
        Column { way, values }
    }

    fn taxonomy(&self) -> Taxonomy {
        let leaves: Vec<String> = (0..self.values).map(|value| value.to_string()).collect();
        match &self.way {
            Way::Ranges => ranges(&leaves, None).expect("numbers"),
            Way::Sets => sets(&leaves, MOST).expect("text"),
            Way::Tree(groups) => {
                let above = |leaf: usize| groups.iter().filter(move |&group| group >> leaf & 1 == 1);
                let label = |group: &u32| format!("group {group}");
                let line = |leaf: usize| {
                    let labels = above(leaf).map(label);
                    [leaves[leaf].clone()].into_iter().chain(labels).collect::<Vec<_>>()
                };
                Taxonomy::from_rows(&(0..self.values).map(line).collect::<Vec<_>>()).expect("nested")
            }
        }
    }

    /// What `lm` charges a cell whose value must cover these numbers.
    fn cost(&self, covered: u32) -> f64 {
        let count = match &self.way {
            _ if covered.count_ones() == 1 => 1,
            Way::Ranges => 32 - covered.leading_zeros() - covered.trailing_zeros(),
            Way::Sets if covered.count_ones() <= MOST => covered.count_ones(),
            Way::Sets => self.values as u32,
            Way::Tree(groups) => {
                let over = groups.iter().filter(|&group| group & covered == covered);
                over.map(|group| group.count_ones()).min().expect("one has all")
            }
        };
        f64::from(count - 1) / (self.values - 1) as f64
    }
}

impl Rows {
    fn random(seed: u64) -> Rows {
        let mut random = Random::new(seed);
        let columns: Vec<Column> = (0..1 + random.index(3)).map(|_| Column::random(&mut random)).collect();
        let row = |random: &mut Random| -> Vec<u32> {
            columns.iter().map(|column| random.skewed_index(column.values) as u32).collect()
        };
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for _ in 0..7 + random.index(6) {
            let again = !rows.is_empty() && random.once_in(2);
            let next = if again { rows[random.index(rows.len())].clone() } else { row(&mut random) };
            rows.push(next);
        }
        Rows { columns, rows, k: 2 + random.index(2) }
    }

    fn problem(&self) -> Problem {
        let table = Table::from_rows(self.columns.len(), &self.rows);
        let attributes = self.columns.iter().enumerate();
        let attributes = attributes.map(|(a, column)| (format!("column {a}"), column.taxonomy(), 1.0));
        let k = Requirement::new(KAnonymity { k: self.k as u64 });
        Problem::new(table, attributes.collect(), k, 0, loss::find("lm").expect("registered")).expect("valid")
    }

    /// What the records of a set lose as a class.
    fn class(&self, records: u32) -> f64 {
        let members = || (0..self.rows.len()).filter(|row| records >> row & 1 == 1);
        let columns = self.columns.iter().enumerate();
        let cells = columns.map(|(a, column)| {
            column.cost(members().fold(0, |covered, row| covered | 1 << self.rows[row][a]))
        });
        cells.sum::<f64>() * f64::from(records.count_ones())
    }

    /// The least `lm` of all partitions into classes of k records. No class needs 2k: it could be two.
    fn optimum(&self) -> f64 {
        let (k, all) = (self.k as u32, (1u32 << self.rows.len()) - 1);
        let classes: Vec<u32> = (1..=all).filter(|set| (k..2 * k).contains(&set.count_ones())).collect();
        let costs: Vec<f64> = classes.iter().map(|&class| self.class(class)).collect();
        let mut least = vec![f64::INFINITY; all as usize + 1];
        least[0] = 0.0;
        for done in 0..all {
            if least[done as usize].is_finite() {
                let first = 1 << done.trailing_ones();
                for (&class, cost) in classes.iter().zip(&costs) {
                    if class & first != 0 && class & done == 0 {
                        let union = (done | class) as usize;
                        least[union] = least[union].min(least[done as usize] + cost);
                    }
                }
            }
        }
        least[all as usize] / (self.rows.len() * self.columns.len()) as f64
    }
}

/// What an algorithm loses by `lm`.
fn loss_of(problem: &Problem, algorithm: &str) -> f64 {
    let entry = algorithm::find(algorithm).expect("registered");
    let outcome = solve(problem, entry, None, &Unobserved).outcome;
    let release = outcome.recoding().expect("enough rows").apply(problem);
    assert!(matches!(verify(&release), Verdict::Safe(_)), "{algorithm}");
    problem.objective.measure(problem, &release.tally())
}

#[test]
fn sequential_is_near_the_optimum_over_records() {
    let (mut excess, mut cases) = (0.0, 0.0);
    for seed in 0..CASES {
        let rows = Rows::random(seed);
        let (found, optimum) = (loss_of(&rows.problem(), "sequential"), rows.optimum());
        assert!(found >= optimum - 1e-9, "case {seed}: {found} below the optimum {optimum}");
        if optimum > 1e-9 {
            cases += 1.0;
            excess += found / optimum - 1.0;
        } else {
            assert!(found < 1e-9, "case {seed}: {found} where nothing need be lost");
        }
    }
    let mean = excess / cases;
    assert!(cases > 250.0 && mean < 0.02, "{mean} above the optimum on average, of {cases}");
}
