//! Every registered algorithm keeps its promise, by the oracle's word.

use std::collections::{BTreeMap, BTreeSet};

use throng::algorithm::{self, Entry, Guarantee, Settings};
use throng::loss::{self, Aggregate, Kind};
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::release::Release;
use throng::run::Unobserved;
use throng::solve::{Outcome, Solution, solve};
use throng::verify::{Verdict, verify};

use crate::case::Case;
use crate::evaluations::assert_degrees;
use crate::models::Model;
use crate::oracle::{Oracle, Released, is_close};

/// Random cases for each algorithm and measure.
const CASES: u64 = 400;

/// What the oracle says of a case.
pub(crate) struct Truth<'c> {
    pub(crate) oracle: Oracle<'c>,
    pub(crate) admissible: Vec<Released<'c>>,
}

impl<'c> Truth<'c> {
    pub(crate) fn find(case: &'c Case) -> Truth<'c> {
        let oracle = Oracle::new(case);
        let admissible = oracle.admissible();
        Truth { oracle, admissible }
    }

    /// Judges all that does not depend on the algorithm; the oracle's release of the node found.
    pub(crate) fn judge(
        &self,
        problem: &Problem,
        solution: &Solution,
        context: &str,
    ) -> Option<Released<'c>> {
        assert_eq!(solution.lattice_nodes, self.oracle.nodes().len() as u128, "{context}");
        match &solution.outcome {
            Outcome::Infeasible { reach } => {
                let missed = !self.admissible.is_empty() && self.oracle.case.holds_upwards();
                assert!(!missed, "{context}: there is an admissible node");
                assert_degrees(reach, &self.oracle.reach(&self.oracle.case.highest()), context);
                assert!(!solution.optimal, "{context}");
                None
            }
            Outcome::Found(recoding) => Some(self.judge_release(&recoding.apply(problem), context)),
            stopped => panic!("{context}: {stopped:?}"),
        }
    }

    fn judge_release(&self, release: &Release, context: &str) -> Released<'c> {
        let released = self.oracle.recode(&levels(release));
        assert!(self.oracle.is_admissible(&released), "{context}: {:?}", released.node);
        assert_same_release(&self.oracle, release, &released);
        let k = self.oracle.smallest_crowd(&released);
        let Verdict::Safe(achieved) = verify(release) else { panic!("{context}: refused by verify") };
        let degrees: Vec<f64> =
            self.oracle.degrees(&released).into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(
            (achieved.k, achieved.suppressed_rows),
            (k, released.suppressed.len() as u64),
            "{context}"
        );
        assert_degrees(&achieved.degrees, &degrees, context);
        released
    }

    /// The admissible releases of the least height.
    pub(crate) fn of_least_height(&self) -> Vec<Released<'c>> {
        let height = |released: &Released<'_>| released.node.iter().flatten().sum::<usize>();
        let least = self.admissible.iter().map(height).min();
        self.admissible.iter().filter(|&released| Some(height(released)) == least).cloned().collect()
    }
}

/// The levels of a full-domain release.
pub(crate) fn levels(release: &Release) -> Vec<usize> {
    release.node().expect("full-domain recoding").levels().iter().map(|&level| usize::from(level)).collect()
}

