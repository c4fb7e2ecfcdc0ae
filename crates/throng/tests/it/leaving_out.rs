//! Local algorithms use what may be suppressed: they never lose more by it, and less where it helps.

use throng::problem::Problem;
use throng::run::Unobserved;
use throng::solve::solve;
use throng::verify::{Verdict, verify};

use crate::case::Case;
use crate::local::{local, settings};
use crate::parts::Told;

const CASES: u64 = 150;

/// What an algorithm loses if so many rows may be left out, and how many are.
fn loss_and_suppressed(
    problem: &Problem,
    entry: &throng::algorithm::Entry,
    limit: u64,
) -> Option<(f64, u64)> {
    let mut problem = problem.clone();
    problem.max_suppressed_rows = limit;
    let outcome = solve(&problem, entry, None, &Unobserved).outcome;
    let release = outcome.recoding()?.apply(&problem);
    let Verdict::Safe(achieved) = verify(&release) else { panic!("{}: refused by verify", entry.name) };
    Some((problem.objective.measure(&problem, &release.tally()), achieved.suppressed_rows))
}

#[test]
fn leaving_rows_out_never_loses_more() {
    let (mut less, mut compared) = (0, 0);
    for seed in 0..CASES {
        let case = Case::random_asking(seed);
        let mut problem =
            case.problem_over(Told::new(&case).table, ["lm", "entropy", "ncp"][(seed % 3) as usize]);
        problem.settings = settings(seed);
        let rows = problem.table().rows();
        let serving = local().filter(|entry| entry.serves.all_of(&problem.requirements));
        for entry in serving {
            let Some((none, 0)) = loss_and_suppressed(&problem, entry, 0) else { continue };
            for limit in [1, rows.div_ceil(20), rows / 2, rows] {
                let context = format!("case {seed}, {}, {limit} rows", entry.name);
                let some = loss_and_suppressed(&problem, entry, limit);
                let (loss, suppressed) = some.unwrap_or_else(|| panic!("{context}: none"));
                assert!(suppressed <= limit && loss <= none + 1e-9, "{context}: {loss} above {none}");
                assert!((suppressed > 0) == (loss < none - 1e-12), "{context}: {suppressed} for nothing");
                (less, compared) = (less + usize::from(suppressed > 0), compared + 1);
            }
        }
    }
    assert!(less * 20 > compared && less < compared, "{less} of {compared}");
}

/// Five alike and one that is not: without it they are released as they are.
#[test]
fn an_outlier_leaves() {
    let case = Case::new(&["a *, b *, c *"], "a, a, b, b, b, c", 2, 1);
    let problem = case.problem("lm");
    for entry in local().filter(|entry| entry.serves == throng::algorithm::Serves::OfTable) {
        let found = loss_and_suppressed(&problem, entry, 1).expect("feasible");
        assert_eq!(found, (1.0 / 6.0, 1), "{}", entry.name);
    }
}
