//! A safe release that is broken in just one way is refused, and the judge says why.

use std::collections::{BTreeMap, BTreeSet};

use throng::algorithm;
use throng::problem::Problem;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::verify::{Verdict, verify};

use crate::agreement::levels;
use crate::case::{Ask, Case};
use crate::models::Model;
use crate::oracle::Oracle;
use crate::parts::{ByRow, Told};
use throng::random::Random;

/// A safe release of a random case of which one thing is asked.
struct Truthful {
    case: Case,
    problem: Problem,
    told: Told,
    by_row: ByRow,
    /// Rows that are released, by class over the shield.
    classes: Vec<Vec<usize>>,
    random: Random,
}

impl Truthful {
    /// The best release of a random case, if there is one.
    fn new(seed: u64, model: Model) -> Option<Truthful> {
        let mut case = Case::random_asking(seed);
        let shield = case.asks[0].shield.clone();
        case.asks = vec![Ask { shield, model }];
        let problem = case.problem("lm");
        let flash = algorithm::find("flash").expect("registered");
        let Outcome::Found(recoding) = solve(&problem, flash, None, &Unobserved).outcome else { return None };
        let release = recoding.apply(&problem);
        let node = levels(&release);
        let released = Oracle::new(&case).recode(&node);
        let told = Told::new(&case);
        let problem = case.problem_over(told.table.clone(), "lm");
        let all = vec![node; case.rows.len()];
        let by_row = ByRow::new(&problem, &case, &all, released.suppressed.clone());
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for row in (0..case.rows.len()).filter(|row| !released.suppressed.contains(row)) {
            let labels = released.labels[row].iter().enumerate();
            let shield = case.asks[0].shield.as_ref();
            let over = labels.filter(|(a, _)| shield.is_none_or(|shield| shield.contains(a)));
            classes.entry(over.map(|(_, &label)| label).collect()).or_default().push(row);
        }
        let classes = classes.into_values().collect();
        let mut truthful = Truthful { case, problem, told, by_row, classes, random: Random::new(seed) };
        assert_eq!(truthful.verdict(), verify(&release), "seed {seed}: the same row by row");
        Some(truthful)
    }

    fn verdict(&mut self) -> Verdict {
        let (recoding, _) = self.by_row.encode(&self.told, &mut self.random);
        verify(&recoding.apply(&self.problem))
    }

    /// Suppresses rows, which the limit allows.
    fn suppress(&mut self, rows: &[usize]) {
        self.by_row.suppressed.extend(rows);
        self.problem.max_suppressed_rows = self.case.rows.len() as u64;
    }

    /// What the judge says of classes, and over what.
    fn refusal(&self, model: &str) -> Verdict {
        let shield = self.case.asks[0].shield.as_ref();
        let names =
            |shield: &Vec<usize>| -> Vec<String> { shield.iter().map(|a| format!("column {a}")).collect() };
        let over = shield.map_or(String::new(), |shield| format!(", over {}", names(shield).join(", ")));
        Verdict::Unsafe(format!("1 classes do not satisfy {model}{over}"))
    }
}

/// Tells a lie in many random releases; it can be told in some of them.
fn tell(model: Model, lie: impl Fn(&mut Truthful) -> Option<Verdict>) {
    let mut told = 0;
    for seed in 0..150 {
        let Some(mut truthful) = Truthful::new(seed, model) else { continue };
        if let Some(expected) = lie(&mut truthful) {
            assert_eq!(truthful.verdict(), expected, "seed {seed}");
            told += 1;
        }
    }
    assert!(told > 40, "{told}");
}

#[test]
fn a_class_that_is_too_small() {
    for k in [2, 3] {
        tell(Model::KAnonymity(k), |truthful| {
            let class = truthful.classes.first()?.clone();
            truthful.suppress(&class[k as usize - 1..]);
            Some(truthful.refusal(&format!("k = {k}: the worst has {}", k - 1)))
        });
    }
}

#[test]
fn a_sensitive_value_too_few() {
    tell(Model::DistinctL { l: 2, column: 0 }, |truthful| {
        let class = truthful.classes.last()?.clone();
        let value = |row: usize| truthful.case.sensitive[row][0].as_str();
        let values: BTreeSet<&str> = class.iter().map(|&row| value(row)).collect();
        let only = *values.first().expect("at least two values");
        let others: Vec<usize> = class.iter().copied().filter(|&row| value(row) != only).collect();
        truthful.suppress(&others);
        Some(truthful.refusal("distinct-l = 2: the worst has 1"))
    });
}

#[test]
fn a_value_that_does_not_cover() {
    tell(Model::KAnonymity(1), |truthful| {
        let random = &mut truthful.random;
        let a = random.index(truthful.case.hierarchies.len());
        let row = random.index(truthful.case.rows.len());
        let leaf = truthful.case.encoded_rows()[row][a];
        let other = (0..truthful.case.hierarchies[a].len() as u32).find(|&other| other != leaf)?;
        truthful.by_row.values[row][a] = other;
        let reason = format!("a released value of column 'column {a}' does not cover the original one");
        Some(Verdict::Unsafe(reason))
    });
}

#[test]
fn a_row_too_many_suppressed() {
    tell(Model::KAnonymity(2), |truthful| {
        let large = truthful.classes.iter().find(|class| class.len() > 2)?.clone();
        truthful.suppress(&large[..1]);
        let suppressed = truthful.by_row.suppressed.len();
        truthful.problem.max_suppressed_rows = suppressed as u64 - 1;
        let limit = suppressed - 1;
        Some(Verdict::Unsafe(format!("{suppressed} rows are suppressed; at most {limit} may be")))
    });
}

/// A row that leaves its class for one of its own.
#[test]
fn a_row_that_is_generalised_less_than_the_others() {
    tell(Model::KAnonymity(2), |truthful| {
        let shield = truthful.case.asks[0].shield.clone();
        let leaves = truthful.case.encoded_rows();
        let rows: Vec<usize> = truthful.classes.iter().flatten().copied().collect();
        let attributes = 0..truthful.case.hierarchies.len();
        let seen = attributes.filter(|a| shield.as_ref().is_none_or(|shield| shield.contains(a)));
        let cells = seen.flat_map(|a| rows.iter().map(move |&row| (row, a)));
        // Its class stays large enough, and no other value of the column looks like the leaf.
        let (row, a) = { cells }.find(|&(row, a)| {
            let class = truthful.classes.iter().find(|class| class.contains(&row)).expect("released");
            let label = &truthful.case.hierarchies[a][leaves[row][a] as usize][0];
            let alike = |line: &Vec<String>| line[1..].contains(label) && line[0] != *label;
            let changed = truthful.by_row.values[row][a] != leaves[row][a];
            changed && class.len() > 2 && !truthful.case.hierarchies[a].iter().any(alike)
        })?;
        truthful.by_row.values[row][a] = leaves[row][a];
        Some(truthful.refusal("k = 2: the worst has 1"))
    });
}