/// Compares a release, tuple by tuple, with what the oracle made of each row.
pub(crate) fn assert_same_release(oracle: &Oracle<'_>, release: &Release, released: &Released<'_>) {
    let problem = release.problem();
    let label = |a: usize, id| problem.attributes()[a].taxonomy.label(id);
    let attributes = 0..problem.attributes().len();
    let mut tuples: BTreeMap<Vec<&str>, (Vec<&str>, bool, usize)> = BTreeMap::new();
    // Tuples without a row are of the population alone.
    for tuple in (0..problem.table().tuples()).filter(|&tuple| problem.table().weights()[tuple] > 0) {
        let leaves = attributes.clone().map(|a| label(a, problem.table().column(a)[tuple])).collect();
        let values = attributes.clone().map(|a| label(a, release.value(tuple, a))).collect();
        let rows = problem.table().weights()[tuple] as usize;
        assert!(tuples.insert(leaves, (values, release.is_suppressed(tuple), rows)).is_none());
    }
    let mut expected: BTreeMap<Vec<&str>, (Vec<&str>, bool, usize)> = BTreeMap::new();
    for (row, leaves) in oracle.case.rows.iter().enumerate() {
        let values = released.labels[row].clone();
        let leaves = leaves.iter().map(String::as_str).collect();
        expected.entry(leaves).or_insert((values, released.suppressed.contains(&row), 0)).2 += 1;
    }
    assert_eq!(tuples, expected);
    let dropped = release.suppressed_classes();
    let dropped = dropped.iter().map(|class| class.iter().enumerate().map(|(a, &id)| label(a, id)).collect());
    let unseen = released.population.iter().filter(|labels| !released.classes.contains_key(*labels));
    let expected: BTreeSet<Vec<&str>> = released.dropped.keys().chain(unseen).cloned().collect();
    assert_eq!(dropped.collect::<BTreeSet<Vec<&str>>>(), expected);
    assert_eq!(release.suppressed_rows(), released.suppressed.len() as u64);
}

fn with_guarantee(guarantee: Guarantee) -> impl Iterator<Item = &'static Entry> {
    crate::full_domain().filter(move |entry| entry.guarantee == guarantee)
}

fn random_cases() -> impl Iterator<Item = (u64, Case)> {
    (0..CASES).map(|seed| (seed, Case::random(seed)))
}

/// Calls `visit` with every case, measure, algorithm of a guarantee and its (judged) result.
pub(crate) fn for_each_result(
    cases: impl Iterator<Item = (u64, Case)>,
    guarantee: Guarantee,
    visit: impl Fn(&Truth<'_>, &str, &Solution, Option<Released<'_>>, &str, &Entry),
) {
    for (seed, case) in cases {
        let truth = Truth::find(&case);
        for measure in loss::measures() {
            let problem = case.problem(measure.name());
            for entry in with_guarantee(guarantee) {
                let context = format!("case {seed}, {}, {}", measure.name(), entry.name);
                let solution = solve(&problem, entry, None, &Unobserved);
                let found = truth.judge(&problem, &solution, &context);
                let proven = guarantee.proves(*measure) && found.is_some();
                assert_eq!(solution.optimal, proven, "{context}");
                if proven {
                    assert_least(&truth, measure.name(), found.as_ref(), &truth.admissible, &context);
                }
                visit(&truth, measure.name(), &solution, found, &context, entry);
            }
        }
    }
}

pub(crate) fn assert_least(
    truth: &Truth<'_>,
    measure: &str,
    found: Option<&Released<'_>>,
    among: &[Released<'_>],
    context: &str,
) {
    let least = truth.oracle.least_loss(measure, among);
    let loss = found.map(|released| truth.oracle.loss(measure, released));
    match (loss, least) {
        (Some(loss), Some(least)) => assert!(is_close(loss, least), "{context}: {loss} instead of {least}"),
        (loss, least) => assert_eq!(loss, least, "{context}"),
    }
}

#[test]
fn least_loss_is_the_optimum_of_every_measure() {
    for_each_result(
        random_cases(),
        Guarantee::LeastLoss,
        |truth, measure, solution, found, context, entry| {
            assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
            // A local search comes back to nodes that it has seen.
            if entry.name != "box-search" {
                assert!(
                    u128::from(solution.checked_nodes) <= solution.lattice_nodes,
                    "{context}: checked twice"
                );
            }
            if entry.name == "exhaustive" {
                assert_eq!(u128::from(solution.checked_nodes), solution.lattice_nodes, "{context}");
            }
        },
    );
}

/// The optimum by other means over columns, and where suppressing or generalising is cheaper; often it is another node
/// than that of the plain sum.
#[test]
fn least_loss_is_the_optimum_by_every_mean_and_preference() {
    let other = std::cell::Cell::new(0);
    for asking in [false, true] {
        let random = |seed| if asking { Case::random_asking(seed) } else { Case::random(seed) };
        let cases = (0..105).map(|seed| (seed, random(seed + 5_000).aggregated(seed)));
        for_each_result(cases, Guarantee::LeastLoss, |truth, measure, _, found, context, entry| {
            assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
            if (entry.name, measure) != ("flash", "lm") {
                return;
            }
            let plain = Case { aggregate: Aggregate::default(), ..truth.oracle.case.clone() };
            let plain = Oracle::new(&plain);
            let loss = found.map(|released| plain.loss(measure, &released));
            let least = plain.least_loss(measure, &truth.admissible);
            let differs = loss.zip(least).is_some_and(|(loss, least)| !is_close(loss, least));
            other.set(other.get() + usize::from(differs));
        });
    }
    assert!(other.get() > 0, "the optimum is always that of the plain sum");
}

/// Models that a search can only ask, and models that let nothing be tagged.
#[test]
fn least_loss_is_the_optimum_for_other_models() {
    for model in [Model::Opaque, Model::NoThrees] {
        let asking = |case: Case| case.clone().asking(model(case.k()));
        let cases = random_cases().take(150).map(|(seed, case)| (seed, asking(case)));
        for_each_result(cases, Guarantee::LeastLoss, |truth, measure, _, found, context, _| {
            assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
        });
    }
}

#[test]
fn least_height_is_the_least_loss_within_the_least_height() {
    for_each_result(random_cases(), Guarantee::LeastHeight, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.of_least_height(), context);
    });
}

