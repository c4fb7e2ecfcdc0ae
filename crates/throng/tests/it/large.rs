//! Thousands of classes and hundreds of sensitive values: lists instead of places, common sources, and
//! several threads at once.

use throng::lattice::Node;
use throng::recoding::Recoding;
use throng::run::{Run, Unobserved};

use crate::case::{Ask, Case};
use crate::cuts::encode_all;
use crate::evaluations::{assert_evaluated, assert_ordered, node_of};
use crate::keys::steps;
use crate::models::Model;
use crate::oracle::{Cut, Oracle, Released};
use throng::random::Random;

/// About 5,000 distinct tuples.
fn case() -> Case {
    let widths = [80, 80, 12];
    let hierarchies = vec![steps(80, &[4, 20]), steps(80, &[4, 20]), steps(12, &[3])];
    let random = &mut Random::new(7);
    let rows: Vec<Vec<String>> =
        (0..5_000).map(|_| widths.map(|width| random.index(width).to_string()).to_vec()).collect();
    let sensitive = rows.iter().map(|_| vec![format!("value {}", random.skewed_index(600))]).collect();
    let ask = |shield: &[usize], model| Ask { shield: Some(shield.to_vec()), model };
    let asks = vec![
        ask(&[0, 2], Model::DistinctL { l: 4, column: 0 }),
        ask(&[0, 1, 2], Model::KAnonymity(3)),
        ask(&[1, 2], Model::Share { most: 0.15, column: 0 }),
    ];
    Case { sensitive, asks, ..Case::from_rows(hierarchies, rows, 1, 3_000) }
}

/// Levels, and a cut that lies between two of them.
fn candidates(oracle: &Oracle<'_>) -> (Vec<Vec<usize>>, Vec<Vec<Cut>>) {
    let levels = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1], [2, 1, 0], [1, 2, 2], [2, 2, 1], [3, 3, 2]];
    let cut_at = |levels: [usize; 3]| -> Vec<Cut> { (0..3).map(|a| oracle.cut_at(a, levels[a])).collect() };
    let [low, mut cut] = [[1, 1, 0], [2, 2, 1]].map(cut_at);
    cut[0].levels[..40].copy_from_slice(&low[0].levels[..40]);
    (levels.map(|levels| levels.to_vec()).to_vec(), vec![low, cut])
}

#[test]
fn thousands_of_classes_are_counted_as_the_oracle_does() {
    let case = case();
    let (oracle, problem) = (Oracle::new(&case), case.problem("ncp"));
    let (levels, cuts) = candidates(&oracle);
    let nodes: Vec<Node> = levels.iter().map(|levels| node_of(levels)).collect();
    let encoded: Vec<_> =
        cuts.iter().map(|cuts| encode_all(&problem, &cuts.iter().collect::<Vec<_>>())).collect();
    let of_cuts = cuts.iter().map(|cuts| oracle.recode_cuts(&cuts.iter().collect::<Vec<_>>()));
    let released: Vec<Released<'_>> =
        levels.iter().map(|levels| oracle.recode(levels)).chain(of_cuts).collect();
    assert!(released.iter().any(|released| released.rounds > 1 && oracle.is_admissible(released)));
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let evaluations = pool.install(|| {
            let mut run = Run::new(&problem, None, &Unobserved);
            // Again, when there are classes to roll up from.
            _ = run.check_all(&nodes);
            let mut found = run.check_all(&nodes).expect("nothing stops this run");
            found.extend(run.check_cuts(&encoded).expect("nothing stops this run"));
            found
        });
        let mut costs = Vec::new();
        for (at, (evaluation, released)) in evaluations.iter().zip(&released).enumerate() {
            assert_evaluated(&oracle, evaluation, released, &format!("{threads} threads, {at}"));
            costs.extend(evaluation.cost().map(|cost| (cost, oracle.loss("ncp", released))));
        }
        assert_ordered(costs, "ncp");
    }
    let recodings = nodes.into_iter().map(Recoding::FullDomain).chain(encoded.into_iter().map(Recoding::Cut));
    for (recoding, released) in recodings.zip(&released) {
        assert_eq!(recoding.apply(&problem).suppressed_rows(), released.suppressed.len() as u64);
    }
}
