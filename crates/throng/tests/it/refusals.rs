//! Inputs that do not make a problem, and those that only just do.

use throng::loss;
use throng::privacy::KAnonymity;
use throng::problem::{Problem, ProblemError};
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::table::{Carried, Table};
use throng::taxonomy::Taxonomy;

use crate::case::Case;

/// Why a table with these attributes is refused.
fn refusal(attributes: Vec<(String, Taxonomy, f64)>, table: Table) -> Option<ProblemError> {
    let lm = loss::find("lm").expect("registered");
    Problem::new(table, attributes, Requirement::new(KAnonymity { k: 2 }), 0, lm).err()
}

fn attribute(weight: f64) -> (String, Taxonomy, f64) {
    ("age".to_owned(), Taxonomy::flat(&["1", "2"]).expect("valid"), weight)
}

#[test]
fn empty_inputs_are_refused() {
    assert_eq!(refusal(vec![], Table::new(vec![], vec![])), Some(ProblemError::NoQuasiIdentifier));
    assert_eq!(refusal(vec![attribute(1.0)], Table::new(vec![vec![]], vec![])), Some(ProblemError::NoRows));
}

#[test]
fn weights_are_positive_numbers() {
    for weight in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let error = refusal(vec![attribute(weight)], Table::from_rows(1, &[[0]]));
        assert!(matches!(error, Some(ProblemError::Weight { column, .. }) if column == "age"), "{weight}");
    }
}

/// A class counts its rows in 64 bits, and the values of a column in 32.
#[test]
fn as_many_rows_as_a_class_can_count() {
    let case = Case::new(&["1 *, 2 *"], "1, 2", u64::from(u32::MAX), 0);
    let table = |more: u32| Table::new(vec![vec![0, 1]], vec![u32::MAX - 3, more]);
    let values = Carried::new("illness", 1, [&[(0, u32::MAX - 3)][..], &[(0, 4)]]);
    let error = refusal(vec![attribute(1.0)], table(4).with_carried(vec![values]));
    assert_eq!(error, Some(ProblemError::TooManyRows { rows: 1 << 32 }));
    for more in [3, 4, u32::MAX - 4] {
        let problem = case.problem_over(table(more), "dm");
        for entry in crate::full_domain() {
            let Outcome::Found(recoding) = solve(&problem, entry, None, &Unobserved).outcome else {
                panic!("feasible")
            };
            let tally = recoding.apply(&problem).tally();
            assert_eq!(tally.sizes.smallest, problem.table().rows(), "{}", entry.name);
        }
    }
}

/// A hierarchy of two leaves that stay apart up to the top.
fn tall(levels: usize) -> Vec<Vec<String>> {
    let line = |leaf: &str| (0..levels - 1).map(|_| leaf.to_owned()).chain(["*".to_owned()]).collect();
    vec![line("1"), line("2")]
}

#[test]
fn as_many_levels_as_every_algorithm_can_take() {
    let taxonomy = Taxonomy::from_rows(&tall(65_536)).expect("valid");
    let error = refusal(vec![("age".to_owned(), taxonomy, 1.0)], Table::from_rows(1, &[[0]]));
    assert_eq!(error, Some(ProblemError::TooManyLevels { column: "age".to_owned(), levels: 65_536 }));
    let case = Case { hierarchies: vec![tall(300)], ..Case::new(&["1 *, 2 *"], "1, 2", 2, 0) };
    for entry in crate::full_domain() {
        let solution = solve(&case.problem("lm"), entry, None, &Unobserved);
        let Outcome::Found(recoding) = solution.outcome else { panic!("{}: feasible", entry.name) };
        assert_eq!(recoding.apply(&case.problem("lm")).node().expect("full-domain").levels(), [299]);
    }
}