/// What is kept of `all-min` are all admissible nodes of the least height, the best first.
#[test]
fn all_min_keeps_all_of_the_least_height() {
    let several = std::cell::Cell::new(0);
    for_each_result(random_cases(), Guarantee::LeastHeight, |truth, measure, solution, _, context, entry| {
        if entry.name != "all-min" {
            return;
        }
        let kept: Vec<Vec<usize>> = solution.kept.iter().filter_map(|kept| node(Some(&kept.0))).collect();
        let losses: Vec<f64> =
            kept.iter().map(|node| truth.oracle.loss(measure, &truth.oracle.recode(node))).collect();
        assert!(losses.windows(2).all(|two| two[0] <= two[1] || is_close(two[0], two[1])), "{context}");
        let least: BTreeSet<_> = truth.of_least_height().into_iter().filter_map(|of| of.node).collect();
        assert_eq!((kept.len(), BTreeSet::from_iter(kept)), (least.len(), least), "{context}");
        several.set(several.get() + usize::from(solution.kept.len() > 1));
    });
    assert!(several.get() > 100, "{}", several.get());
}

/// Compares what the greedy algorithms find, and how soon, with the paper's text.
pub(crate) fn assert_greedy(
    truth: &Truth<'_>,
    solution: &Solution,
    found: Option<Released<'_>>,
    context: &str,
    entry: &Entry,
) {
    let heights = truth.oracle.case.heights();
    let (attributes, height) = (heights.len() as u64, heights.iter().sum::<usize>() as u64);
    let (expected, most_checks) = match entry.name {
        "datafly" => (truth.oracle.datafly(), height + 1),
        "improved-greedy" => (truth.oracle.improved_greedy(), attributes * height + 1),
        _ => return,
    };
    assert_eq!(found.and_then(|released| released.node), expected, "{context}");
    assert!(solution.checked_nodes <= most_checks, "{context}");
}

/// Compares improved greedy as printed, in both readings of the paper, with the paper's text, and counts where
/// the two readings, and where the printed and the improved variant, have different releases.
pub(crate) fn assert_printed(cases: impl Iterator<Item = (u64, Case)>) -> [usize; 2] {
    let improved_greedy = algorithm::find("improved-greedy").expect("registered");
    let (mut readings, mut variants) = (0, 0);
    for (seed, case) in cases {
        let (oracle, mut problem) = (Oracle::new(&case), case.problem("lm"));
        let mut found = |variant: &str, reading: &str| {
            let settings = Settings::default().with("variant", variant).unwrap();
            problem.settings = settings.with("reading", reading).unwrap();
            let solution = solve(&problem, improved_greedy, None, &Unobserved);
            node(solution.outcome.recoding())
        };
        let (pseudocode, prose) = (found("printed", "pseudocode"), found("printed", "prose"));
        assert_eq!(pseudocode, oracle.improved_greedy_as_printed(), "case {seed}: Algorithm 1");
        assert_eq!(prose, oracle.improved_greedy_as_told(), "case {seed}: section 4");
        readings += usize::from(pseudocode != prose);
        variants += usize::from(pseudocode != found("improved", "pseudocode"));
    }
    [readings, variants]
}

