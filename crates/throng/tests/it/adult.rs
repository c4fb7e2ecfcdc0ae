//! The Adult table of the UCI repository, where it is at hand.

use std::path::PathBuf;

use throng::algorithm;
use throng::loss;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::taxonomy::{self, Taxonomy};
use throng::verify::{Verdict, verify};

use crate::agreement::{assert_same_release, levels};
use crate::case::{Case, Hierarchy};
use crate::oracle::{Oracle, is_close};

/// All nine columns at k = 5, from the data folder beside the repository.
fn adult(max_suppressed_rows: u64) -> Option<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let Ok(text) = std::fs::read_to_string(folder.join("adult.csv")) else {
        #[expect(clippy::print_stdout, reason = "says why nothing was tested")]
        {
            println!("skipped: no ../shared/data");
        }
        return None;
    };
    let mut rows = fields(&text);
    let columns = rows.remove(0);
    let read = |column: &String| -> Hierarchy {
        let file = folder.join(format!("adult_hierarchy_{column}.csv"));
        let text = std::fs::read_to_string(file).expect("a hierarchy for each column");
        let lines = fields(&text);
        assert_eq!(taxonomy::parse(&text), Taxonomy::from_rows(&lines), "{column}");
        lines
    };
    let hierarchies = columns.iter().map(read).collect();
    Some(Case::of(hierarchies, rows, 5, max_suppressed_rows))
}

fn fields(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

/// Checks that an algorithm reaches an optimum of `lm`, and what it releases.
fn assert_optimum(case: &Case, algorithm: &str, optimum: f64) {
    let problem = case.problem("lm");
    let solution = solve(&problem, algorithm::find(algorithm).expect("registered"), None, &Unobserved);
    assert!(solution.optimal);
    assert_eq!(solution.lattice_nodes, 12_960);
    let Outcome::Found(recoding) = solution.outcome else { panic!("{algorithm}: feasible") };
    let release = recoding.apply(&problem);
    assert!(matches!(verify(&release), Verdict::Safe(achieved) if achieved.k >= 5));
    let tally = release.tally();
    let lm = problem.objective.of(&problem, &tally);
    assert!((lm - optimum).abs() < 5e-7, "{algorithm}: {lm}");
    let oracle = Oracle::new(case);
    let released = oracle.recode(&levels(&release));
    assert_same_release(&oracle, &release, &released);
    for measure in loss::measures().iter().filter(|measure| measure.lack(&problem).is_none()) {
        let (value, expected) = (measure.of(&problem, &tally), oracle.measure(measure.name(), &released));
        assert!(is_close(value, expected), "{}: {value} instead of {expected}", measure.name());
    }
}

#[test]
fn five_of_a_kind_without_suppression() {
    let Some(case) = adult(0) else { return };
    assert_eq!(case.rows.len(), 30_162);
    for algorithm in ["flash", "ola", "incognito"] {
        assert_optimum(&case, algorithm, 0.635544);
    }
}

#[test]
fn five_of_a_kind_with_two_per_cent_suppressed() {
    // floor(0.02 * 30,162)
    let Some(case) = adult(603) else { return };
    for algorithm in ["flash", "ola", "incognito"] {
        assert_optimum(&case, algorithm, 0.357482);
    }
}
