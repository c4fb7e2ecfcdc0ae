//! Local algorithms that form classes give every model of the table, of random sensitive columns and over
//! shields: what they release verifies, and they find something wherever one class of all rows may be
//! released.

use throng::algorithm::{Entry, Serves};
use throng::notion::Notion;
use throng::privacy::Monotonicity;
use throng::problem::Problem;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::verify::{Verdict, verify};

use crate::case::Case;
use crate::local::{local, settings};
use crate::parts::Told;

const CASES: u64 = 300;

/// The local algorithms whose classes may be of any model.
fn of_every_model() -> impl Iterator<Item = &'static Entry> {
    local().filter(|entry| entry.serves == Serves::OfTable)
}

/// A case in which rows that differ in sensitive values are one tuple, or not: only then it may be divided.
fn problems(seed: u64) -> (Case, [Problem; 2]) {
    let case = Case { max_suppressed_rows: 0, ..Case::random_asking(seed) };
    let objective = ["lm", "entropy", "ncp"][(seed % 3) as usize];
    let told = Told::new(&case).table;
    let mut problems = [case.problem(objective), case.problem_over(told, objective)];
    problems.iter_mut().for_each(|problem| problem.settings = settings(seed));
    (case, problems)
}

/// Whether all rows may be released as one class.
fn one_class_holds(problem: &Problem) -> bool {
    let top = problem.lattice().top();
    let release = throng::recoding::Recoding::FullDomain(top).apply(problem);
    release.suppressed_rows() == 0 && matches!(verify(&release), Verdict::Safe(_))
}

#[test]
fn releases_satisfy_every_model() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..CASES {
        let (case, problems) = problems(seed);
        let breakable = case.asks.iter().any(|ask| ask.model.monotonicity() == Monotonicity::None);
        for (problem, entry) in problems.iter().flat_map(|p| of_every_model().map(move |entry| (p, entry))) {
            let context = format!("case {seed}, {}", entry.name);
            match solve(problem, entry, None, &Unobserved).outcome {
                Outcome::Found(recoding) => {
                    let verdict = verify(&recoding.apply(problem));
                    assert!(matches!(verdict, Verdict::Safe(_)), "{context}: {verdict:?}");
                    found += 1;
                }
                Outcome::Infeasible { .. } => {
                    assert!(breakable || !one_class_holds(problem), "{context}");
                    none += 1;
                }
                stopped => panic!("{context}: {stopped:?}"),
            }
        }
    }
    assert!(found > 0 && none > 0, "{found} found, {none} not");
}

#[test]
fn results_do_not_depend_on_threads() {
    let pools = [1, 2, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool"));
    for seed in 0..CASES / 6 {
        let (_, problems) = problems(seed);
        for (problem, entry) in problems.iter().flat_map(|p| of_every_model().map(move |entry| (p, entry))) {
            let solutions: Vec<_> =
                pools.iter().map(|pool| pool.install(|| solve(problem, entry, None, &Unobserved))).collect();
            assert!(solutions.windows(2).all(|pair| pair[0] == pair[1]), "case {seed}, {}", entry.name);
        }
    }
}

/// Whoever can give any model forms classes, and so has every notion.
#[test]
fn those_that_form_classes_have_every_notion() {
    assert!(of_every_model().all(|entry| entry.notions == Notion::ALL));
}