fn node(recoding: Option<&Recoding>) -> Option<Vec<usize>> {
    match recoding? {
        Recoding::FullDomain(node) => Some(node.levels().iter().map(|&level| usize::from(level)).collect()),
        other => panic!("{other:?}"),
    }
}

/// Where a k is all that is asked for, what is improved is what is printed.
#[test]
fn improved_greedy_as_printed_is_what_the_paper_says() {
    let [readings, variants] = assert_printed(random_cases());
    assert!(readings > 0, "the readings never differ");
    assert_eq!(variants, 0);
}

#[test]
fn greedy_algorithms_do_what_the_paper_says() {
    for_each_result(random_cases(), Guarantee::Admissible, |truth, _, solution, found, context, entry| {
        assert_greedy(truth, solution, found, context, entry);
    });
}

/// Compares the whole solutions of one, two and four threads.
pub(crate) fn assert_same_by_threads(cases: impl Iterator<Item = (u64, Case)>) {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let pools = [pool(1), pool(2), pool(4)];
    for (seed, case) in cases {
        let measure = loss::measures()[seed as usize % loss::measures().len()];
        let problem = case.problem(measure.name());
        for entry in crate::full_domain() {
            let once = || solve(&problem, entry, None, &Unobserved);
            let first = once();
            assert_eq!(first, once(), "case {seed}, {}: again", entry.name);
            for pool in &pools {
                let threads = pool.current_num_threads();
                assert_eq!(first, pool.install(once), "case {seed}, {}: {threads} threads", entry.name);
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_threads_or_chance() {
    assert_same_by_threads(random_cases());
}

/// The random cases are worth something only if they have what makes searches go wrong.
#[test]
fn the_random_cases_are_hard() {
    let (mut infeasible, mut partly_suppressed, mut nothing_released, mut above_minimal) = (0, 0, 0, 0);
    for seed in 0..CASES {
        let case = Case::random(seed);
        let truth = Truth::find(&case);
        let minimal: Vec<Released<'_>> =
            truth.admissible.iter().filter(|r| is_minimal(r, &truth)).cloned().collect();
        let least = |among: &[Released<'_>]| truth.oracle.least_loss("lm", among);
        infeasible += usize::from(truth.admissible.is_empty());
        partly_suppressed +=
            usize::from(minimal.iter().any(|r| !r.suppressed.is_empty() && !r.classes.is_empty()));
        nothing_released += usize::from(minimal.iter().any(|r| r.classes.is_empty()));
        above_minimal += usize::from(least(&truth.admissible) < least(&minimal));
    }
    assert!(infeasible >= 20, "{infeasible}");
    assert!(partly_suppressed >= 100, "{partly_suppressed}");
    assert!(nothing_released >= 20, "{nothing_released}");
    assert!(above_minimal >= 20, "{above_minimal}");
    let kinds = loss::measures().iter().map(|measure| measure.kind());
    assert!(kinds.clone().any(|kind| matches!(kind, Kind::Sizes(_))));
    assert!(kinds.clone().any(|kind| matches!(kind, Kind::Cells(_))));
}

fn is_minimal(released: &Released<'_>, truth: &Truth<'_>) -> bool {
    let levels = |of: &Released<'_>| of.node.clone().expect("a node");
    let below = |other: &Released<'_>| levels(other).iter().zip(&levels(released)).all(|(o, r)| o <= r);
    !truth.admissible.iter().any(|other| other.node != released.node && below(other))
}
