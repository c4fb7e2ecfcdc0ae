//! The Adult table of the UCI repository, where it is at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use throng::algorithm;
use throng::cut::Cut;
use throng::loss;
use throng::problem::Problem;
use throng::run::{Run, Unobserved};
use throng::solve::{Outcome, solve};
use throng::taxonomy::{self, Taxonomy, ValueId};
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
    Some(Case::from_rows(hierarchies, rows, 5, max_suppressed_rows))
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
    let lm = problem.objective.measure(&problem, &tally);
    assert!((lm - optimum).abs() < 5e-7, "{algorithm}: {lm}");
    let oracle = Oracle::new(case);
    let released = oracle.recode(&levels(&release));
    assert_same_release(&oracle, &release, &released);
    for measure in loss::measures().iter().filter(|measure| measure.lack(&problem).is_none()) {
        let (value, expected) =
            (measure.measure(&problem, &tally), oracle.measure(measure.name(), &released));
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

/// The values that each value has below it.
fn children(taxonomy: &Taxonomy) -> BTreeMap<ValueId, Vec<ValueId>> {
    let mut children: BTreeMap<ValueId, Vec<ValueId>> = BTreeMap::new();
    for (value, id) in taxonomy.values().iter().zip(0..).filter(|(value, id)| value.parent != *id) {
        children.entry(value.parent).or_default().push(id);
    }
    children
}

/// The least cost of all cuts that may be released, found by splitting values from the top on: what is
/// coarser than a cut that may be released may be, too, so none is missed.
fn least_of_all_cuts(problem: &Problem) -> (Option<i128>, usize) {
    let taxonomies: Vec<&Taxonomy> = problem.attributes().iter().map(|a| &a.taxonomy).collect();
    let below: Vec<_> = taxonomies.iter().map(|taxonomy| children(taxonomy)).collect();
    let top: Vec<Vec<ValueId>> = taxonomies.iter().map(|taxonomy| vec![taxonomy.root()]).collect();
    let mut run = Run::new(problem, None, &Unobserved);
    let (mut seen, mut least, mut admissible) = (BTreeSet::from([top.clone()]), None, 0);
    let mut next = vec![top];
    while let Some(chosen) = next.pop() {
        let cuts = chosen.iter().zip(&taxonomies).map(|(values, taxonomy)| Cut::new(taxonomy, values));
        let cuts: Vec<Cut> = cuts.collect::<Result<_, _>>().expect("a cut");
        let check = run.check_cuts(&[cuts]).expect("nothing stops this run").remove(0);
        let Some(cost) = check.cost() else { continue };
        admissible += 1;
        least = Some(least.map_or(cost, |least: i128| least.min(cost)));
        for (a, of_attribute) in chosen.iter().enumerate() {
            for (value, split) in of_attribute.iter().filter_map(|value| Some((value, below[a].get(value)?)))
            {
                let others = of_attribute.iter().filter(|other| *other != value);
                let mut finer = chosen.clone();
                finer[a] = others.chain(split).copied().collect();
                finer[a].sort_unstable();
                if seen.insert(finer.clone()) {
                    next.push(finer);
                }
            }
        }
    }
    (least, admissible)
}

/// Checks `cut-search` over some columns against all cuts.
fn assert_best_cut(case: &Case, columns: &[usize], k: u64) {
    let hierarchies = columns.iter().map(|&a| case.hierarchies[a].clone()).collect();
    let rows = case.rows.iter().map(|row| columns.iter().map(|&a| row[a].clone()).collect()).collect();
    let problem = Case::from_rows(hierarchies, rows, k, 0).problem("lm");
    let (least, admissible) = least_of_all_cuts(&problem);
    assert!(admissible > 50, "{columns:?}, k = {k}: {admissible}");
    let entry = algorithm::find("cut-search").expect("registered");
    let solution = solve(&problem, entry, None, &Unobserved);
    assert!(solution.optimal, "{columns:?}, k = {k}");
    assert_eq!(solution.kept[0].1.cost(), least, "{columns:?}, k = {k}");
}

#[test]
fn no_cut_of_some_columns_loses_less_than_the_one_that_is_found() {
    let Some(case) = adult(0) else { return };
    // Few enough to look at all cuts that may be released.
    let [sex, age, race, marital_status, education, workclass, occupation] = [0, 1, 2, 3, 4, 6, 7];
    assert_best_cut(&case, &[sex, race, marital_status, workclass, occupation], 5);
    assert_best_cut(&case, &[sex, age, marital_status, education], 100);
    assert_best_cut(&case, &[sex, age, education, occupation], 100);
}
